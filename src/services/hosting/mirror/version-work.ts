import { dirname, join } from 'node:path';
import type { Emit } from '../../../core/events.js';
import type { HubIndex, IndexFile } from '../../../hub/index-file.js';
import type { HubSource } from '../../../hub/source.js';
import type { TrustedPackage } from '../../catalog/trusted-package.js';
import type { PublishedFiles } from '../tree/published-files.js';
import { madeFolder } from '../tree/create-folder.js';
import { versionFolder, type MirrorFolder } from './folder/mirror-folder.js';
import type { VersionRecord } from './folder/records.js';
import type { SelectedVersion } from './select.js';

/** What tells whether a file of the hub has changed: its tag, else its time of change in milliseconds. */
export interface FileTag {
  readonly etag?: string | undefined;
  readonly changed?: number | undefined;
}

/** The work on one package version of a mirror. */
export interface VersionWork {
  readonly wanted: SelectedVersion;
  /** Holds the signatures of the version, so that the one that was judged is the one that is written. */
  readonly held: HubSource;
  readonly source: HubSource;
  /** Of the files that were opened. */
  readonly tags: ReadonlyMap<string, FileTag>;
  readonly trusted: TrustedPackage;
  /** The index of the hub, signed or not. */
  readonly index: HubIndex | undefined;
  /** What it lists of the version, by file. */
  readonly listed: ReadonlyMap<string, IndexFile>;
  readonly record: VersionRecord;
  readonly folder: MirrorFolder;
  /** SHA-256 of the index: as long as the hub has it, its signatures stay as they are. */
  readonly basis: string | undefined;
  /** Whether signatures of the hub are kept. */
  readonly signatures: boolean;
  /** What must not change, as it was published under a key of one's own. */
  readonly published: PublishedFiles | undefined;
  /** Whether signatures are verified at all. */
  readonly judged: boolean;
  /** Only tells what would be fetched. */
  readonly dry: boolean;
  readonly emit: Emit;
}

/** Where a file of the version is, or waits. */
export type Place = 'tree' | 'stage';

/** The path of a file of a version. */
export const pathIn = (
  { folder, wanted }: Pick<VersionWork, 'folder' | 'wanted'>,
  place: Place,
  name: string,
): string => join(versionFolder(place === 'tree' ? folder.root : folder.stage, wanted), name);

/** The digest that a file must have, where that is known before it is read. */
export const expectedDigest = ({ wanted, listed }: VersionWork, name: string): string | undefined =>
  wanted.locked?.get(name) ?? listed.get(name)?.sha256;

/** The path where a file waits, in a folder that is made. */
export function stagePath(work: Pick<VersionWork, 'folder' | 'wanted'>, name: string): string {
  const path = pathIn(work, 'stage', name);
  madeFolder(dirname(path));
  return path;
}

/** What tells whether a file of the hub has changed, as it is kept. */
export const tagOf = ({ tags }: VersionWork, name: string): FileTag => {
  const { etag, changed } = tags.get(name) ?? {};
  if (etag !== undefined) return { etag };
  return changed === undefined ? {} : { changed };
};
