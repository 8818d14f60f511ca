import { withHints } from '../../cli/connection-hints.js';
import type { CommandContext } from '../../cli/context-types.js';
import { commandLine, connectionWords } from '../../cli/line/command-line.js';
import type { Session } from '../../cli/session.js';
import { CliError } from '../../core/errors.js';
import type { RunRecord } from '../../platform/runs.js';
import {
  failureOfRun,
  pipelineWord,
  waitForRun,
  type RunPatience,
  type RunDeps,
} from '../../services/pipelines/wait.js';
import type { FoundPipeline } from '../../services/pipelines/find.js';
import { pipelineRun, type PipelineRun } from '../../services/pipelines/run-record.js';
import { targetLine } from '../target-line.js';
import type { PipelineTarget } from '../named-pipeline.js';

/** The session and the context of a command that operates a pipeline. */
export interface Operation extends PipelineTarget {
  readonly session: Pick<Session, 'argv' | 'build' | 'clock' | 'signal' | 'terminal' | 'writing'>;
  readonly context: Pick<CommandContext, 'asker' | 'consent' | 'emit'>;
}

/** A run with the pipeline that it is of. */
export type OwnedRun = PipelineRun & ReturnType<typeof ownerOf>;

/** A pipeline and its program as commands about one run show them. */
export const ownerOf = ({ namespace, name, kind }: Pick<FoundPipeline, 'namespace' | 'name' | 'kind'>) => ({
  namespace,
  pipeline: name,
  program: { type: kind.programType, name: kind.program },
});

/** A run as commands about one show it. */
export const ownedRun = (run: RunRecord, pipeline: FoundPipeline, showSecrets: boolean): OwnedRun => ({
  ...ownerOf(pipeline),
  ...pipelineRun(run, showSecrets),
});

/** The options of a wait, from an operation; with another signal where a write must not be cut. */
export const waitingOf = ({ target, session, context }: Operation, signal = session.signal): RunDeps => ({
  platform: target.platform,
  clock: session.clock,
  emit: context.emit,
  signal,
});

/** Says what is about to be changed, and where. */
export function tellTarget({ target, session, pipeline }: Operation): void {
  const { url, context, version } = target;
  session.terminal.tell(targetLine({ url, context, version, where: `namespace ${pipeline.namespace}` }));
}

/** The command that goes on watching a run, on the same platform. */
export const waitCommand = (runid: string, pipeline: FoundPipeline, { argv }: Pick<Session, 'argv'>): string =>
  commandLine(['pipeline', 'wait', pipelineWord(pipeline), runid, ...connectionWords(argv)]);

/** How the flags of a line wait for a run. */
export function runPatience(
  flags: {
    readonly timeout?: number | undefined;
    readonly interval?: number | undefined;
    readonly outage?: number | undefined;
  },
  until: RunPatience['until'],
): RunPatience {
  const { timeout = 3_600_000, interval = 5000, outage } = flags;
  return { until, timeout, interval: Math.max(interval, 100), outage };
}

/** Waits for a run. An end of the wait by Ctrl-C or by an expired login names the command that goes on. */
export async function awaitRun(runid: string, patience: RunPatience, operation: Operation): Promise<RunRecord> {
  const { session, pipeline } = operation;
  try {
    return await waitForRun(runid, pipeline, patience, waitingOf(operation));
  } catch (error) {
    const { signal } = session;
    const end: unknown = signal.aborted ? signal.reason : error;
    if (!(end instanceof CliError) || !(signal.aborted || end.code === 'AUTH')) throw error;
    throw withHints(end, [`the run continues: ${waitCommand(runid, pipeline, session)}`]);
  }
}

/** The error of a run that did not complete, with the run itself for the one document of json. */
export function runFailure(run: RunRecord, { pipeline }: Operation, item: unknown): CliError | undefined {
  const failure = failureOfRun(run, pipeline);
  return failure && new CliError(failure.code, failure.message, { ...failure.details, item });
}
