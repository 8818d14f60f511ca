import { posix } from 'node:path';
import { counted } from '../../../core/counted.js';
import { CliError } from '../../../core/errors.js';
import type { HubIndex } from '../../../hub/index-file.js';
import { signedBy } from '../../../hub/signature-names.js';
import { mistakes } from '../tree/published-files.js';
import type { TreeFile, TreeFiles } from './tree-files.js';

/** What happens to one file of the published hub. */
export interface PublishStep {
  readonly action: 'upload' | 'remove';
  /** Below the root of the hub, with slashes. */
  readonly path: string;
  /** Bytes; 0 for what is removed and of which the size is not known. */
  readonly size: number;
  readonly sha256: string;
}

/** What a hub has published. */
export interface Published {
  readonly files: ReadonlyMap<string, Pick<TreeFile, 'size' | 'sha256'>>;
  readonly index: HubIndex | undefined;
  /** Known from its index alone, which does not list signatures: they are as the files and the keys. */
  readonly isByIndex?: boolean;
}

/** What to do, in order: new files, dropped signatures, replaced files, catalogs, the index, removals. */
export interface PublishPlan {
  /** New files: clients see none of them before the catalog does. */
  readonly files: readonly PublishStep[];
  /** Signatures that the tree no longer has, of files with other content. Clients would take them for bad ones. */
  readonly dropped: readonly PublishStep[];
  /** What does not fit the old index, signatures first: it comes right before what clients read first. */
  readonly replaced: readonly PublishStep[];
  /** What clients read first. */
  readonly front: readonly PublishStep[];
  readonly removals: readonly PublishStep[];
  /** How many files are published as they are. */
  readonly kept: number;
}

/** What clients read first, in the order in which it is published; the index is the last. */
const FRONT = ['categories.json', 'packages.json.asc', 'packages.json', 'index.html', 'index.json.asc', 'index.json'];
/** Files of packages that have no signatures. */
const UNSIGNED = /\/(?:icon\.png|license\.txt)$/u;
const MOST_LINES = 20;

/**
 * The steps from one state of a hub to the next. A tree whose index does not describe it is not published, nor one that
 * is older than what is there. Pending are removals that an earlier publication has left.
 * @throws BAD_SOURCE, ROLLBACK
 */
export function planPublication(tree: TreeFiles, published: Published, pending: readonly string[] = []): PublishPlan {
  refuseOtherContent(tree);
  refuseOlder(tree, published);
  const uploads = [...tree.files.values()].filter((file) => !isPublished(file, tree, published));
  const steps = uploads.map((file): PublishStep => ({ action: 'upload', ...file })).sort(byPath);
  const rank = ({ path }: PublishStep): number => FRONT.indexOf(path);
  const known = published.isByIndex === true ? [...published.files.keys()].flatMap(signaturesBy(published)) : [];
  const gone = [...published.files.keys(), ...known, ...pending].filter((path) => !tree.files.has(path));
  const others = steps.filter((step) => rank(step) === -1);
  const replaces = ({ path }: PublishStep): boolean => isReplaced(path, tree, published);
  const dropped = new Set(gone.filter((path) => isDropped(path, tree, published)));
  return {
    files: others.filter((step) => !replaces(step)),
    replaced: others.filter(replaces).sort((one, other) => Number(isSignature(other)) - Number(isSignature(one))),
    front: steps.filter((step) => rank(step) !== -1).sort((one, other) => rank(one) - rank(other)),
    dropped: removalsOf(dropped, published),
    removals: removalsOf(new Set(gone.filter((path) => !dropped.has(path))), published),
    kept: tree.files.size - uploads.length,
  };
}

function isPublished({ path, sha256 }: TreeFile, tree: TreeFiles, { files, index, isByIndex }: Published): boolean {
  const known = files.get(path);
  const signed = signedBy(path);
  if (known !== undefined || isByIndex !== true || signed === undefined) return known?.sha256 === sha256;
  if (index?.signatures === false) return false;
  const isSameFile = files.has(signed) && files.get(signed)?.sha256 === tree.files.get(signed)?.sha256;
  return isSameFile && tree.index?.keys.join() === index?.keys.join();
}

/** The signatures of files of which only the index tells. */
const signaturesBy =
  ({ files, index }: Published) =>
  (path: string): readonly string[] => {
    const isSigned = index?.signatures !== false && path.startsWith('packages/') && signedBy(path) === undefined;
    return isSigned && !UNSIGNED.test(path) && !files.has(`${path}.asc`) ? [`${path}.asc`] : [];
  };

const isSignature = ({ path }: Pick<PublishStep, 'path'>): boolean => signedBy(path) !== undefined;

/** Whether a file, or the one that it is the signature of, has another content than the published one. */
function isReplaced(path: string, tree: TreeFiles, published: Published): boolean {
  const signed = signedOf(path);
  const of = tree.files.has(signed) ? signed : path;
  return published.files.has(of) && published.files.get(of)?.sha256 !== tree.files.get(of)?.sha256;
}

const signedOf = (path: string): string => signedBy(path) ?? path;

/** Whether a signature that is gone is of a file that has another content now. */
const isDropped = (path: string, tree: TreeFiles, published: Published): boolean =>
  isSignature({ path }) && tree.files.has(signedOf(path)) && isReplaced(path, tree, published);

/**
 * Refuses to leave signatures beside other content, where nothing can remove them.
 * @throws BAD_SOURCE
 */
export function refuseStaying({ dropped: [first, ...others] }: PublishPlan): void {
  if (first === undefined) return;
  const { path } = first;
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  throw new CliError('BAD_SOURCE', `${signedOf(path)} has changed, but its published signature would stay${more}`, {
    hints: ['sign every file of the tree, not only its index', 'or publish with a program that removes files, too'],
    target: { file: path },
  });
}

const removalsOf = (paths: ReadonlySet<string>, { files }: Pick<Published, 'files'>): readonly PublishStep[] =>
  [...paths].sort().map((path) => ({ action: 'remove', path, size: files.get(path)?.size ?? 0, sha256: '' }));

const NEW_VERSION = 'if a changed version was published, restore its files or give it a new version; then ';

const byPath = ({ path: one }: PublishStep, { path: other }: PublishStep): number => (one < other ? -1 : 1);

/** The files that an index lists, by path. */
export function filesOfIndex({ files, packages }: HubIndex): ReadonlyMap<string, Pick<TreeFile, 'size' | 'sha256'>> {
  const all = new Map(files.map((file) => [file.name, file] as const));
  for (const { name, version, files: own } of packages)
    for (const file of own) all.set(`packages/${name}/${version}/${file.name}`, file);
  return all;
}

function refuseOtherContent({ files, index, faults }: TreeFiles): void {
  if (!files.has('packages.json'))
    throw new CliError('BAD_SOURCE', 'the tree has no packages.json', { hints: ['build the catalog first'] });
  const found = index === undefined ? [] : [...indexFaults(files, index)];
  const lines = [...faults.map(({ file, message }) => `${file}: ${message}`), ...found.map(({ line }) => line)];
  if (lines.length === 0) return;
  throw new CliError('BAD_SOURCE', `${counted(lines.length, 'fault')} in the tree; nothing was published`, {
    lines: [
      ...lines.slice(0, MOST_LINES),
      ...(lines.length > MOST_LINES ? [`and ${lines.length - MOST_LINES} more`] : []),
    ],
    hints: hintsOf(new Set(found.map(({ what }) => what))),
  });
}

/** What is wrong with a file of a tree; `stale`: the index has to be renewed in any case. */
interface IndexFault {
  readonly what: 'unsigned' | 'changed' | 'added' | 'removed' | 'stale';
  readonly line: string;
}

function* indexFaults(files: TreeFiles['files'], index: HubIndex): Generator<IndexFault> {
  if (!files.has('index.json.asc')) yield { what: 'unsigned', line: 'index.json: it has no signature' };
  const listed = filesOfIndex(index);
  for (const [path, { sha256 }] of listed) {
    const file = files.get(path);
    const isOfPackage = path.startsWith('packages/');
    if (file?.sha256 !== sha256) {
      const [how, line] = file === undefined ? REMOVED : CHANGED;
      yield { what: isOfPackage ? how : 'stale', line: `${path}: ${line}` };
    } else if (isOfPackage && index.signatures !== false && !UNSIGNED.test(path) && !files.has(`${path}.asc`))
      yield { what: 'unsigned', line: `${path}: it has no signature` };
  }
  const known = new Set(index.packages.map(({ name, version }) => `packages/${name}/${version}`));
  for (const path of files.keys())
    if (path.startsWith('packages/') && signedBy(path) === undefined && !listed.has(path))
      yield { what: known.has(posix.dirname(path)) ? 'added' : 'stale', line: `${path}: the index does not list it` };
}

const REMOVED = ['removed', 'the index lists it, but it does not exist'] as const;
const CHANGED = ['changed', 'it does not match the index'] as const;

/** What to do about faults that a build and a signing do not reject, too. */
function hintsOf(found: ReadonlySet<IndexFault['what']>): readonly string[] {
  if (found.size === 0) return [];
  const isOnlyUnsigned = found.size === 1 && found.has('unsigned');
  const isOther = found.has('changed') || found.has('added') || found.has('removed');
  const again = isOnlyUnsigned ? 'sign the tree again' : 'build and sign the tree again';
  return [...mistakes(found), `${isOther ? NEW_VERSION : ''}${again}`];
}

function refuseOlder({ files, index }: TreeFiles, published: Published): void {
  const before = published.index;
  if (before === undefined) return;
  const hints = ['get the tree that was published last, add your changes and publish it'];
  if (index === undefined)
    throw new CliError('ROLLBACK', 'the published hub has a signed index, the tree has none', { hints });
  const isSame = indexDigest({ files }) === indexDigest(published);
  if (index.sequence > before.sequence || (index.sequence === before.sequence && isSame)) return;
  throw new CliError(
    'ROLLBACK',
    `the tree has index ${index.sequence}, but the published hub has ${isSame ? '' : 'another '}index ${before.sequence}`,
    {
      hints,
      sequences: { tree: index.sequence, published: before.sequence },
      target: { tree: String(index.sequence), published: String(before.sequence) },
    },
  );
}

/**
 * Refuses to go on where a hub is no longer as its plan knows it, unless it is as the tree already.
 * @throws ROLLBACK, CHANGED_MEANWHILE
 */
export function refuseMoved(tree: TreeFiles, before: Published, now: Published): void {
  const digest = indexDigest(now);
  if (digest === indexDigest(before) || (digest !== undefined && digest === indexDigest(tree))) return;
  refuseOlder(tree, now);
  const index = now.index === undefined ? 'no index' : `index ${now.index.sequence}`;
  throw new CliError(
    'CHANGED_MEANWHILE',
    `the published hub now has ${index}: another user published it in the meantime`,
    {
      hints: ['run the same command again'],
    },
  );
}

const indexDigest = ({ files }: Pick<Published, 'files'>): string | undefined => files.get('index.json')?.sha256;
