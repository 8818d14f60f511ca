import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import type { ServiceEvent } from '../../../../src/core/events.js';
import { hasBecome, isMadeFrom, isSameArtifact, shownOf } from '../../../../src/services/upgrade/deployed-state.js';
import type { Hint } from '../../../../src/core/next-step.js';
import type { SavedRequest } from '../../../../src/services/upgrade/files/error-files.js';
import { deployedDigest, plannedAs } from '../../../../src/services/upgrade/plan/plan.js';
import { planRollback, rollingBack } from '../../../../src/services/upgrade/run/rollback.js';
import { fail, type RunOptions } from '../../../../src/services/upgrade/run/run.js';
import { recordKey, type UpgradeRecord } from '../../../../src/state/read-upgrade-journal.js';
import type { EndedEntry, SendingEntry } from '../../../../src/state/upgrade-journal.js';
import { NEVER } from '../../../support/clock.js';
import { failure, platformWith, told, type Reply } from '../pipelines/support.js';
import { artifact } from './support.js';
import { warningsTo } from '../../../support/warnings.js';

const [OLD, NEW] = [artifact('cdap-data-pipeline 6.10.0'), artifact('cdap-data-pipeline 6.11.0')];
const shown = (made: typeof OLD, configuration: string, appVersion?: string) => ({
  ...{ name: 'a', artifact: { ...made, scope: made.scope.toLowerCase() }, configuration },
  ...(appVersion !== undefined && { appVersion }),
});
const before = { artifact: OLD, configuration: '{"a":1}' };
const after = { artifact: NEW, configuration: '{"a":2}' };

describe('what is deployed', () => {
  it('is kept in the spelling of the journal', () => {
    expect(shownOf(shown(OLD, 'c', 'v'))).toEqual({ artifact: OLD, configuration: 'c', version: 'v' });
    const bare = { name: 'a', artifact: { ...OLD } };
    expect(Object.entries(shownOf(bare))).toEqual([
      ['artifact', OLD],
      ['configuration', ''],
    ]);
  });

  it.each([
    [{ ...OLD }, true],
    [{ ...OLD, name: 'x' }, false],
    [{ ...OLD, version: 'x' }, false],
    [{ ...OLD, scope: OLD.scope === 'SYSTEM' ? ('USER' as const) : ('SYSTEM' as const) }, false],
  ])('is made from %j: %s', (made, same) => {
    expect([isSameArtifact(OLD, made), isMadeFrom(shown(OLD, '{"a":1}'), { ...before, artifact: made })]).toEqual([
      ...[same, same],
    ]);
  });

  it('is made from a configuration, whatever its spaces', () => {
    expect(isMadeFrom(shown(OLD, '{"a":2}'), before)).toBe(false);
  });

  const sent = { before, sent: after };
  const given = (version?: string) => ({ before: { ...before, ...(version !== undefined && { version }) } });
  it.each<[string, ReturnType<typeof shown>, Parameters<typeof hasBecome>[1], boolean]>([
    ['what was sent', shown(NEW, '{"a":2}'), sent, true],
    ['something else', shown(NEW, '{"a":3}'), sent, false],
    ['nothing new, where the platform upgrades', shown(OLD, '{"a":1}'), { ...given(), to: NEW }, false],
    ['what the platform was to make of it', shown(NEW, '{"a":3}'), { ...given(), to: NEW }, true],
    ['a newer artifact than before', shown(NEW, '{"a":1}'), given(), true],
    ['another configuration of the same artifact', shown(OLD, '{"a":3}'), given(), false],
    ['the same version of it', shown(NEW, '{"a":1}', 'v1'), { ...given('v1'), to: NEW }, false],
    ['another version of it', shown(NEW, '{"a":1}', 'v2'), { ...given('v1'), to: NEW }, true],
    ['another version of it from another artifact', shown(OLD, '{"a":1}', 'v2'), { ...given('v1'), to: NEW }, false],
    ['the version that is replaced', shown(NEW, '{"a":1}', '-SNAPSHOT'), { ...given('-SNAPSHOT'), to: NEW }, true],
  ])('has become %s', (_, now, sending, became) => {
    expect(hasBecome(now, sending)).toBe(became);
  });

  it('has a digest of all that it is made from', () => {
    const digests = [
      shown(OLD, 'c'),
      shown(NEW, 'c'),
      shown(OLD, 'd'),
      { ...shown(OLD, 'c'), artifact: { ...OLD, name: 'x' } },
    ];
    expect(new Set(digests.map(deployedDigest)).size).toBe(4);
    expect(deployedDigest(shown(OLD, 'c', 'v1'))).toBe(deployedDigest(shown(OLD, 'c')));
  });
});

const sending: SendingEntry = {
  ...{ v: 1, at: '2024-05-02T22:00:00Z', type: 'sending', namespace: 'etl', pipeline: 'a' },
  ...{ before, sent: after, schedules: [] },
};
const record = (ended: Partial<EndedEntry> | undefined, sent: SendingEntry | undefined = sending): UpgradeRecord => {
  const end: EndedEntry = {
    ...{ v: 1, at: '2024-05-02T22:00:01Z', type: 'ended', namespace: 'etl', pipeline: 'a', state: 'done' },
    ...ended,
  };
  return {
    ...{ namespace: 'etl', pipeline: 'a', state: ended === undefined ? 'sending' : end.state },
    ...{ ended: ended === undefined ? undefined : end, sending: () => Promise.resolve(sent) },
  };
};
const APP = 'GET /v3/namespaces/etl/apps/a';

describe('a rollback that is planned', () => {
  const plan = async (of: UpgradeRecord, reply: Reply, earlier = new Map<string, UpgradeRecord>()) => {
    const { platform } = platformWith({ [APP]: reply });
    const events: ServiceEvent[] = [];
    const emit = (event: ServiceEvent) => void events.push(event);
    const options = { platform, earlier, concurrency: 2, resume: 'go on', emit, signal: NEVER };
    const [one] = await planRollback([of], options);
    return { one: one && { ...one, ...(one.error && { error: told(one.error) }) }, events };
  };
  const ref = (made: typeof OLD) => ({ namespace: 'etl', name: 'a', artifact: made, version: undefined });
  const is = (made: typeof OLD, configuration: string): Reply => ({ json: shown(made, configuration) });
  const digest = (made: typeof OLD, configuration: string): string => deployedDigest(shown(made, configuration));
  const target = { namespace: 'etl', pipeline: 'a' };

  it('puts back what the upgrade made', async () => {
    const { one, events } = await plan(record({}), is(NEW, '{"a":2}'));
    expect(one).toEqual({
      ...{ ...plannedAs(ref(NEW), 'upgrade'), to: OLD, digest: digest(NEW, '{"a":2}') },
    });
    expect(events).toEqual([{ type: 'count', what: 'pipelines read', done: 1, of: undefined, failed: 0 }]);
  });

  it('knows what was read back where that is another one than was sent', async () => {
    const other = { artifact: NEW, configuration: '{"a":9}' };
    expect((await plan(record({ after: other }), is(NEW, '{"a":9}'))).one?.state).toBe('upgrade');
    expect((await plan(record({ after: other }), is(NEW, '{"a":2}'))).one?.state).toBe('failed');
  });

  it('has nothing to do where all is as before, unless that is not finished', async () => {
    const now = is(OLD, '{"a":1}');
    expect((await plan(record({}), now)).one).toEqual(plannedAs(ref(OLD), 'current'));
    const earlier = new Map([[recordKey('etl', 'a'), record(undefined)]]);
    const settle = { ...plannedAs(ref(OLD), 'settle'), to: OLD, digest: digest(OLD, '{"a":1}') };
    expect((await plan(record({}), now, earlier)).one).toEqual(settle);
    expect((await plan(record(undefined), now)).one).toEqual(settle);
  });

  it('leaves what the upgrade did not change', async () => {
    const skipped = { reason: 'the upgrade did not change it' };
    const untouched = record({ state: 'failed', untouched: true });
    expect((await plan(untouched, is(NEW, '{"a":3}'))).one).toEqual(plannedAs(ref(NEW), 'skipped', skipped));
    expect((await plan(untouched, { status: 404 })).one).toEqual(plannedAs(ref(OLD), 'skipped', skipped));
  });

  it.each<[string, UpgradeRecord, Reply, object]>([
    [
      'was changed since',
      record({}),
      is(NEW, '{"a":3}'),
      {
        ...{ code: 'CHANGED_MEANWHILE', target },
        message: 'pipeline a was changed by someone else since the upgrade; it is not rolled back',
      },
    ],
    [
      'was never read back',
      record(undefined, { ...sending, sent: undefined }),
      is(NEW, '{"a":3}'),
      {
        ...{ code: 'UNKNOWN_OUTCOME', target, hints: ['go on'] },
        message: 'the upgraded pipeline a was never read back; resume the upgrade first',
      },
    ],
    ['is gone', record({}), { status: 404 }, { code: 'GONE', message: 'pipeline a was deleted since the upgrade' }],
  ])('is refused where it %s', async (_, of, reply, error) => {
    const { one } = await plan(of, reply);
    expect([one?.state, one?.error]).toEqual(['failed', error]);
  });

  it('leaves out what was never sent', async () => {
    const none = { ...record({}), sending: () => Promise.resolve(undefined) };
    expect((await plan(none, is(NEW, '{"a":2}'))).one).toBeUndefined();
  });

  const back = (reply: Reply, of: UpgradeRecord = record({}), stop = NEVER) => {
    const { platform } = platformWith({ [APP]: reply });
    const options = { platform, signal: NEVER, stop, records: new Map([[recordKey('etl', 'a'), of]]) };
    const one = { ...plannedAs(ref(NEW), 'upgrade'), digest: digest(NEW, '{"a":2}') };
    return rollingBack(new Map())(one, options as unknown as RunOptions);
  };

  it('is refused at its turn where it is gone or changed', async () => {
    expect(await failure(back({ status: 404 }))).toEqual({ code: 'GONE', message: 'pipeline a is gone' });
    const none = { ...record({}), sending: () => Promise.resolve(undefined) };
    expect(await failure(back(is(NEW, '{"a":2}'), none))).toEqual({ code: 'GONE', message: 'pipeline a is gone' });
    expect(await failure(back(is(NEW, '{"a":3}')))).toEqual({
      code: 'CHANGED_MEANWHILE',
      message: 'pipeline a was changed by someone else since it was read',
    });
    expect(await back(is(NEW, '{"a":2}'), record({}), AbortSignal.abort())).toEqual({ state: 'not-run' });
  });
});

describe('a pipeline that failed', () => {
  const REF = { namespace: 'etl', name: 'a', artifact: OLD, version: undefined };
  const finding = (level: 'risky' | 'blocked', stage: string) => ({ level, stage, plugin: 'p', reason: 'r' });
  const planned = { ...plannedAs(REF, 'blocked'), findings: [finding('risky', 'x'), finding('blocked', 'y')] };
  async function failing(error: CliError, save: () => Promise<string | undefined>) {
    const saved: SavedRequest<Hint>[] = [];
    const warnings: string[] = [];
    const options = {
      save: (_: unknown, request: SavedRequest<Hint>) => {
        saved.push(request);
        return save();
      },
      ...warningsTo(warnings),
    };
    return { end: await fail(planned, undefined, error, options as unknown as RunOptions), saved, warnings };
  }
  const blocked = new CliError('BLOCKED', 'no', {
    serverSaid: 'never',
    hints: [{ next: 'list-upgrades' }, 'do this'],
  });

  it('is kept with the stage, the hint and the words of the platform', async () => {
    const { end, saved } = await failing(blocked, () => Promise.resolve('f.json'));
    expect(end).toEqual({ state: 'failed', error: blocked, errorFile: 'f.json' });
    expect(saved).toEqual([
      {
        change: undefined,
        message: 'no',
        serverSaid: 'never',
        stage: 'y',
        hint: { next: 'list-upgrades' },
      },
    ]);
  });

  it('may be of unknown outcome, and kept nowhere', async () => {
    const unknown = new CliError('UNKNOWN_OUTCOME', 'who knows');
    const { end, saved } = await failing(unknown, () => Promise.resolve(undefined));
    expect([end, 'errorFile' in end]).toEqual([{ state: 'unknown', error: unknown }, false]);
    expect(saved).toEqual([{ message: 'who knows', sent: 'unknown' }]);
  });

  it('may be one that cannot be kept', async () => {
    const { end, warnings } = await failing(blocked, () => Promise.reject(new CliError('DISK_FULL', 'full')));
    expect(end).toEqual({ state: 'failed', error: blocked });
    expect(warnings).toEqual(['the request of pipeline a could not be saved: full']);
  });
});
