import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { timestamp, type Clock } from '../../../../core/clock.js';
import { CliError } from '../../../../core/errors.js';
import { isThere } from '../../../../core/files/exists.js';
import { readBounded } from '../../../../core/files/read-bounded.js';
import { hubAddress } from '../../../../core/hub-address.js';
import { readIndex } from '../../../../hub/index-file.js';
import { LIMITS } from '../../../../hub/source.js';
import { writeAtomically } from '../../../../state/atomic-write.js';
import { bytesOf, readTreeFiles, type TreeFile } from '../../publish/tree-files.js';
import { ownEntries } from '../catalog-entries.js';
import type { MirrorRequest, WrittenBundle } from '../mirror-plan.js';
import { isWhole } from '../select.js';
import { LARGEST_MANIFEST, MANIFEST, writeManifest, type BundleManifest } from './manifest.js';
import { tarHeader, tarPadding, TAR_BLOCK } from './tar.js';

/** What is put into a bundle, and where it goes. */
export interface BundleRequest {
  /** What was mirrored. */
  readonly request: Pick<MirrorRequest, 'hub' | 'root' | 'selection'>;
  readonly file: string;
  /** An earlier bundle, whose contents are left out. */
  readonly since: BundleManifest | undefined;
}

/** How a tar file ends. */
const END = Buffer.alloc(2 * TAR_BLOCK);

/**
 * Writes the mirror as one file: a manifest of all files, and what the earlier bundle does not have.
 * @throws USAGE for an earlier bundle of another hub, EXISTS, TOO_LARGE, CHANGED_MEANWHILE
 */
export async function writeBundle(
  { request, file, since }: BundleRequest,
  clock: Pick<Clock, 'now'>,
  signal: AbortSignal,
): Promise<WrittenBundle> {
  const { hub, root, selection } = request;
  const { base } = hub.source;
  if (since !== undefined && hubAddress(since.base) !== hubAddress(base))
    throw new CliError('USAGE', `the earlier bundle is from ${since.base}, this mirror from ${base}`);
  const whole = isWhole(selection);
  const index = whole ? await indexOf(root) : undefined;
  const files = await filesOf(root, signal);
  const manifest: BundleManifest = {
    format: 1,
    base,
    created: timestamp(clock),
    whole,
    ...(index && { index }),
    files: files.map(({ path, size, sha256 }) => ({ path, size, sha256 })),
  };
  const head = Buffer.from(writeManifest(manifest));
  if (head.length > LARGEST_MANIFEST)
    throw new CliError('TOO_LARGE', `the bundle would list more files than can be read: ${files.length}`);
  const contents = contentsOf(files, since);
  let bytes = 0;
  const counted = async function* (): AsyncGenerator<Uint8Array, void, void> {
    for await (const piece of piecesOf(root, head, contents, signal)) {
      bytes += piece.length;
      yield piece;
    }
  };
  await writeAtomically(file, counted(), { mode: 0o644 });
  const written = new Set(contents.map(({ sha256 }) => sha256));
  const earlier = files.filter(({ sha256 }) => !written.has(sha256)).length;
  return { file, bytes, contents: contents.length, earlier, files: files.length };
}

/** The index as it is, vouched for or not: who imports the bundle judges it. */
async function indexOf(root: string): Promise<BundleManifest['index']> {
  const path = join(root, 'index.json');
  if (!isThere(path)) return undefined;
  const bytes = await readBounded(path, LIMITS.index);
  try {
    return { sequence: readIndex(bytes, path).sequence, sha256: createHash('sha256').update(bytes).digest('hex') };
  } catch (error) {
    // No index to anyone.
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

/** What clients read first is in every bundle, so that each can be the last one. */
function contentsOf(files: readonly TreeFile[], since: BundleManifest | undefined): readonly TreeFile[] {
  const known = new Map(since?.files.map(({ path, sha256 }) => [path, sha256]));
  const contents = new Map<string, TreeFile>();
  for (const one of files)
    if (!one.path.includes('/') || known.get(one.path) !== one.sha256) contents.set(one.sha256, one);
  return [...contents.values()];
}

/** The files of the hub that clients know: those of the root, and of the versions in the catalog. */
async function filesOf(root: string, signal: AbortSignal): Promise<readonly TreeFile[]> {
  const listed = new Set((await ownEntries(root)).map(({ name, version }) => `packages/${name}/${version}`));
  const { files } = await readTreeFiles(root, signal);
  return [...files.values()]
    .filter(({ path }) => !path.startsWith('packages/') || listed.has(path.slice(0, path.lastIndexOf('/'))))
    .sort(({ path: one }, { path: other }) => (one < other ? -1 : 1));
}

async function* piecesOf(
  root: string,
  manifest: Buffer,
  contents: readonly TreeFile[],
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, void> {
  yield tarHeader(MANIFEST, manifest.length);
  yield manifest;
  yield Buffer.alloc(tarPadding(manifest.length));
  for (const { path, size, sha256 } of contents) {
    yield tarHeader(`files/${sha256}`, size);
    const hash = createHash('sha256');
    for await (const chunk of bytesOf(join(root, path), signal)) {
      hash.update(chunk);
      yield chunk;
    }
    if (hash.digest('hex') !== sha256)
      throw new CliError('CHANGED_MEANWHILE', `${join(root, path)} was changed while the bundle was written`);
    yield Buffer.alloc(tarPadding(size));
  }
  yield END;
}
