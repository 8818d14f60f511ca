import * as z from 'zod/mini';
import { listOf } from '../../../../core/collections.js';
import { CliError } from '../../../../core/errors.js';
import { addressFault, baseAddress } from '../../../../core/hub-address.js';
import { describeIssues } from '../../../../core/issues.js';
import { parseJson } from '../../../../core/json/json.js';
import type { HubIndex, IndexFile } from '../../../../hub/index-file.js';
import { segmentsOf } from '../../../../hub/source.js';
import { isSignatureAmong } from '../../../../hub/signature-names.js';
import { hostedNameProblem } from '../hosted-name.js';
import { HUB_FOLDERS } from '../folder/mirror-folder.js';

const BundleFile = z.object({
  path: z.string(),
  size: z.number().check(z.int(), z.minimum(0)),
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/u)),
});

const ADDRESS = /^(?:https?|file):\/\//u;
const isPlain = (text: string): boolean => ADDRESS.test(text) && URL.canParse(text) && addressFault(text) === undefined;

const BundleManifest = z.object({
  format: z.literal(1),
  base: z.pipe(z.string().check(z.refine(isPlain, 'must be the URL of a hub')), z.transform(baseAddress)),
  created: z.string().check(z.refine((text) => Number.isFinite(Date.parse(text)), 'must be a time')),
  whole: z.boolean(),
  index: z.optional(z.object({ sequence: z.number().check(z.int(), z.minimum(1)), sha256: z.string() })),
  files: listOf(BundleFile),
});

/** A file of a hub: path below its root with slashes, size in bytes, SHA-256 in hex. */
export type BundleFile = Readonly<z.infer<typeof BundleFile>>;

/**
 * What a bundle is of: a hub or a part of it, at a time (RFC 3339), with all of its files. Those that are
 * in earlier bundles are listed, too (docs/hub-format.md 11).
 */
export type BundleManifest = Readonly<z.infer<typeof BundleManifest>>;

/** The name of the manifest in a bundle. */
export const MANIFEST = 'bundle.json';
/** Most bytes of a manifest (docs/limits.md). */
export const LARGEST_MANIFEST = 40_000_000;

/** BAD_BUNDLE: a bundle is not as this tool writes them. */
export const badBundle = (file: string, reason: string, lines: readonly string[] = []): CliError =>
  new CliError('BAD_BUNDLE', `${file} is not a valid bundle: ${reason}`, { lines, target: { file } });

/**
 * Reads the manifest of a bundle.
 * @throws BAD_BUNDLE when it has another shape, a path that no hub has, or one twice
 */
export function readManifest(bytes: Uint8Array, file: string): BundleManifest {
  const result = z.safeParse(BundleManifest, jsonOf(bytes, file));
  if (!result.success) throw badBundle(file, `${MANIFEST} cannot be read`, describeIssues(result.error).slice(0, 10));
  const seen = new Set<string>();
  const sizes = new Map<string, number>();
  for (const { path, size, sha256 } of result.data.files) {
    if (seen.has(path) || !isHubPath(path))
      throw badBundle(
        file,
        `${JSON.stringify(path.slice(0, 200))} is ${seen.has(path) ? 'listed twice' : 'not a file of a hub'}`,
      );
    if ((sizes.get(sha256) ?? size) !== size) throw badBundle(file, `${JSON.stringify(path)} has two sizes`);
    sizes.set(sha256, size);
    seen.add(path);
  }
  const { index, ...rest } = result.data;
  // The bundle of a part of a hub has no index of its own, whatever the hub had.
  return seen.has('index.json') && index !== undefined ? result.data : rest;
}

function jsonOf(bytes: Uint8Array, file: string): unknown {
  try {
    return parseJson(bytes, MANIFEST, { duplicates: 'refuse' });
  } catch (error) {
    throw error instanceof CliError ? badBundle(file, error.message) : error;
  }
}

/** Whether a path is one of a hub: of its root, a package version or a category; none is hidden. */
function isHubPath(path: string): boolean {
  const segments = path.split('/');
  const [first = '', second = '', third = '', fourth = ''] = segments;
  const isCategory = first === 'categories' && segments.length === 3;
  const isPackage = first === 'packages' && segments.length === 4;
  const isRoot = segments.length === 1 && !HUB_FOLDERS.has(first);
  if (segments.some((segment) => hostedNameProblem(segment) !== undefined) || !(isCategory || isPackage || isRoot))
    return false;
  try {
    if (isCategory) segmentsOf({ category: second, file: third });
    else segmentsOf(isPackage ? { name: second, version: third, file: fourth } : { file: first });
    return true;
  } catch (error) {
    if (error instanceof CliError) return false;
    throw error;
  }
}

/** The text of a manifest. */
export const writeManifest = (manifest: BundleManifest): string => `${JSON.stringify(manifest)}\n`;

/** What a manifest lists, in the place of an index that its hub does not have. */
export function listingOf({ files }: BundleManifest): HubIndex {
  const versions = new Map<string, { name: string; version: string; files: IndexFile[] }>();
  const paths = new Set(files.map(({ path }) => path));
  for (const { path, size, sha256 } of files) {
    const [first, name, version, file] = path.split('/');
    if (first !== 'packages' || name === undefined || version === undefined || file === undefined) continue;
    // A signature is no file of its own.
    if (isSignatureAmong(paths, path)) continue;
    const key = `${name}/${version}`;
    const known = versions.get(key) ?? { name, version, files: [] };
    known.files.push({ name: file, size, sha256 });
    versions.set(key, known);
  }
  return { format: 1, sequence: 1, created: 0, expires: 0, files: [], packages: [...versions.values()], keys: [] };
}

/** What orders the states of one hub: the number of its index, then the time of the bundle. */
export type HubState = Pick<BundleManifest, 'created' | 'index'>;

/**
 * Whether one state of a hub is later than another; the same index may have been bundled twice.
 * @throws ROLLBACK when they have different indexes with the same number, or only the earlier one has one
 */
export function isLater(one: HubState, other: HubState): boolean {
  const [own, before] = [one.index, other.index];
  if (own !== undefined && before !== undefined && own.sequence !== before.sequence)
    return own.sequence > before.sequence;
  if (own?.sha256 === before?.sha256) return Date.parse(one.created) > Date.parse(other.created);
  if (own !== undefined && before !== undefined)
    throw new CliError('ROLLBACK', `there are two different indexes with the number ${own.sequence}`);
  const isNewer = Date.parse(one.created) > Date.parse(other.created);
  if (isNewer === (own !== undefined)) return isNewer;
  throw new CliError('ROLLBACK', `the hub has no index in the state of ${one.created}, but it had one before`);
}
