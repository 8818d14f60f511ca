import { dirname, join } from 'node:path';
import type { Emit } from '../../../core/events.js';
import { filesOfPackage, type HubIndex, type IndexFile } from '../../../hub/index-file.js';
import type { HubSource } from '../../../hub/source.js';
import { otherPublication } from '../../../hub/while-published.js';
import { refuseLink } from '../../../state/atomic-write.js';
import { holdFiles } from '../../catalog/files-in-memory.js';
import { openTrustedPackage, type TrustedPackage } from '../../catalog/trusted-package.js';
import type { TrustSetup } from '../../catalog/trust-setup.js';
import type { PublishedFiles } from '../tree/published-files.js';
import { madeFolder } from '../tree/create-folder.js';
import { refuseLinksOf, versionFolder, type MirrorFolder } from './folder/mirror-folder.js';
import { VersionRecord } from './folder/records.js';
import type { SelectedVersion } from './select.js';
import type { Upstream } from './upstream.js';

/** What all versions of a run are fetched by. */
export interface StagingOptions {
  readonly upstream: Upstream;
  readonly folder: MirrorFolder;
  readonly setup: TrustSetup;
  /** Digest of policy and keys; undefined where nothing is verified. */
  readonly by: string | undefined;
  /** Reads every file again. */
  readonly recheck: boolean | undefined;
  readonly signatures: boolean;
  readonly published: PublishedFiles | undefined;
  readonly dry: boolean;
  readonly emit: Emit;
}

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

const unlisted = ({ name, version }: SelectedVersion): Error =>
  otherPublication(`${name} ${version} is in the catalog, but not in the index of the hub`, { package: name, version });

/**
 * Opens a version to be fetched and verified.
 * @throws MIXED when the index of the hub does not list it
 */
export async function openVersion(
  wanted: SelectedVersion,
  options: StagingOptions,
  signal: AbortSignal,
): Promise<VersionWork> {
  const { upstream, folder, signatures, published, dry, emit } = options;
  const { index, indexDigest, source: hub, state } = upstream;
  for (const root of [folder.root, folder.stage]) refuseLinksOf(versionFolder(root, wanted));
  refuseLink(dirname(folder.record(wanted)));
  const { name, version, locked } = wanted;
  const tags = new Map<string, FileTag>();
  const open: HubSource['open'] = async (place, request, both) => {
    const file = await hub.open(place, request, both);
    if (file !== undefined) tags.set(place.file, { etag: file.etag, changed: file.changed?.at });
    return file;
  };
  const source = { ...hub, open };
  const held = holdFiles(source, ({ file }) => file.endsWith('.asc'));
  const setup = { ...options.setup, ...(locked && { locked }) };
  const listed = index === undefined ? [] : filesOfPackage(index, wanted);
  if (index !== undefined && listed.length === 0) throw unlisted(wanted);
  return {
    wanted,
    held,
    source,
    tags,
    trusted: await openTrustedPackage({ source: held, name, version }, setup, signal, state),
    index,
    listed: new Map(listed.map((file) => [file.name, file])),
    record: await VersionRecord.read(folder.record(wanted), options),
    folder,
    basis: indexDigest,
    signatures,
    published,
    judged: setup.policy !== 'off',
    dry,
    emit,
  };
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
