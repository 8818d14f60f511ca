import type { Clock } from '../../../core/clock.js';
import { mapConcurrent } from '../../../core/concurrency.js';
import { counted } from '../../../core/counted.js';
import { lengthText } from '../../../core/duration.js';
import { CliError, ERRORS } from '../../../core/errors.js';
import type { Emit } from '../../../core/events.js';
import type { PendingRemovals } from './pending-removals.js';
import { refuseMoved, type PublishPlan, type Published, type PublishStep } from './plan.js';
import type { TreeFiles } from './tree-files.js';
import { signedBy } from '../../../hub/signature-names.js';

/** Is told the path of each file that is in its place. */
export type Placed = (path: string) => void;

/** Where a hub is published. */
export interface PublishTarget {
  /** Folder, address or program, for messages. */
  readonly label: string;
  /** Whether the label is the path of a folder. */
  readonly isFolder?: true;
  published(signal: AbortSignal): Promise<Published>;
  /** Whether nothing else than publications put files of a hub there; absent where nobody can know. */
  isOwn?(): boolean;
  /** Whether other users may publish at the same time, as no lock keeps them out. */
  readonly isShared?: true;
  /** Puts files in their places, in this order; several appear as close together as can be. */
  upload(steps: readonly PublishStep[], placed: Placed, signal: AbortSignal): Promise<void>;
  /** Absent where nothing can be removed. */
  readonly remove: ((step: PublishStep, signal: AbortSignal) => Promise<void>) | undefined;
}

/** What a plan was made from. */
export interface PublishBasis {
  readonly tree: TreeFiles;
  readonly published: Published;
  /** Of a hub whose index alone tells what is there. */
  readonly pending: PendingRemovals | undefined;
}

/** How a plan is carried out. */
export interface PublishOptions {
  readonly prune: boolean;
  /** Milliseconds between the new index and removals, for clients with an old catalog. */
  readonly grace: number;
  readonly concurrency: number;
  readonly clock: Clock;
  readonly emit: Emit;
  /** What the plan was made from. The published hub is compared with it again when all new files are there. */
  readonly basis?: PublishBasis | undefined;
  /** Whether the target is known to have had no hub before. */
  readonly isFirst?: boolean;
}

/** What was done. */
export interface Publication {
  readonly uploaded: readonly string[];
  readonly kept: number;
  readonly removed: readonly string[];
  /** What the tree no longer has and the published hub still has. */
  readonly left: readonly string[];
}

type Removals = Pick<Publication, 'removed' | 'left'>;

/** What clients see of a publication that stopped, and what to do. */
const ADVICE = {
  first: 'clients see nothing of the hub yet: to continue, run the same command again',
  files: 'clients still see the previous hub: to continue, run the same command again',
  front: 'clients reject the hub until it is complete: run the same command again now',
  removals: 'the hub is published: to remove the remaining files, run the same command again',
};
const UNSEEN: ReadonlySet<string> = new Set([ADVICE.first, ADVICE.files]);
/** What is wrong with the tree or the published hub itself. */
const FINAL: ReadonlySet<string> = new Set(['ROLLBACK', 'CHANGED_MEANWHILE']);
/** Errors of this machine keep their code. */
const LOCAL = 13;

/**
 * Carries out a plan; what clients read first comes when all else is there. Run again, it continues where it stopped.
 * @throws as `uploadPlan` and `removeGone`
 */
export async function publish(
  plan: PublishPlan,
  target: PublishTarget,
  options: PublishOptions,
  signal: AbortSignal,
): Promise<Publication> {
  const uploaded = await uploadPlan(plan, target, options, signal);
  const { removed, left } = await removeGone(plan, target, options, signal);
  return { uploaded, kept: plan.kept, removed: [...plan.dropped.map(({ path }) => path), ...removed], left };
}

/**
 * Puts all files of a plan in their places; gives their paths.
 * @throws ROLLBACK, CHANGED_MEANWHILE; PARTIAL with the first failure where some are there, else that failure; those of
 * this machine
 */
export async function uploadPlan(
  { files, dropped, replaced, front, removals }: PublishPlan,
  target: PublishTarget,
  options: PublishOptions,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const uploaded: string[] = [];
  const placed: Placed = (path) => void uploaded.push(path);
  const one = (step: PublishStep, stop: AbortSignal): Promise<void> => target.upload([step], placed, stop);
  try {
    for await (const _ of mapConcurrent(files, options.concurrency, one, signal));
    signal.throwIfAborted();
    if (options.basis !== undefined) await lookAgain(removals, target, options.basis, signal);
    // Before the content, so that a run that is killed in between does it again.
    for (const step of dropped) {
      signal.throwIfAborted();
      await target.remove?.(step, signal);
    }
    // A folder gets them with the front. A program needs a second for each.
    if (target.isShared === true) for await (const _ of mapConcurrent(replaced, options.concurrency, one, signal));
    await target.upload(target.isShared === true ? front : [...replaced, ...front], placed, signal);
  } catch (error) {
    const done = `${uploaded.length} of ${files.length + replaced.length + front.length} files published`;
    const before = options.isFirst === true ? ADVICE.first : ADVICE.files;
    const advice = uploaded.length > files.length ? ADVICE.front : before;
    throw uploaded.length === 0 ? error : stopped(error, done, advice, signal);
  }
  return [...files, ...replaced, ...front].map(({ path }) => path);
}

/** Looks whether another user has published meanwhile. */
async function lookAgain(
  removals: readonly PublishStep[],
  target: PublishTarget,
  { tree, published, pending }: PublishBasis,
  signal: AbortSignal,
): Promise<void> {
  refuseMoved(tree, published, await target.published(signal));
  // Once the new index is there, nothing else tells of them.
  await pending?.write(removals.map(({ path }) => path));
}

/**
 * Removes what the tree no longer has, when the time for old catalogs is over. What the published hub then lists stays:
 * another user has published it meanwhile.
 * @throws PARTIAL with the first failure; those of this machine
 */
export async function removeGone(
  { removals }: Pick<PublishPlan, 'removals'>,
  target: PublishTarget,
  options: PublishOptions,
  signal: AbortSignal,
): Promise<Removals> {
  const left = removals.map(({ path }) => path);
  if (!options.prune || removals.length === 0) return { removed: [], left };
  const removed: string[] = [];
  try {
    await waitFor(options, removals.length, signal);
    const gone = target.isShared === true ? await stillGone(removals, target, signal) : removals;
    for (const step of gone) {
      signal.throwIfAborted();
      await target.remove?.(step, signal);
      removed.push(step.path);
    }
    if (gone.length < removals.length)
      options.emit({
        type: 'note',
        message: `note: ${counted(removals.length - gone.length, 'file')} not removed: the published index is not that of this tree`,
      });
    const done = new Set(removed);
    return { removed, left: left.filter((path) => !done.has(path)) };
  } catch (error) {
    throw stopped(error, `${removed.length} of ${removals.length} files removed`, ADVICE.removals, signal);
  }
}

async function stillGone(
  removals: readonly PublishStep[],
  target: PublishTarget,
  signal: AbortSignal,
): Promise<readonly PublishStep[]> {
  const { files, index } = await target.published(signal);
  if (index === undefined) return [];
  return removals.filter(({ path }) => !files.has(path) && !files.has(signedBy(path) ?? path));
}

async function waitFor({ grace, clock, emit }: PublishOptions, count: number, signal: AbortSignal): Promise<void> {
  if (grace === 0) return;
  const message = `note: ${counted(count, 'file')} will be removed in ${lengthText(grace / 1000)}; the hub is published`;
  emit({ type: 'note', message });
  await clock.sleep(grace, signal);
}

function stopped(error: unknown, done: string, advice: string, signal: AbortSignal): unknown {
  // Run again, it would not continue, and nobody has seen anything of it.
  const isFinal = !(error instanceof CliError) || (UNSEEN.has(advice) && FINAL.has(error.code));
  if (signal.aborted || isFinal) return error;
  const code = ERRORS[error.code].exit < LOCAL ? 'PARTIAL' : error.code;
  const hints = [...(code === 'PARTIAL' ? [] : (error.details.hints ?? [])), advice];
  return new CliError(code, `${done}; then: ${error.message}`, { ...error.details, hints });
}
