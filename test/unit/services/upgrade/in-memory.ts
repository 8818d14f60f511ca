import { pluginOffers } from '../../../../src/services/upgrade/plugins/available-plugins.js';
import { namedPlugin } from '../../../../src/flows/upgrade/selection.js';
import type { JudgeOptions } from '../../../../src/services/upgrade/plan/judge.js';
import type { PipelineRef } from '../../../../src/services/upgrade/pipeline.js';
import type { PlannedPipeline, PlanOptions } from '../../../../src/services/upgrade/plan/plan.js';
import { planPipelines } from '../../../../src/services/upgrade/plan/plan.js';
import type { Hint } from '../../../../src/core/next-step.js';
import type { SavedRequest } from '../../../../src/services/upgrade/files/error-files.js';
import { runPipelines, upgrading, type RunOptions } from '../../../../src/services/upgrade/run/run.js';
import type { PlanRollbackOptions } from '../../../../src/services/upgrade/run/rollback.js';
import { selectPipelines, systemArtifacts } from '../../../../src/services/upgrade/plan/select.js';
import { UpgradeEntry, type UpgradeSelection } from '../../../../src/state/upgrade-journal.js';
import { recordKey, type UpgradeRecord } from '../../../../src/state/read-upgrade-journal.js';
import { ours } from '../../../support/errors.js';
import { CLOCK, NEVER, type InMemory } from '../in-memory-platform.js';
import { warningsTo } from '../../../support/warnings.js';

export * from '../in-memory-platform.js';

export const SELECTION: UpgradeSelection = {
  match: [],
  exclude: [],
  plugins: [],
  includeCurrent: false,
  snapshots: false,
  running: 'warn',
  engine: 'client',
};

/** A run of an upgrade over all that is selected, step by step. */
export async function upgradeOf(
  { platform, capabilities }: InMemory,
  more: Partial<Omit<PlanOptions, 'selection'>> & {
    readonly selection?: Partial<UpgradeSelection>;
    readonly namespaces?: readonly string[];
  } = {},
) {
  const selection = { ...SELECTION, ...more.selection };
  const namespaces = more.namespaces ?? ['etl'];
  const artifacts = await systemArtifacts('default', platform, NEVER);
  const plugins = selection.plugins.map(namedPlugin);
  const judging: JudgeOptions = { artifacts, offers: pluginOffers(platform, NEVER), selection, plugins };
  const journal: UpgradeEntry[] = [];
  const saved: (SavedRequest<Hint> & { readonly name: string })[] = [];
  const warnings: string[] = [];
  const planning: PlanOptions = {
    ...judging,
    platform,
    records: more.records ?? new Map(),
    concurrency: more.concurrency ?? 2,
    force: more.force ?? false,
    emit: () => undefined,
    signal: NEVER,
  };
  const refs: PipelineRef[] = [];
  for await (const ref of selectPipelines(namespaces, selection, platform, NEVER)) refs.push(ref);
  const plan = (): Promise<readonly PlannedPipeline[]> =>
    planPipelines(
      (async function* () {
        yield* refs;
      })(),
      planning,
    );
  const running = (changes: Partial<RunOptions> = {}): RunOptions => ({
    platform,
    capabilities,
    journal: {
      append: async (entry) => {
        UpgradeEntry.parse(entry);
        journal.push(entry);
      },
    },
    clock: CLOCK,
    signal: NEVER,
    ...warningsTo(warnings),
    goOn: 'cdapctl upgrade --only-failed',
    resume: 'cdapctl upgrade --resume',
    records: planning.records,
    engine: 'client',
    concurrency: planning.concurrency,
    maxFailures: Infinity,
    save: async ({ name }, request) => {
      saved.push({ name, ...request });
      return `${name}.json`;
    },
    stop: NEVER,
    ...changes,
  });
  const execute = async (planned: readonly PlannedPipeline[], changes?: Partial<RunOptions>) => {
    const outcomes = await runPipelines(planned, running(changes), upgrading(judging));
    return [...outcomes].map(([{ ref }, { state, error }]) => [
      ref.name,
      error === undefined ? state : ours(error).code,
    ]);
  };
  return { refs, plan, execute, running, judging, journal, saved, warnings };
}

/** What a journal says, as if it had been read from a file. */
export function recordsOf(journal: readonly UpgradeEntry[]): ReadonlyMap<string, UpgradeRecord> {
  const records = new Map<string, UpgradeRecord>();
  for (const entry of journal) {
    if (entry.type !== 'ended' && entry.type !== 'sending') continue;
    const { namespace, pipeline } = entry;
    const sent = journal.find(
      ({ type, ...more }) => type === 'sending' && 'pipeline' in more && more.pipeline === pipeline,
    );
    const sending = () => Promise.resolve(sent?.type === 'sending' ? sent : undefined);
    const ended = entry.type === 'ended' ? entry : undefined;
    const state = ended?.state ?? 'sending';
    records.set(recordKey(namespace, pipeline), { namespace, pipeline, state, ended, sending });
  }
  return records;
}

/** What planning a rollback on a site needs. */
export const planningOf = (
  { platform }: InMemory,
  earlier: ReadonlyMap<string, UpgradeRecord> = new Map(),
): PlanRollbackOptions => ({
  platform,
  earlier,
  concurrency: 2,
  resume: 'cdapctl upgrade --resume',
  emit: () => undefined,
  signal: NEVER,
});
