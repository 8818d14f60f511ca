import { join } from 'node:path';
import type { Clock } from '../../../core/clock.js';
import { CliError } from '../../../core/errors.js';
import type { HubIndex } from '../../../hub/index-file.js';
import { hasSameContent, writeIndex, type IndexContent } from '../../../hub/index-writer.js';
import { LIMITS } from '../../../hub/source.js';
import { named, warnOfStale } from '../build/stale-catalog.js';
import { PublishedFiles } from '../tree/published-files.js';
import type { MemoryPlace } from '../tree/tree-memory.js';
import { finishIndex, readPreviousIndex, writeIndexFiles, type PreviousIndex } from './previous-index.js';
import { openMemory } from './sign-memory.js';
import type { Signer } from './signer.js';
import { signTree, type SignedTree, type TreeRequest } from './sign-tree.js';
import { KNOW_KEY, type ContinuedIndex, type IndexAuthority } from './verified-index.js';

/** What is signed, and what the new index says of itself. */
export interface SignRequest extends Omit<TreeRequest, 'published'> {
  /** How long the index is valid, in milliseconds. */
  readonly validity: number;
  /** Renews sequence and dates of the index, whose content stays. */
  readonly refresh: boolean;
  /** The index of the hub that clients see, if it was asked; null when it has none. */
  readonly published: ContinuedIndex | null | undefined;
  /** Files of published versions that may change, as `NAME/VERSION/FILE`. */
  readonly forced: readonly string[];
  readonly authority: IndexAuthority;
  /** Where the memory of the files is. */
  readonly memory: Pick<MemoryPlace, 'stateFolder' | 'version'>;
  /** Reads and verifies all files again, also those that the memory has. */
  readonly recheck: boolean;
  readonly clock: Pick<Clock, 'now'>;
}

/** What signing came to. */
export interface SignedHub {
  readonly folder: string;
  /** Fingerprints of the keys. */
  readonly keys: readonly string[];
  readonly signed: readonly string[];
  readonly kept: number;
  /** `outdated` and `missing`: it would be written. */
  readonly index: 'written' | 'unchanged' | 'outdated' | 'missing';
  readonly sequence: number;
  /** RFC 3339. */
  readonly created: string;
  readonly expires: string;
  /** Whether nothing was written, as it was only a check. */
  readonly checked: boolean;
  /** Whether the catalog does not list what the tree has. */
  readonly stale: boolean;
}

/**
 * Signs what changed in a tree, then its index; the file that clients read first is written last.
 * @throws ROLLBACK when the tree has an older index than the published hub, the code of the verdict when no key vouches
 *   for both, and the errors of `signTree`
 */
export async function signHub(request: SignRequest, signal: AbortSignal): Promise<SignedHub> {
  const { root, entries, time } = request;
  // What is written from here on, also by this run, may look as it did when it was read.
  const start = request.clock.now();
  const previous = await readPreviousIndex(root, entries, request.authority);
  if (request.signer !== undefined) await finishIndex(root, previous);
  const sequence = nextSequence(previous, request);
  const published = new PublishedFiles([previous?.index, request.published?.index], request.forced);
  const trusted = previous?.isSigned === true ? previous.index : undefined;
  const known = previous?.isSigned === true && !request.recheck ? previous : undefined;
  const memory = await openMemory({ ...request.memory, root, entries, now: time.now, start }, known);
  const tree = request.refresh
    ? refreshed(request, trusted)
    : await signTree({ ...request, published }, memory, signal);
  const stale = !request.refresh && (await warnOfStale(root, tree.content.packages, request.emit, signal));
  tellGone(request.refresh ? undefined : previous?.index, tree.content, request);
  const isCurrent =
    !request.refresh &&
    trusted !== undefined &&
    (request.signer !== undefined || previous?.isWaiting !== true) &&
    trusted.expires > time.now.getTime() &&
    !isBehind(trusted, request.published?.index) &&
    hasSameContent(trusted, tree.content);
  const { signed, kept } = tree;
  const facts = { folder: root, keys: tree.content.keys, signed, kept, checked: request.signer === undefined, stale };
  const keep = async (sha256: string): Promise<void> => {
    if (request.signer !== undefined) await (request.refresh ? memory.renew(sha256) : memory.keep(sha256));
  };
  if (isCurrent) {
    await keep(previous?.sha256 ?? '');
    return { ...facts, index: 'unchanged', ...datesOf(trusted) };
  }
  const created = time.created.getTime();
  const index = { ...tree.content, sequence, created, expires: time.now.getTime() + request.validity };
  if (request.signer !== undefined) await keep(await publish(root, index, request.signer, signal));
  return { ...facts, index: stateOf(request.signer, previous), ...datesOf(index) };
}

function stateOf(signer: Signer | undefined, previous: PreviousIndex | undefined): SignedHub['index'] {
  if (signer !== undefined) return 'written';
  return previous === undefined ? 'missing' : 'outdated';
}

async function publish(
  root: string,
  index: Omit<HubIndex, 'format'>,
  signer: Signer,
  signal: AbortSignal,
): Promise<string> {
  const bytes = writeIndex(index);
  if (bytes.length > LIMITS.index)
    throw new CliError('TOO_LARGE', `the index has ${bytes.length} bytes; clients read at most ${LIMITS.index}`);
  const { sha256, signature } = await signer.signBytes(bytes, signal);
  await writeIndexFiles(root, bytes, signature);
  return sha256;
}

/** Says which versions of a published hub, and of its own last index, the tree does not have. */
function tellGone(own: HubIndex | undefined, { packages }: IndexContent, { published, emit }: SignRequest): void {
  const known = new Set(packages.map(({ name, version }) => `${name} ${version}`));
  const goneOf = (index: HubIndex): readonly string[] =>
    index.packages.map(({ name, version }) => `${name} ${version}`).filter((one) => !known.has(one));
  const gone = published ? goneOf(published.index) : [];
  if (published && gone.length > 0)
    emit({
      type: 'warning',
      code: 'VERSIONS_GONE',
      message: `published index ${published.index.sequence} has ${named(gone)}, which this tree does not have: unless they were removed on purpose, get the tree that was published last`,
    });
  for (const one of gone) known.add(one);
  if (own === undefined) return;
  const before = goneOf(own);
  if (before.length > 0)
    emit({ type: 'note', message: `note: no longer in the hub since index ${own.sequence}: ${named(before)}` });
}

/** Whether a published hub has a newer index than the tree, or another one with its number. */
function isBehind(own: HubIndex, published: HubIndex | undefined): boolean {
  if (published === undefined || own.sequence > published.sequence) return false;
  const isSameTime = own.created === published.created && own.expires === published.expires;
  return own.sequence < published.sequence || !isSameTime || !hasSameContent(own, published);
}

function nextSequence(
  previous: PreviousIndex | undefined,
  { published, authority }: Pick<SignRequest, 'published' | 'authority'>,
): number {
  const newer = published?.index.sequence ?? 0;
  const own = previous?.index.sequence ?? 0;
  if (previous !== undefined && own < newer) refuseOlder(own, newer, published?.problem ?? previous.problem, authority);
  const last = Math.max(own, newer);
  if (last >= Number.MAX_SAFE_INTEGER)
    throw new CliError('BAD_CATALOG', `the index has the highest number that clients can read, ${last}`);
  return last + 1;
}

/** Refuses an older tree than the published hub, unless that is forced and both indexes are verified. */
function refuseOlder(
  own: number,
  newer: number,
  problem: ContinuedIndex['problem'],
  { force }: Pick<IndexAuthority, 'force'>,
): void {
  const what = `the tree has index ${own}, but the published hub has index ${newer}`;
  const hint = 'get the tree that was published last';
  if (!force) throw new CliError('ROLLBACK', what, { hints: [hint, { next: 'force-sequence' }] });
  if (problem === undefined) return;
  const why = `whose number is continued only if both are verified: ${problem.message}`;
  throw new CliError(problem.code, `${what}, ${why}`, { hints: [hint, KNOW_KEY] });
}

function refreshed({ root, entries }: SignRequest, trusted: HubIndex | undefined): SignedTree {
  if (trusted === undefined)
    throw new CliError('SIG_MISSING', `${root} has no index with a valid signature of every key to renew`, {
      hints: ['sign the whole hub first'],
      isOfOwnIndex: true,
      target: { file: join(root, 'index.json') },
    });
  const given = new Set(entries.map(({ fingerprint }) => fingerprint));
  const other = trusted.keys.find((key) => !given.has(key));
  if (other !== undefined)
    throw new CliError('USAGE', `the index is also signed by the key ${other}, whose signature would be lost`, {
      hints: ['sign with every key of the index', 'to end the use of a key, sign the whole hub again'],
      target: { file: join(root, 'index.json') },
    });
  const content: IndexContent = trusted;
  return { content, signed: [], kept: 0 };
}

function datesOf({ sequence, created, expires }: Pick<HubIndex, 'sequence' | 'created' | 'expires'>) {
  return { sequence, created: new Date(created).toISOString(), expires: new Date(expires).toISOString() };
}
