import { describe, expect, it } from 'vitest';
import { planUpgrade, type PlanRequest } from '../../../../../src/services/upgrade/plan/plan-upgrade.js';
import type { UpgradeEntry, UpgradeSelection } from '../../../../../src/state/upgrade-journal.js';
import { errorOf, saidBy } from '../../../../support/errors.js';
import { oneStep, olderPipeline, stepArtifacts } from '../../../../support/sites/upgrade-seed.js';
import { CLOCK, inMemory, NEVER, recordsOf, SELECTION } from '../in-memory.js';

const URL = 'http://platform:11015';
const pipeline = (name: string) => olderPipeline('6.11.0', 'etl', name, oneStep('Copy'));
const only = (name: string, version: string) => ({ namespace: 'system', name, version });
const seeded = (...names: readonly string[]) =>
  inMemory({
    namespaces: ['etl'],
    artifacts: [
      ...stepArtifacts('6.11.0'),
      ...[only('cdap-data-pipeline', '6.11.1'), only('cdap-data-streams', '6.11.2'), only('other', '6.11.3')],
    ],
    applications: names.map(pipeline),
  });

const at = '2026-05-01T00:00:00.000Z';
const artifact = { name: 'cdap-data-pipeline', version: '6.10.0', scope: 'SYSTEM' } as const;
const ended = (name: string, state: 'done' | 'failed') =>
  ({ v: 1, at, type: 'ended', namespace: 'etl', pipeline: name, state }) satisfies UpgradeEntry;
const before = { artifact, configuration: '{}' };
const sent = (name: string) =>
  ({ v: 1, at, type: 'sending', namespace: 'etl', pipeline: name, schedules: [], before }) satisfies UpgradeEntry;
const RECORDS = recordsOf([
  ended('a', 'done'),
  ended('b', 'failed'),
  ...[sent('old'), ended('old', 'failed')],
  ...[sent('gone'), ended('gone', 'done')],
]);
const PREVIOUS = {
  ...{ file: 'journal', records: RECORDS, finished: true, completed: true, length: 1, lines: 1, unsealed: 0 },
  run: { v: 1, type: 'run', at, command: 'upgrade', platform: URL, platformVersion: '6.11.0' },
} as const;

async function planned(
  names: readonly string[],
  selection: Partial<UpgradeSelection> = {},
  more: Partial<PlanRequest> = {},
): Promise<readonly string[]> {
  const { platform } = seeded(...names);
  const request: PlanRequest = {
    ...{ selection: { ...SELECTION, ...selection }, plugins: [], concurrency: 2, force: false, previous: undefined },
    ...{ left: new Map(), onlyFailed: false, agreed: undefined, ...more },
  };
  const deps = { platform, url: URL, engine: 'client', clock: CLOCK, signal: NEVER, emit: () => undefined } as const;
  const plan = await planUpgrade(request, deps);
  return plan.planned.map(({ ref, state, error }) => `${ref.namespace}/${ref.name} ${error?.code ?? state}`);
}

describe('the plan of an upgrade', () => {
  it('has the pipelines of all namespaces, or of one', async () => {
    expect(await planned(['b', 'a'])).toEqual(['etl/a upgrade', 'etl/b upgrade']);
    expect(await planned(['a'], { namespace: 'default' })).toEqual([]);
  });

  it.each([
    [true, ['etl/b upgrade', 'etl/old GONE']],
    [false, ['etl/b upgrade', 'etl/new untried', 'etl/old GONE']],
  ])('of what failed has what a run that was completed (%s) did not come to', async (completed, expected) => {
    const previous = { ...PREVIOUS, finished: false, completed };
    expect(await planned(['a', 'b', 'new'], {}, { previous, onlyFailed: true })).toEqual(expected);
  });

  it('goes to a version that the platform has', async () => {
    for (const to of ['6.11.0', '6.11.1']) expect(await planned(['a'], { to })).toEqual(['etl/a upgrade']);
    expect(await planned(['a'], { to: '6.11.2' })).toEqual(['etl/a skipped']);
    for (const to of ['6.9.9', '6.11.3'])
      expect(saidBy(await errorOf(planned(['a'], { to })))).toEqual({
        code: 'NOT_FOUND',
        message: `the platform has no pipeline artifact of version ${to}`,
        hints: ['it has 6.10.0, 6.11.0, 6.11.1, 6.11.2'],
      });
  });

  it('knows only plugins that the platform has, unless it is resumed', async () => {
    const plugins = [{ name: 'nothing', version: undefined }];
    const error = await errorOf(planned(['a'], {}, { plugins }));
    expect(error.message).toBe('the platform has no artifact "nothing"');
    expect(await planned(['c'], {}, { plugins, previous: PREVIOUS })).toContain('etl/c upgrade');
  });

  it('takes up what a run left that is started over', async () => {
    expect(await planned(['a'], {}, { left: RECORDS })).toEqual(['etl/a upgrade']);
  });

  it('has, of a run that is resumed, what is gone since', async () => {
    expect(await planned(['a', 'b', 'c'], {}, { previous: PREVIOUS })).toEqual([
      'etl/a upgrade',
      'etl/b upgrade',
      'etl/c upgrade',
      'etl/old GONE',
    ]);
  });

  it('has only what failed, where failures are retried', async () => {
    const plan = await planned(['a', 'b', 'c'], {}, { previous: PREVIOUS, onlyFailed: true });
    expect(plan).toEqual(['etl/b upgrade', 'etl/old GONE']);
  });

  const agreedTo = (...names: readonly string[]): PlanRequest['agreed'] => ({
    ...{ command: 'upgrade', state: 'planned', engine: 'client', target: { url: URL } },
    pipelines: names.map((name) => ({ namespace: 'etl', name, state: 'planned', changes: [] })),
  });
  it('is the one that was agreed to', async () => {
    expect(await planned(['a'], {}, { agreed: agreedTo() })).toEqual(['etl/a skipped']);
    const error = await errorOf(planned(['a'], {}, { agreed: agreedTo('a', 'x') }));
    expect(error.details.lines).toEqual(['etl/a was changed since the plan was made', 'etl/x no longer exists']);
    expect(await planned(['c'], {}, { agreed: agreedTo('gone'), previous: PREVIOUS })).toContain('etl/c skipped');
    expect(await planned(['c'], {}, { agreed: agreedTo('x'), onlyFailed: true })).toEqual([]);
  });
});
