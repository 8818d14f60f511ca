import { CliError } from '../../core/errors.js';
import { readAgreedUpgrade, type AgreedUpgrade } from '../../services/upgrade/plan/agreed-plan.js';
import type { MaxFailures } from '../../services/upgrade/failure-limit.js';
import { newerRun } from '../../services/upgrade/journals/newer-run.js';
import { findLeft } from '../../services/upgrade/journals/unfinished.js';
import type { UpgradeSelection } from '../../state/upgrade-journal.js';
import type { ReadUpgrade, UpgradeRecord } from '../../state/read-upgrade-journal.js';
import type { CommandContext } from '../../cli/context-types.js';
import type { UpgradeFlags } from '../../flags/upgrade.js';
import type { Session } from '../../cli/session.js';
import { readPlanFile } from '../plan-file.js';
import { newerRunText } from './commands.js';
import { previousFor } from './previous.js';
import { namedNamespace, type FoundNamespace } from './selection.js';

const LARGEST_PLAN = 256 * 1024 * 1024;

/** What `upgrade` was asked to do. */
export interface UpgradeRequest {
  readonly selection: UpgradeSelection;
  /** Only looks; nothing is written on the platform. */
  readonly lookOnly: boolean;
  /** Where what would be sent is written. */
  readonly dir: string | undefined;
  readonly errorDir: string | undefined;
  readonly concurrency: number;
  readonly maxFailures: MaxFailures | undefined;
  readonly force: boolean;
  /** The run that goes on, or whose failures are tried again. */
  readonly previous: ReadUpgrade | undefined;
  /** What was run since and may have changed the same pipelines, for the question. */
  readonly newer?: string | undefined;
  /** What a run before left unfinished, by `recordKey`, where this one begins anew. */
  readonly left: ReadonlyMap<string, UpgradeRecord>;
  readonly onlyFailed: boolean;
  readonly agreed: AgreedUpgrade | undefined;
}

/**
 * Reads `--max-failures`: a count, or a share such as `10%`.
 * @throws USAGE for anything else
 */
export function maxFailuresOf(text: string | undefined): MaxFailures | undefined {
  if (text === undefined) return undefined;
  const match = /^(\d{1,9})(%?)$/u.exec(text);
  const max = { number: Number(match?.[1]), isShare: match?.[2] === '%' };
  if (match === null || (max.isShare && max.number > 100))
    throw new CliError(
      'USAGE',
      `--max-failures takes a number or a percentage such as 10%, not ${JSON.stringify(text)}`,
    );
  return max;
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
  given: UpgradeSelection,
  { context, session, url }: RequestDeps,
): Promise<UpgradeRequest> {
  const isSaid = flags.pipeline?.some((pattern) => pattern.includes('/')) === true;
  const saysNamespace = flags['all-namespaces'] || isSaid || namedNamespace(context) !== undefined;
  const goingOn = { ...flags, isChoosing: isChoosing(flags, context), saysNamespace };
  const { stateFolder, emit } = context;
  const previous = await previousFor(goingOn, given, { stateFolder, url, emit, session });
  const newer = previous && (await newerRun(previous, context));
  return {
    selection: previous?.run.selection ?? given,
    lookOnly: isLookOnly(flags),
    dir: flags.dir,
    errorDir: context.found.settings.errorDir?.value,
    concurrency: flags.concurrency ?? 8,
    maxFailures: maxFailuresOf(flags['max-failures']),
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
