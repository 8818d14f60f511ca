import { withHints } from '../../cli/connection-hints.js';
import { commandLine } from '../../cli/line/command-line.js';
import { isPath, typedPath } from '../../cli/line/local-path.js';
import { runProgram } from '../../cli/child-program.js';
import type { CommandContext } from '../../cli/context-types.js';
import type { Session } from '../../cli/session.js';
import { counted } from '../../core/counted.js';
import { CliError } from '../../core/errors.js';
import { isInside } from '../../core/files/inside.js';
import { commandWords } from '../../config/command-words.js';
import { warnOfStale } from '../../services/hosting/build/stale-catalog.js';
import { refuseWrongSignatures } from '../../services/hosting/publish/check-signatures.js';
import { refuseEdited } from '../../services/hosting/publish/edited-files.js';
import { refuseExpired } from '../../services/hosting/publish/expired-index.js';
import { folderTarget, isMarked } from '../../services/hosting/publish/folder-target.js';
import { planPublication, refuseStaying, type PublishPlan } from '../../services/hosting/publish/plan.js';
import { pendingRemovals, type PendingRemovals } from '../../services/hosting/publish/pending-removals.js';
import { programTarget } from '../../services/hosting/publish/program-target.js';
import {
  removeGone,
  uploadPlan,
  type Publication,
  type PublishOptions,
  type PublishTarget,
} from '../../services/hosting/publish/publish.js';
import { refuseRepublished } from '../../services/hosting/publish/republished.js';
import { placesIn, readTreeFiles } from '../../services/hosting/publish/tree-files.js';
import { takeLocks } from '../../services/writing/run-lock.js';
import type { LockName } from '../../state/lock.js';
import { lockDeps } from '../writing.js';
import { builtTree } from './built-tree.js';
import { warnOfForced } from './forced-files.js';
import { refuseForeign, warnOfOtherKeys, warnOfUnsigned } from './publish-checks.js';
import { inMade, realMade, realOr } from './real-folder.js';

/** What is published and where, as it was named on the line. */
export interface HubPublishOptions extends Pick<PublishOptions, 'prune' | 'grace' | 'concurrency'> {
  readonly folder: string;
  readonly target: string | undefined;
  readonly command: string | undefined;
  readonly removeCommand: string | undefined;
  /** Whether the context names the published hub. */
  readonly against: boolean;
  /** Files of published versions that may change, as `NAME/VERSION/FILE`. */
  readonly forced: readonly string[];
}

/** Milliseconds for one file. */
const LIMIT = 3_600_000;

type PublishContext = Pick<CommandContext, 'consent' | 'emit' | 'hubs' | 'stateFolder'>;
type PublishSession = Pick<Session, 'clock' | 'env' | 'signal'>;

interface Place {
  readonly root: string;
  /** The real path of the folder that is published into, if it is one. */
  readonly into: string | undefined;
  readonly target: PublishTarget;
  /** Of a hub whose index alone tells what is there. */
  readonly pending: PendingRemovals | undefined;
}

/** The plan alone; nothing is written and no lock taken. */
export async function plannedPublication(
  options: HubPublishOptions,
  context: PublishContext,
  session: PublishSession,
): Promise<PublishPlan> {
  return (await planOf(await placeOf(options, context, session, realOr), options, context, session)).plan;
}

/**
 * Publishes while no other run writes into the same folders, nor another user into the target. The tree is free again
 * before the wait for removals. A folder that was made for a refused publication is removed.
 */
export function publishFor(
  options: HubPublishOptions,
  context: PublishContext,
  session: PublishSession,
): Promise<Done> {
  const work = (): Promise<Done> => publishInto(options, context, session);
  return options.target === undefined || options.command !== undefined ? work() : inMade(options.target, work);
}

type Done = Publication & { readonly folder: string; readonly target: string };

async function publishInto(
  options: HubPublishOptions,
  context: PublishContext,
  session: PublishSession,
): Promise<Done> {
  const place = await placeOf(options, context, session, realMade);
  const { root, into, target, pending } = place;
  const names: LockName[] = pending === undefined ? [] : [{ kind: 'file', path: pending.file }];
  if (into !== undefined) names.push({ kind: 'folder', path: into }, { kind: 'shared folder', path: into });
  const locks = await takeLocks(names, lockDeps(context, session));
  try {
    const { plan, how, uploaded } = await uploadTree(place, options, context, session);
    const { removed, left } = await removeGone(plan, target, how, session.signal);
    await pending?.write(left);
    const gone = [...plan.dropped.map(({ path }) => path), ...removed];
    return { folder: root, target: shownTarget(target), uploaded, kept: plan.kept, removed: gone, left };
  } finally {
    await locks.release();
  }
}

/** Plans, asks and uploads while no other run writes into the tree. */
async function uploadTree(
  place: Place,
  options: HubPublishOptions,
  context: PublishContext,
  session: PublishSession,
): Promise<{ readonly plan: PublishPlan; readonly how: PublishOptions; readonly uploaded: readonly string[] }> {
  const { root, target } = place;
  const { clock, signal } = session;
  const locks = await takeLocks([{ kind: 'folder', path: root }], lockDeps(context, session));
  try {
    const { plan, ...known } = await planOf(place, options, context, session);
    if (options.prune && plan.removals.length > 0) await context.consent.ask({ deed: deedOf(plan, target.label) });
    const how = { ...options, clock, emit: context.emit, ...known };
    return { plan, how, uploaded: await continuing(place, () => uploadPlan(plan, target, how, signal)) };
  } finally {
    await locks.release();
  }
}

/** What is asked for, with the first file by name. */
function deedOf({ removals }: PublishPlan, where: string): string {
  const [first = '', ...others] = removals.map(({ path }) => path);
  const what = others.length === 0 ? first : `${counted(removals.length, 'file')} (${first}, ...)`;
  return `remove ${what} from ${where}`;
}

interface PlannedPublication extends Pick<PublishOptions, 'basis' | 'isFirst'> {
  readonly plan: PublishPlan;
}

async function planOf(
  place: Place,
  { prune, forced }: HubPublishOptions,
  { emit }: PublishContext,
  { clock, signal }: PublishSession,
): Promise<PlannedPublication> {
  const { root, target, pending } = place;
  const now = clock.now();
  const tree = await readTreeFiles(root, signal);
  const published = await target.published(signal);
  const before = await pending?.read();
  const plan = await continuing(place, async () => planPublication(tree, published, before));
  if (target.remove === undefined) refuseStaying(plan);
  refuseRepublished(tree, published, forced, nearPath(target));
  if (plan.files.length + plan.replaced.length + plan.front.length > 0)
    refuseExpired(root, typedPath(root), tree.index, now);
  if (target.isOwn?.() === false) {
    if (isMarked(root)) refuseEdited(plan, published, nearPath(target));
    if (prune) refuseForeign(plan, nearPath(target));
  }
  await warnOfForced(root, { forced, published: published.index }, emit);
  warnOfUnsigned(root, tree, emit);
  warnOfOtherKeys(tree.index, published.index, emit);
  await warnOfStale(root, placesIn(tree), emit, signal);
  await refuseWrongSignatures(root, plan, tree, new Date(now), signal);
  const isFirst = target.isFolder === true && published.files.size === 0;
  return { plan, isFirst, basis: target.isShared && { tree, published, pending } };
}

/** Tells with a ROLLBACK how the number of the published index is continued. */
async function continuing<T>({ root, target }: Place, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'ROLLBACK') throw error;
    const { sequences } = error.details;
    const force = sequences !== undefined && sequences.tree < sequences.published ? ['--force'] : [];
    const words = ['hub', 'sign', typedPath(root), '--against', nearPath(target), ...force, '--key', 'FILE'];
    throw withHints(error, [`if this tree has all its changes, to continue the number: ${commandLine(words)}`]);
  }
}

/** A target as it may be typed where a hub is named. */
function nearPath(target: PublishTarget): string {
  const near = shownTarget(target);
  return target.isFolder === true && !isPath(near) ? `./${near}` : near;
}

const shownTarget = ({ label, isFolder }: PublishTarget): string => (isFolder === true ? typedPath(label) : label);

async function placeOf(
  { folder, target, command, removeCommand, against }: HubPublishOptions,
  { hubs, stateFolder }: PublishContext,
  { env }: PublishSession,
  realFolder: (path: string) => Promise<string>,
): Promise<Place> {
  const root = await builtTree(folder, target === undefined && command === undefined);
  if (command === undefined) {
    if (target === undefined)
      throw new CliError('USAGE', 'specify the folder to publish to, or --command', {
        hints: [commandLine(['hub', 'publish', folder, 'TARGET'])],
      });
    const into = await realFolder(target);
    if (isInside(root, into) || isInside(into, root))
      throw new CliError('USAGE', `${target} and ${folder} must not contain each other`);
    return { root, into, target: folderTarget(root, into), pending: undefined };
  }
  if (target !== undefined) throw new CliError('USAGE', 'a folder and --command cannot be used together');
  const upload = commandWords(command, '--command');
  const remove = removeCommand === undefined ? undefined : commandWords(removeCommand, '--remove-command');
  for (const words of [upload, remove])
    if (words !== undefined && !words.some((word) => word.includes('{path}')))
      throw new CliError('USAGE', `the command ${words[0]} has no {path}, the path of a file in the hub`);
  const [hub] = against ? await hubs() : [];
  const run = ([program, ...words]: typeof upload, signal: AbortSignal) =>
    runProgram(program, words, { env, signal, limit: LIMIT, isTalkative: true });
  return {
    root,
    into: undefined,
    target: programTarget({ tree: root, upload, remove, against: hub?.source, run }),
    pending: hub && pendingRemovals(stateFolder, hub.source.base),
  };
}
