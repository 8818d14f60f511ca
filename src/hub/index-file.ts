import * as z from 'zod/mini';
import { collectEarly, LARGE } from '../core/collecting.js';
import { CliError } from '../core/errors.js';
import { describeIssues } from '../core/issues.js';
import { parseJson } from '../core/json/json.js';
import { listOf } from '../core/collections.js';
import { isRawObject } from './fields.js';
import type { PackageVersion } from './source.js';

const Count = z.number().check(z.int(), z.minimum(0));

const Time = z.union([
  z.pipe(
    z.string().check(z.refine((text) => Number.isFinite(Date.parse(text)), 'must be a time')),
    z.transform((text) => Date.parse(text)),
  ),
  z.pipe(
    Count,
    z.transform((seconds) => seconds * 1000),
  ),
]);

const SHA256 = /^[0-9a-f]{64}$/u;
const IndexFile = z.object({
  name: z.string().check(z.minLength(1)),
  size: Count,
  sha256: z.string().check(z.regex(SHA256)),
});

function isIndexFile(value: unknown): value is z.infer<typeof IndexFile> {
  if (!isRawObject(value)) return false;
  const { name, size, sha256 } = value;
  const isSized = typeof size === 'number' && Number.isSafeInteger(size) && size >= 0;
  return isSized && typeof name === 'string' && name !== '' && typeof sha256 === 'string' && SHA256.test(sha256);
}

const IndexPackage = z.object({ name: z.string(), version: z.string(), files: listOf(IndexFile, isIndexFile) });

function isIndexPackage(value: unknown): value is z.infer<typeof IndexPackage> {
  if (!isRawObject(value)) return false;
  const { name, version, files } = value;
  return typeof name === 'string' && typeof version === 'string' && Array.isArray(files) && files.every(isIndexFile);
}

const HubIndex = z.object({
  format: z.literal(1),
  sequence: Count.check(z.minimum(1)),
  created: Time,
  expires: Time,
  files: listOf(IndexFile, isIndexFile),
  packages: listOf(IndexPackage, isIndexPackage),
  /** Absent unless files may lack a signature of their own. */
  signatures: z.optional(z.literal(false)),
  keys: listOf(z.string().check(z.regex(/^[0-9A-Fa-f]{40}(?:[0-9A-Fa-f]{24})?$/u))),
});

/** One file of a hub as its signed index names it: size in bytes, SHA-256 in lower-case hex. */
export type IndexFile = Readonly<z.infer<typeof IndexFile>>;

/**
 * The signed index of a whole hub (docs/hub-format.md 7). `created` and `expires` in milliseconds since the epoch,
 * `keys` are fingerprints.
 */
export type HubIndex = Readonly<z.infer<typeof HubIndex>>;

/**
 * Reads `index.json`, whose signature the caller has checked.
 * @throws BAD_JSON, DUP_KEY, or BAD_CATALOG when it has another shape or names a file twice
 */
export function readIndex(bytes: Uint8Array, what: string): HubIndex {
  if (bytes.length > LARGE) collectEarly('catalog');
  const result = z.safeParse(HubIndex, parseJson(bytes, what, { duplicates: 'refuse' }));
  if (!result.success) {
    throw new CliError('BAD_CATALOG', `${what} is not a hub index`, {
      lines: describeIssues(result.error).slice(0, 10),
    });
  }
  const index = result.data;
  versionsOf(index, what);
  for (const { files } of [index, ...index.packages])
    refuseTwice(
      files.map(({ name }) => name),
      what,
    );
  return index;
}

function refuseTwice(names: readonly string[], what: string): void {
  const seen = new Set<string>();
  for (const name of names) {
    if (seen.has(name)) throw twice(name, what);
    seen.add(name);
  }
}

const twice = (name: string, what: string): CliError =>
  new CliError('BAD_CATALOG', `${what} names ${JSON.stringify(name.slice(0, 120))} twice`);

type FilesOfVersions = ReadonlyMap<string, ReadonlyMap<string, readonly IndexFile[]>>;

const found = new WeakMap<HubIndex, FilesOfVersions>();

/** The files of all versions by name and version; joined keys would double the names in memory. */
function versionsOf(index: HubIndex, what: string): FilesOfVersions {
  const known = found.get(index);
  if (known !== undefined) return known;
  const names = new Map<string, Map<string, readonly IndexFile[]>>();
  for (const { name, version, files } of index.packages) {
    const versions = names.get(name) ?? new Map<string, readonly IndexFile[]>();
    if (versions.has(version)) throw twice(`${name} ${version}`, what);
    names.set(name, versions.set(version, files));
  }
  found.set(index, names);
  return names;
}

/**
 * The files of a package version as the index lists them; none when it does not know the package. A hub of many
 * packages is asked for each of them, so the index is gone through once.
 */
export function filesOfPackage(index: HubIndex, place: PackageVersion): readonly IndexFile[] {
  return versionsOf(index, 'index.json').get(place.name)?.get(place.version) ?? [];
}

/**
 * What the index says of one file; without name and version a file at the root of the hub. Undefined: the file is not
 * in the index.
 */
export function findInIndex(
  index: HubIndex,
  name: string | undefined,
  version: string | undefined,
  file: string,
): IndexFile | undefined {
  const files = name === undefined || version === undefined ? index.files : filesOfPackage(index, { name, version });
  return files.find((candidate) => candidate.name === file);
}
