import type { CliError } from '../../../core/errors.js';
import { largestOf } from '../../../core/collections.js';
import type { ArtifactName, Note, PipelineOutcome, StageFinding } from '../pipeline.js';
import type { UpgradedPipeline, UpgradeResult, UpgradeSummary, UpgradeTarget } from '../upgrade-result.js';
import type { PlannedPipeline } from './plan.js';

/** What a result says besides its pipelines. */
export interface ResultDeps {
  readonly command: 'upgrade' | 'rollback';
  readonly target: UpgradeTarget;
  readonly engine: 'client' | 'server';
}

const LEVELS = { blocked: 2, risky: 1 } as const;

function verdictOf(findings: readonly StageFinding[]): 'safe' | 'risky' | 'blocked' {
  const worst = largestOf([0, ...findings.map(({ level }) => LEVELS[level])]);
  return worst === 2 ? 'blocked' : worst === 1 ? 'risky' : 'safe';
}

const stageText = ({ stage, reason }: StageFinding): string => `stage ${JSON.stringify(stage)}: ${reason}`;

/** A note as a line: the stage that it is about, what is to be known. */
const noteText = ({ stage, message }: Note): string =>
  stage === undefined ? message : `stage ${JSON.stringify(stage)}: ${message}`;

/** The first of several lines, and how many more there are. */
const firstOf = ([first = '', ...more]: readonly string[]): string =>
  more.length === 0 ? first : `${first} (and ${more.length} more in json)`;

/** An error with the first line of the platform's message. */
function errorText({ message, details }: CliError): string {
  const [words = ''] = (details.serverSaid ?? '').split('\n');
  return words === '' ? message : `${message}: ${words}`;
}

/** The one line that a person reads of a pipeline. */
function detailOf(planned: PlannedPipeline, outcome: PipelineOutcome | undefined): string | undefined {
  const error = outcome?.error ?? planned.error;
  if (error !== undefined) return errorText(error);
  const blocked = planned.findings.find(({ level }) => level === 'blocked');
  if (planned.state === 'blocked' && blocked !== undefined) return stageText(blocked);
  const reason = outcome?.reason ?? planned.reason;
  if (reason !== undefined) return reason;
  const became = outcome?.notes;
  if (became !== undefined && became.length > 0) return firstOf(became.map(noteText));
  if (outcome?.settled === true) return 'was sent by the interrupted run';
  if (planned.state === 'earlier') return 'by an earlier run of this journal';
  if (planned.isRunning === true) return 'is running; the new version applies from the next start';
  const risky = planned.findings[0];
  if (risky !== undefined) return stageText(risky);
  // What a plan says of the choice to come is over once it was read back.
  return became === undefined ? planned.notes[0]?.message : undefined;
}

const PLANNED_STATES = {
  upgrade: 'planned',
  settle: 'planned',
  earlier: 'upgraded',
  blocked: 'blocked',
  failed: 'failed',
  current: 'current',
  skipped: 'skipped',
  untried: 'not-run',
} as const satisfies Record<PlannedPipeline['state'], UpgradedPipeline['state']>;

const namedText = ({ version, artifact }: NonNullable<PlannedPipeline['staysBehind']>[number]) => ({
  version,
  artifact: artifact.name,
  from: artifact.version,
});

/** A pipeline of a plan, with what became of it where it was tried. */
export function upgradedPipeline(
  planned: PlannedPipeline,
  command: UpgradeResult['command'],
  outcome?: PipelineOutcome,
): UpgradedPipeline {
  const { ref, to, findings, isRunning, staysBehind } = planned;
  const { changes = planned.changes, notes = planned.notes } = outcome ?? {};
  const error = outcome?.error ?? planned.error;
  const status = error?.details.request?.status;
  const detail = detailOf(planned, outcome);
  const judged = command === 'upgrade' && (planned.state === 'upgrade' || planned.state === 'blocked');
  const isUnjudged = planned.isUnjudged === true;
  return {
    namespace: ref.namespace,
    name: ref.name,
    artifact: ref.artifact.name,
    from: ref.artifact.version,
    ...(to !== undefined && { to: to.version }),
    state: outcome?.state ?? PLANNED_STATES[planned.state],
    ...(judged && { verdict: isUnjudged ? 'unjudged' : verdictOf(findings) }),
    ...(detail !== undefined && { detail }),
    ...(isRunning === true && { running: true }),
    ...((planned.isLeftOut ?? outcome?.state === 'skipped') && { leftOut: true as const }),
    ...(staysBehind !== undefined && { staysBehind: staysBehind.map(namedText) }),
    ...(outcome === undefined && planned.digest !== undefined && { digest: planned.digest }),
    changes,
    findings,
    notes,
    ...(error !== undefined && {
      error: { code: error.code, ...(status !== undefined && { status }), message: error.message },
    }),
    ...(outcome?.errorFile !== undefined && { errorFile: outcome.errorFile }),
    durationMs: outcome?.durationMs ?? 0,
  };
}

/** Counts pipelines by state. */
export function summaryOf(pipelines: readonly UpgradedPipeline[]): UpgradeSummary {
  const count = (...states: readonly UpgradedPipeline['state'][]): number =>
    pipelines.filter(({ state }) => states.includes(state)).length;
  return {
    total: pipelines.length,
    planned: count('planned'),
    upgraded: count('upgraded', 'rolled-back'),
    failed: count('failed', 'blocked', 'unknown'),
    current: count('current'),
    skipped: count('skipped'),
    notRun: count('not-run'),
  };
}

/** An artifact of a pipeline with its version, for people. */
export const artifactText = ({ name, version }: Pick<ArtifactName, 'name' | 'version'>): string => `${name} ${version}`;

/** A plan as a result. */
export function plannedResult(planned: readonly PlannedPipeline[], deps: ResultDeps): UpgradeResult {
  const { command, target, engine } = deps;
  const pipelines = planned.map((one) => upgradedPipeline(one, command));
  return { command, target, engine, state: 'planned', summary: summaryOf(pipelines), pipelines };
}
