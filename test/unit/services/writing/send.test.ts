import { warningsTo } from '../../../support/warnings.js';
import { describe, expect, it } from 'vitest';
import { CliError, type ErrorCode } from '../../../../src/core/errors.js';
import { putApplication } from '../../../../src/platform/apps.js';
import { getStatuses } from '../../../../src/platform/programs.js';
import { getVersion } from '../../../../src/platform/system.js';
import { uploadArtifact } from '../../../../src/platform/artifacts.js';
import type { Platform } from '../../../../src/platform/client.js';
import { patientPlatform } from '../../../../src/services/writing/patient-platform.js';
import { recordWrites, type RequestRecord } from '../../../../src/services/writing/record-writes.js';
import { sendDeploy, sendOnce } from '../../../../src/services/writing/send.js';
import { contextWith, errorWith, NO_PLATFORM } from '../install/support.js';
import { codeOf } from '../../../support/errors.js';

type Answer = ErrorCode | 'ok' | 'unsent';
type Look = boolean | ErrorCode;
const unsent = (): CliError => new CliError('NET_REFUSED', 'nobody is there', { sent: 'no' });
const CLOCK = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };

/** Sends with these answers and read-backs; tells how it ended, how often was sent and looked. */
async function run(answers: readonly Answer[], looks: readonly Look[]): Promise<readonly unknown[]> {
  const context = contextWith();
  let [sent, looked] = [0, 0];
  const send = async (): Promise<void> => {
    const answer = answers[sent++] ?? 'ok';
    if (answer === 'unsent') throw unsent();
    if (answer !== 'ok') throw errorWith(answer);
  };
  const applied = async (): Promise<boolean> => {
    const look = looks[Math.min(looked++, looks.length - 1)] ?? false;
    if (typeof look === 'string') throw errorWith(look);
    return look;
  };
  const end = await sendOnce('the write', context, send, applied).then(
    () => 'ok',
    (error: unknown) => (error as CliError).code,
  );
  return [end, sent, looked];
}

describe('a write', () => {
  it.each([
    ['answered', ['ok'], [], ['ok', 1, 0]],
    ['refused', ['REMOTE_FAILED'], [], ['REMOTE_FAILED', 1, 0]],
    ['in conflict', ['CONFLICT'], [true], ['CONFLICT', 1, 0]],
    ['lost and applied', ['NET_RESET'], [true], ['ok', 1, 1]],
    ['lost and applied a little later', ['NET_RESET'], [false, false, true], ['ok', 1, 3]],
    ['lost and not applied', ['NET_RESET', 'ok'], [false], ['ok', 2, 3]],
    ['lost twice, nothing to be seen of it', ['NET_RESET', 'UNAVAILABLE'], [false], ['UNKNOWN_OUTCOME', 2, 6]],
    ['lost, then GONE', ['NET_RESET'], ['GONE'], ['GONE', 1, 1]],
    ['lost, then somebody else changed it', ['NET_RESET'], [false, 'CHANGED_MEANWHILE'], ['CHANGED_MEANWHILE', 1, 2]],
    ['not sent, and changed meanwhile', ['unsent'], ['CHANGED_MEANWHILE'], ['CHANGED_MEANWHILE', 1, 1]],
    ['lost twice, applied in the end', ['NET_RESET', 'NET_SHORT'], [false, false, false, true], ['ok', 2, 4]],
    ['lost, then in conflict with itself', ['NET_RESET', 'CONFLICT'], [false, false, false, true], ['ok', 2, 4]],
    ['lost, then in conflict with another', ['NET_RESET', 'CONFLICT'], [false], ['CONFLICT', 2, 6]],
    [
      'lost, then in conflict, no read-back',
      ['NET_RESET', 'CONFLICT'],
      [false, false, false, 'AUTH'],
      ['UNKNOWN_OUTCOME', 2, 4],
    ],
    ['lost, then refused', ['NET_RESET', 'REMOTE_FAILED'], [false], ['REMOTE_FAILED', 2, 3]],
    ['lost, no read-back', ['NET_RESET'], ['NET_REFUSED'], ['UNKNOWN_OUTCOME', 1, 1]],
    ['not sent, and looked for until the platform is back', ['unsent', 'ok'], [false], ['ok', 2, 1]],
    ['not sent twice', ['unsent', 'unsent'], [false], ['NET_REFUSED', 2, 1]],
    ['not sent, and nobody there to look at', ['unsent'], ['NET_RESET'], ['NET_REFUSED', 1, 1]],
    ['not available', ['UNAVAILABLE', 'ok'], [false], ['ok', 2, 3]],
    ['late and applied', ['NET_TIMEOUT'], [false, true], ['ok', 1, 2]],
    ['late, perhaps still at work', ['NET_TIMEOUT'], [false], ['UNKNOWN_OUTCOME', 1, 3]],
    ['too slow, perhaps still at work', ['NET_SLOW'], [false], ['UNKNOWN_OUTCOME', 1, 3]],
  ] as const)('that is %s', async (_, answers, looks, expected) => {
    expect(await run(answers, looks)).toEqual(expected);
  });

  it.each<[status: number, code: ErrorCode, isApplied: boolean, expected: readonly unknown[]]>([
    [408, 'REMOTE_FAILED', true, ['ok', 1]],
    [408, 'REMOTE_FAILED', false, ['UNKNOWN_OUTCOME', 1]],
    [524, 'REMOTE_FAILED', false, ['UNKNOWN_OUTCOME', 1]],
    [520, 'REMOTE_FAILED', false, ['ok', 2]],
    [505, 'REMOTE_FAILED', true, ['ok', 1]],
    [501, 'REMOTE_FAILED', true, ['REMOTE_FAILED', 1]],
    [200, 'BAD_ENCODING', true, ['ok', 1]],
    [299, 'TOO_LARGE', true, ['ok', 1]],
    [300, 'TOO_LARGE', true, ['TOO_LARGE', 1]],
    [199, 'TOO_LARGE', true, ['TOO_LARGE', 1]],
  ])('that is answered with %i %s, applied: %s', async (status, code, isApplied, expected) => {
    let sent = 0;
    const send = async (): Promise<void> => {
      if (++sent === 1) throw new CliError(code, 'it failed', { request: { method: 'PUT', url: 'http://x', status } });
    };
    const end = await sendOnce('the write', contextWith(), send, async () => isApplied).then(
      () => 'ok',
      (error: unknown) => (error as CliError).code,
    );
    expect([end, sent]).toEqual(expected);
  });

  it.each([
    [5000, 'NET_RESET', false, 'ok', 2],
    [5001, 'NET_RESET', false, 'UNKNOWN_OUTCOME', 1],
    [60_000, 'UNAVAILABLE', false, 'UNKNOWN_OUTCOME', 1],
    [60_000, 'NET_RESET', true, 'ok', 1],
    [60_000, 'unsent', false, 'ok', 2],
  ] as const)('that is lost after %i ms with %s (applied: %s) is %s', async (took, how, seen, expected, sends) => {
    let [now, sent] = [0, 0];
    const context = contextWith({ clock: { monotonic: () => now } });
    const send = async (): Promise<void> => {
      sent += 1;
      if (sent > 1) return;
      now += took;
      throw how === 'unsent' ? unsent() : errorWith(how);
    };
    const end = sendOnce('the write', context, send, async () => seen).then(() => 'ok');
    expect([await end.catch((error: unknown) => (error as CliError).code), sent]).toEqual([expected, sends]);
  });

  it('with unknown outcome tells what goes on, as its sender knows it', async () => {
    const sending = { ...contextWith(), goOn: 'cdapctl upgrade --only-failed' };
    const send = () => Promise.reject(errorWith('NET_TIMEOUT'));
    const end = sendOnce('the write', sending, send, async () => false);
    await expect(end).rejects.toMatchObject({ details: { hints: ['cdapctl upgrade --only-failed'] } });
  });

  it.each([
    [false, 'UNKNOWN_OUTCOME'],
    [true, 'ok'],
  ])('that ran into the time limit of a gateway is not sent again (applied: %s)', async (applied, expected) => {
    let sent = 0;
    const send = async (): Promise<void> => {
      sent += 1;
      const request = { method: 'PUT', url: 'u', status: 504 };
      if (sent === 1) throw new CliError('UNAVAILABLE', 'gateway timeout', { request });
    };
    const end = sendOnce('the write', contextWith(), send, async () => applied).then(() => 'ok');
    expect([await end.catch((error: unknown) => (error as CliError).code), sent]).toEqual([expected, 1]);
  });

  it.each(['NET_TIMEOUT', 'NET_REFUSED', 'LOCAL_IO'] as const)('that never left keeps its code: %s', async (code) => {
    const error = new CliError(code, 'it did not leave', { sent: 'no' });
    const failing = (): Promise<never> => Promise.reject(error);
    const records: RequestRecord[] = [];
    const platform = recordWrites({ ...NO_PLATFORM, call: failing }, CLOCK, records);
    const { signal } = new AbortController();
    const send = () => platform.call(putApplication, { namespace: 'a', application: 'b', request: '' }, signal);
    const end = sendOnce('the write', contextWith(), send, async () => Promise.reject(errorWith('NET_REFUSED')));
    await expect(end).rejects.toBe(error);
    expect(records).toEqual([]);
  });

  it.each<[number, Look, string]>([
    [400, true, 'ok'],
    [500, true, 'ok'],
    [500, false, 'REMOTE_FAILED'],
    [400, 'NET_REFUSED', 'UNKNOWN_OUTCOME'],
    [500, 'AUTH', 'UNKNOWN_OUTCOME'],
    [500, 'CHANGED_MEANWHILE', 'REMOTE_FAILED'],
    [413, true, 'REMOTE_FAILED'],
    [413, 'NET_REFUSED', 'REMOTE_FAILED'],
  ])('that deploys and is answered with %i is looked at (applied: %s)', async (status, look, expected) => {
    const request = { method: 'PUT', url: 'u', status };
    const send = () => Promise.reject(new CliError('REMOTE_FAILED', 'no', { request, serverSaid: 'bad' }));
    const applied = async (): Promise<boolean> => {
      if (typeof look === 'string') throw errorWith(look);
      return look;
    };
    // As it is used: within a write that would look and send again where an answer was lost.
    const end = sendOnce('the deploy', contextWith(), () => sendDeploy('the deploy', send, applied), applied);
    const error = await end.catch((failure: unknown) => failure as CliError);
    expect(error?.code ?? 'ok').toBe(expected);
    if (error) expect(error.details).toMatchObject({ request, serverSaid: 'bad' });
  });

  it('is never sent a third time, whatever happens', async () => {
    const codes: readonly ErrorCode[] = [
      'NET_RESET',
      'NET_SHORT',
      'NET_PROTO',
      'NET_REFUSED',
      'UNAVAILABLE',
      'CONFLICT',
    ];
    for (const first of codes)
      for (const second of codes) {
        const [, sent] = await run([first, second, 'ok'], [false]);
        expect(sent, `${first} ${second}`).toBeLessThanOrEqual(2);
      }
  });
});

describe('a patient platform', () => {
  const failing = (code: ErrorCode, times: number): { platform: Platform; asked: () => number } => {
    let asked = 0;
    const call = async (): Promise<never> => {
      asked += 1;
      if (asked <= times) throw errorWith(code);
      return { version: '6.11.0' } as never;
    };
    return { platform: { ...NO_PLATFORM, call, find: call }, asked: () => asked };
  };
  const { signal } = new AbortController();

  it('waits about a minute for a platform that is away, and says so', async () => {
    const { platform, asked } = failing('NET_REFUSED', 6);
    const context = contextWith();
    const { wait, waits, warnings } = context;
    const patient = patientPlatform(platform, wait, context);
    expect(await patient.call(getVersion, {}, signal)).toEqual({ version: '6.11.0' });
    expect(asked()).toBe(7);
    expect(waits.reduce((sum, pause) => sum + pause)).toBe(45_000);
    expect(warnings).toHaveLength(6);
  });

  it('waits for the answer of a POST that only asks, too', async () => {
    const { platform, asked } = failing('NET_REFUSED', 6);
    const context = contextWith();
    await patientPlatform(platform, context.wait, context).call(getStatuses, { namespace: 'etl', items: [] }, signal);
    expect(asked()).toBe(7);
  });

  it('gives up then, with the cause', async () => {
    const { platform } = failing('UNAVAILABLE', 99);
    const context = contextWith();
    await expect(patientPlatform(platform, context.wait, context).find(getVersion, {}, signal)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });

  it.each(['REMOTE_FAILED', 'AUTH', 'BAD_ANSWER', 'TLS'] as const)('does not wait after %s', async (code) => {
    const { platform, asked } = failing(code, 9);
    const context = contextWith();
    expect(await codeOf(patientPlatform(platform, context.wait, context).call(getVersion, {}, signal))).toBe(code);
    expect(asked()).toBe(1);
  });

  it('never repeats a write', async () => {
    const { platform, asked } = failing('NET_REFUSED', 9);
    const context = contextWith();
    const jar = { file: 'x', bytes: 1, sha256: '' };
    const upload = { namespace: 'default', name: 'a', version: '1', ...jar, parents: [], plugins: [] };
    await expect(
      patientPlatform(platform, context.wait, context).call(uploadArtifact, upload, signal),
    ).rejects.toMatchObject({
      code: 'NET_REFUSED',
    });
    expect(asked()).toBe(1);
  });

  it('is patient no longer when it is told to stop', async () => {
    const { platform } = failing('NET_REFUSED', 9);
    const stop = errorWith('INTERRUPTED');
    const patient = patientPlatform(platform, () => Promise.reject(stop), warningsTo([]));
    await expect(patient.call(getVersion, {}, signal)).rejects.toBe(stop);
  });
});
