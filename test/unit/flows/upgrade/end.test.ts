import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { endUpgrade } from '../../../../src/flows/upgrade/end.js';
import { probeOutputs } from '../../../../src/flows/probe-outputs.js';
import { KeptErrors } from '../../../../src/services/upgrade/files/local-failures.js';
import { CliError, type ErrorCode } from '../../../../src/core/errors.js';
import type { UpgradeResult } from '../../../../src/services/upgrade/upgrade-result.js';
import { fakeTerminal } from '../../../support/processes/terminal.js';
import { NEVER } from '../../services/upgrade/in-memory.js';
import { temporaryFolder } from '../../state/support.js';
import { codeOf, errorOf } from '../../../support/errors.js';

const root = temporaryFolder();
let home = '';
beforeEach(() => {
  home = mkdtempSync(join(root, 'end-'));
});

const result = (failed: number): UpgradeResult => ({
  command: 'upgrade',
  target: { url: 'http://platform.example', namespaceFrom: 'all namespaces', platformVersion: '6.11.0' },
  engine: 'client',
  state: failed === 0 ? 'done' : 'partial',
  summary: { total: 1, planned: 0, upgraded: 1 - failed, failed, current: 0, skipped: 0, notRun: 0 },
  pipelines: [],
});

interface Ended {
  readonly ignore?: boolean;
  /** Pipelines that were not tried, and that a rollback left to another journal. */
  readonly notRun?: number;
  readonly elsewhere?: UpgradeResult['elsewhere'];
  readonly state?: 'unknown';
  readonly signal?: AbortSignal;
}

async function end(failed: number, junit: string | undefined, code: ErrorCode | undefined, more: Ended = {}) {
  const warnings: string[] = [];
  const keeping = new KeptErrors((event) => event.type === 'warning' && warnings.push(event.message));
  if (code !== undefined) await keeping.attempt(() => Promise.reject(new CliError(code, 'cannot write')));
  const { signal = NEVER, state, ignore = false, notRun = 0, elsewhere } = more;
  const session = { argv: [], env: {}, terminal: fakeTerminal(), signal };
  const ended = result(failed);
  const one = { namespace: 'etl', name: 'a', artifact: 'x', from: '1.0.0', durationMs: 0 } as const;
  const pipelines = state === undefined ? [] : [{ ...one, state, changes: [], findings: [], notes: [] }];
  const cut = signal.aborted ? { state: 'cancelled' as const } : {};
  const { error, view } = await endUpgrade(
    { ...ended, ...cut, pipelines, summary: { ...ended.summary, notRun }, ...(elsewhere && { elsewhere }) },
    { session, keeping, flags: { diff: false, junit, 'ignore-failures': ignore } },
  );
  return { error, view, warnings };
}

describe('the end of an upgrade of which something could not be kept', () => {
  it.each([
    [0, undefined, undefined],
    [0, 'DISK_FULL', 'DISK_FULL'],
    [1, 'DISK_FULL', 'DISK_FULL'],
    [1, undefined, 'PARTIAL'],
  ] as const)('with %d failures and %s is %s, with its result', async (failed, code, expected) => {
    const { error, view } = await end(failed, undefined, code);
    expect(error?.code).toBe(expected);
    expect(view).toBeDefined();
    if (error !== undefined) expect(error.details.item).toEqual(result(failed));
  });

  const stopped = AbortSignal.abort(new CliError('INTERRUPTED', 'stopped by Ctrl-C'));

  it.each([
    ['DISK_FULL', { ignore: true }, 'DISK_FULL'],
    [undefined, { ignore: true }, undefined],
    [undefined, { ignore: true, notRun: 1 }, 'PARTIAL'],
    [
      undefined,
      { ignore: true, elsewhere: [{ journal: 'j', pipelines: [{ namespace: 'etl', name: 'b' }] }] },
      'PARTIAL',
    ],
    ['DISK_FULL', { state: 'unknown' }, 'UNKNOWN_OUTCOME'],
    ['DISK_FULL', { signal: stopped }, 'INTERRUPTED'],
  ] as const)('with %s and %o is %s', async (code, more, expected) => {
    expect((await end(1, undefined, code, more)).error?.code).toBe(expected);
  });

  it('is told where the report has become impossible to write', async () => {
    const { error, view, warnings } = await end(0, join(home, 'no', 'report.xml'), undefined);
    expect([error?.code, view !== undefined, warnings.length]).toEqual(['LOCAL_IO', true, 1]);
  });
});

describe('what is to be written besides', () => {
  it('is proved before the first request and leaves nothing behind (L04)', async () => {
    await probeOutputs({ junit: join(home, 'report.xml'), 'plan-out': join(home, 'plan.json') });
    expect(readdirSync(home)).toEqual([]);
  });

  it.each(['junit', 'plan-out'] as const)('is refused in a folder that is not there: --%s', async (flag) => {
    const file = join(home, 'no', 'file');
    expect(await codeOf(() => probeOutputs({ [flag]: file }))).toBe('LOCAL_IO');
    expect(existsSync(join(home, 'no'))).toBe(false);
  });

  it('may replace a report, and no plan (L09)', async () => {
    const file = join(home, 'there');
    writeFileSync(file, '');
    await probeOutputs({ junit: file });
    const { code, details } = await errorOf(() => probeOutputs({ 'plan-out': file }));
    expect([code, details.hints]).toEqual(['EXISTS', ['name another file']]);
  });
});
