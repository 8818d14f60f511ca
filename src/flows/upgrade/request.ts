import { readAgreedUpgrade } from '../../services/upgrade/plan/agreed-plan.js';
import type { MaxFailures } from '../../services/upgrade/failure-limit.js';
import type { PlanRequest } from '../../services/upgrade/plan/plan-upgrade.js';
import { newerRun } from '../../services/upgrade/journals/newer-run.js';
import { findLeft } from '../../services/upgrade/journals/unfinished.js';
import type { CommandContext } from '../../cli/context-types.js';
import type { UpgradeFlags } from '../../flags/upgrade.js';
import type { Session } from '../../cli/session.js';
import { readPlanFile } from '../plan-file.js';
import { newerRunText } from './commands.js';
import { previousFor } from './previous.js';
import { namedNamespace, namedPlugin, type FoundNamespace } from './selection.js';

const LARGEST_PLAN = 256 * 1024 * 1024;

/** What `upgrade` was asked to do. */
export interface UpgradeRequest extends PlanRequest {
  /** Only looks; nothing is written on the platform. */
  readonly lookOnly: boolean;
  /** Where what would be sent is written. */
  readonly dir: string | undefined;
  readonly errorDir: string | undefined;
  readonly maxFailures: MaxFailures | undefined;
  /** What was run since and may have changed the same pipelines, for the question. */
  readonly newer?: string | undefined;
}

/** Whether nothing is written on the platform. */
const isLookOnly = (flags: UpgradeFlags): boolean =>
  flags.check || flags.diff || flags['dry-run'] !== undefined || flags['plan-out'] !== undefined;

/** Whether the line, or a namespace of the environment, says which pipelines are meant. */
function isChoosing(flags: UpgradeFlags, context: FoundNamespace): boolean {
  const { pipeline, match, exclude, kind, plan } = flags;
  const named = [namedNamespace(context), pipeline, match, exclude, kind, plan];
  return flags['all-namespaces'] || named.some((value) => value !== undefined);
}

/** Where a request is made. */
export interface RequestDeps {
  readonly context: Pick<CommandContext, 'emit' | 'found' | 'stateFolder'>;
  readonly session: Pick<Session, 'argv' | 'terminal'>;
  /** The address of the platform. */
  readonly url: string;
}

/**
 * Reads from a command line what to upgrade and which earlier run to continue.
 * @throws USAGE when a flag is not valid or does not fit the earlier run
 * @throws NOT_FOUND when there is no run to continue
 */
export async function requestOf(
  flags: UpgradeFlags,
  { selection: given, maxFailures }: Pick<UpgradeRequest, 'maxFailures' | 'selection'>,
  { context, session, url }: RequestDeps,
): Promise<UpgradeRequest> {
  const isSaid = flags.pipeline?.some((pattern) => pattern.includes('/')) === true;
  const saysNamespace = flags['all-namespaces'] || isSaid || namedNamespace(context) !== undefined;
  const goingOn = { ...flags, isChoosing: isChoosing(flags, context), saysNamespace };
  const { stateFolder, emit } = context;
  const previous = await previousFor(goingOn, given, { stateFolder, url, emit, session });
  const newer = previous && (await newerRun(previous, context));
  const begun = previous?.run.selection;
  const selection = begun === undefined ? given : { ...begun, running: flags.running ?? begun.running };
  return {
    selection,
    plugins: selection.plugins.map(namedPlugin),
    lookOnly: isLookOnly(flags),
    dir: flags.dir,
    errorDir: context.found.settings.errorDir?.value,
    concurrency: flags.concurrency ?? 8,
    maxFailures,
    force: flags.force,
    previous,
    newer: newer && newerRunText(newer, session.terminal.stderr),
    left: previous === undefined ? await findLeft(stateFolder, url, emit) : new Map(),
    onlyFailed: flags['only-failed'],
    agreed:
      flags.plan === undefined
        ? undefined
        : readAgreedUpgrade(await readPlanFile(flags.plan, LARGEST_PLAN), flags.plan),
  };
}
