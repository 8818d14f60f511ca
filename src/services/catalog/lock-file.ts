import * as z from 'zod/mini';
import { CliError } from '../../core/errors.js';
import { describeIssues } from '../../core/issues.js';
import { listOf } from '../../core/collections.js';
import { parseJson } from '../../core/json/json.js';

const LockedFile = z.object({
  name: z.string().check(z.minLength(1)),
  size: z.number().check(z.int(), z.minimum(0)),
  sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/u)),
});

const LockFile = z.object({
  lockVersion: z.literal(1),
  packages: listOf(z.object({ hub: z.string(), name: z.string(), version: z.string(), files: listOf(LockedFile) })),
});

/** Package versions with the digests of all their files (docs/hub-format.md 10). */
export type LockFile = Readonly<z.infer<typeof LockFile>>;

/** One package version of a lock file; `hub` is the base URL or the folder of its hub. */
export type LockedPackage = LockFile['packages'][number];

/**
 * Reads a lock file.
 * @throws BAD_JSON, DUP_KEY, or BAD_FIELD when it has another shape
 */
export function readLockFile(bytes: Uint8Array, what: string): LockFile {
  const result = z.safeParse(LockFile, parseJson(bytes, what, { duplicates: 'refuse' }));
  if (result.success) return result.data;
  throw new CliError('BAD_FIELD', `${what} is not a lock file`, {
    lines: describeIssues(result.error).slice(0, 10),
    hints: [{ next: 'lock-packages', file: 'FILE' }],
  });
}

/** The text of a lock file: packages by name and version, files by name, so that only changes differ. */
export function writeLockFile(packages: readonly LockedPackage[]): string {
  const by = (one: string, other: string): number => (one < other ? -1 : one === other ? 0 : 1);
  const sorted = packages
    .map((locked) => ({ ...locked, files: locked.files.toSorted((one, other) => by(one.name, other.name)) }))
    .sort((one, other) => by(one.name, other.name) || by(one.version, other.version) || by(one.hub, other.hub));
  return `${JSON.stringify({ lockVersion: 1, packages: sorted } satisfies LockFile, undefined, 2)}\n`;
}
