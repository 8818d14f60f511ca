import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { counted } from '../../../core/counted.js';
import { CliError, type ErrorDetails } from '../../../core/errors.js';
import { isThere } from '../../../core/files/exists.js';
import { readBounded } from '../../../core/files/read-bounded.js';
import { isSnapshot, parseVersion } from '../../../core/version.js';
import { filesOfPackage, readIndex, type HubIndex, type IndexFile } from '../../../hub/index-file.js';
import { LIMITS, type PackageVersion } from '../../../hub/source.js';
import { signedBy, withoutSignatures } from '../../../hub/signature-names.js';

const MOST_LINES = 20;
const NEW_VERSION = 'give the package a new version';
/** Most files that the flags of a hint name. */
const MOST_FORCED = 5;

/** A file of a version that is not as it was published. */
export interface PublishedDifference {
  readonly name: string;
  readonly how: How;
}

type How = 'changed' | 'added' | 'removed';

/** Watches over what was published: whoever has a version keeps its old files, so it must not change. */
export class PublishedFiles {
  readonly #indexes: readonly HubIndex[];
  readonly #forced: ReadonlySet<string>;
  /** Files that may not change, with how they did. */
  readonly #changed = new Map<string, How>();

  /** `forced` are files that may change, as `NAME/VERSION/FILE`. */
  constructor(indexes: readonly (HubIndex | undefined)[], forced: readonly string[]) {
    this.#indexes = indexes.filter((index) => index !== undefined);
    this.#forced = new Set(forced);
  }

  /** Whether a file of a version may have this content. */
  accepts(place: PackageVersion, name: string, bytes: Uint8Array): boolean {
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    return this.#changeOf(place, name, (listed) => listed.sha256 === sha256) === undefined;
  }

  /** As `accepts`, of the content that it has; a file that may not have it is remembered. */
  allow(place: PackageVersion, file: Pick<IndexFile, 'name' | 'sha256'>): boolean {
    const change = this.#changeOf(place, file.name, ({ sha256 }) => sha256 === file.sha256);
    if (change !== undefined) this.#note(place, file.name, change);
    return change === undefined;
  }

  /** As `allowOnly`, and remembers files that were added or have another size. */
  allowSizes(place: PackageVersion, files: readonly Pick<IndexFile, 'name' | 'size'>[]): void {
    this.allowOnly(place, files);
    for (const { name, size } of files) {
      const change = this.#changeOf(place, name, (listed) => listed.size === size);
      if (change !== undefined) this.#note(place, name, change);
    }
  }

  /** Remembers published files of a version that are not among all that it has. */
  allowOnly(place: PackageVersion, files: readonly Pick<IndexFile, 'name'>[]): void {
    const names = new Set(files.map(({ name }) => name));
    for (const name of this.#listed(place))
      if (!names.has(name) && !this.mayChange(place, name)) this.#note(place, name, 'removed');
  }

  /** Whether a version has files that may not change. */
  guards(place: PackageVersion): boolean {
    return !isFree(place) && this.#indexes.some((index) => filesOfPackage(index, place).length > 0);
  }

  /** The files of a version that differ from what is published, with how they do. */
  differences(
    place: PackageVersion,
    files: readonly Pick<IndexFile, 'name' | 'sha256'>[],
  ): readonly PublishedDifference[] {
    const names = new Set(files.map(({ name }) => name));
    const removed = this.#listed(place).filter((name) => !names.has(name) && !this.mayChange(place, name));
    const others = files.flatMap((file): readonly PublishedDifference[] => {
      const how = this.#changeOf(place, file.name, ({ sha256 }) => sha256 === file.sha256);
      return how === undefined ? [] : [{ name: file.name, how }];
    });
    return [...others, ...removed.map((name) => ({ name, how: 'removed' as const }))];
  }

  /** The names that indexes list, without signatures of files that they list: those may change. */
  #listed(place: PackageVersion): readonly string[] {
    const names = new Set(this.#indexes.flatMap((index) => filesOfPackage(index, place)).map(({ name }) => name));
    return withoutSignatures([...names]);
  }

  /** Whether a name is that of the signature of a removed file. */
  isLeft(place: PackageVersion, name: string): boolean {
    const signed = signedBy(name);
    return (
      signed !== undefined &&
      this.#indexes.some((index) => {
        const names = filesOfPackage(index, place).map((file) => file.name);
        return names.includes(signed) && !names.includes(name);
      })
    );
  }

  #changeOf(place: PackageVersion, name: string, isSame: (listed: IndexFile) => boolean): How | undefined {
    const signed = signedBy(name);
    for (const index of this.#indexes) {
      const files = filesOfPackage(index, place);
      const listed = files.find((file) => file.name === name);
      if (listed === undefined ? files.length === 0 : isSame(listed)) continue;
      if (this.mayChange(place, name)) return undefined;
      // Its file was removed, which is told.
      const isOrphan = files.some((file) => file.name === signed) && !this.mayChange(place, signed ?? '');
      if (listed !== undefined || !isOrphan) return listed === undefined ? 'added' : 'changed';
    }
    return undefined;
  }

  /** Whether a file may be changed, added or removed: of a snapshot, or named by the user. */
  mayChange(place: PackageVersion, file: string): boolean {
    return isFree(place) || this.#forced.has(`${place.name}/${place.version}/${file}`);
  }

  #note({ name, version }: PackageVersion, file: string, how: How): void {
    this.#changed.set(`${name}/${version}/${file}`, how);
  }

  /** Refuses all that is remembered, with what else is wrong: REPUBLISH (docs/faults.md V09). */
  refuse(root: string, how: Change = 'changed', more: AlsoWrong = {}): void {
    refuseChanged(this.#changed, root, how, more);
  }
}

type Change = 'changed' | 'would change';

/** What an error tells beside changed files: further lines, and what was done. */
type AlsoWrong = Pick<ErrorDetails, 'item' | 'lines'>;

/** Refuses changed files of published versions: `NAME/VERSION/FILE`, and how each has changed. */
export function refuseChanged(files: ReadonlyMap<string, How>, where: string, how: Change, also: AlsoWrong = {}): void {
  const changed = [...files].sort(([a], [b]) => (a < b ? -1 : 1));
  const paths = changed.map(([path]) => path);
  const [first] = paths;
  if (first === undefined) return;
  const lines = changed
    .slice(0, MOST_LINES)
    .map(([path, one]) => `packages/${path}${one === 'changed' ? '' : ` (${one})`}`);
  const more = changed.length - lines.length;
  throw new CliError('REPUBLISH', `${counted(changed.length, 'file')} of published versions ${how} in ${where}`, {
    ...also,
    lines: [...lines, ...(more === 0 ? [] : [`and ${more} more`]), ...(also.lines ?? [])],
    hints: [
      ...(how === 'changed' ? mistakes(new Set(files.values())) : []),
      how === 'changed' ? `${NEW_VERSION}, unless this one was only signed, never published` : NEW_VERSION,
      { next: 'force-file', files: paths.slice(0, MOST_FORCED), more: paths.length > MOST_FORCED },
    ],
    target: { file: `packages/${first}` },
  });
}

/** What is done about files that nobody meant to add or to remove. */
export const mistakes = (how: Pick<ReadonlySet<string>, 'has'>): readonly string[] => [
  ...(how.has('added') ? ['remove files that were added to a published version by mistake'] : []),
  ...(how.has('removed') ? ['restore files that were removed from a published version by mistake'] : []),
];

/** Whether a version may change: a snapshot. */
export function isFree({ version }: PackageVersion): boolean {
  const parsed = parseVersion(version);
  return parsed !== undefined && isSnapshot(parsed);
}

/** The index that a tree has, unless it cannot be read. */
export async function ownIndex(root: string): Promise<HubIndex | undefined> {
  const file = join(root, 'index.json');
  try {
    return isThere(file) ? readIndex(await readBounded(file, LIMITS.index), file) : undefined;
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

/**
 * What the index of a tree lists, if it has one, and another index. It only guards against mistakes, so nobody need
 * vouch for it.
 */
export const publishedIn = async (
  root: string,
  forced: readonly string[],
  elsewhere?: HubIndex,
): Promise<PublishedFiles> => new PublishedFiles([await ownIndex(root), elsewhere], forced);
