import type { CliError, ErrorCode } from '../../core/errors.js';
import type { CatalogEntry } from '../../hub/catalog.js';
import { filesOfPackage, type HubIndex } from '../../hub/index-file.js';
import type { Specification } from '../../hub/specification.js';
import { isSignatureAmong } from '../../hub/signature-names.js';
import type { Verdict } from '../../trust/verdict.js';
import { resourcesOf } from './action-shapes.js';
import type { PackageAddress } from './trust-setup.js';

/** A file of a package beside its specification. */
export interface PackageFile {
  readonly name: string;
  /** Publishers sign it; icon and license are left unsigned by design (docs/hub-format.md 1). */
  readonly signed: boolean;
  /** The package is whole without it. */
  readonly optional: boolean;
}

/** What says which files belong to a package. */
export interface FileSources {
  /** Undefined when it cannot be read: then only what lists files is asked. */
  readonly specification: Specification | undefined;
  readonly entry: Pick<CatalogEntry, 'license'> | undefined;
  /** The verified index of the hub. */
  readonly index: HubIndex | undefined;
}

const ICON = 'icon.png';
const LICENSE = 'license.txt';
/** What still counts against a file that nobody signs by design. */
const ALWAYS: ReadonlySet<ErrorCode> = new Set(['MIXED', 'BINDING', 'CHANGED', 'LOCK_MISMATCH']);

/**
 * The files of a package beside `spec.json`, each once. These are the files that its actions name, those listed by the
 * signed index or the folder, license and icon. An `.asc` of none of them is a file like any other.
 */
export async function packageFiles(address: PackageAddress, sources: FileSources): Promise<readonly PackageFile[]> {
  const { specification, entry, index } = sources;
  const { name, version, source } = address;
  const needed = new Set(specification?.actions.flatMap(resourcesOf));
  const inFolder = (await source.list?.({ name, version })) ?? [];
  const inIndex = index === undefined ? [] : filesOfPackage(index, { name, version });
  const licenses = [entry?.license, specification?.license].filter((file) => file !== undefined);
  const names = new Set([...inIndex, ...inFolder].map((file) => file.name));
  const signable = new Set(['spec.json', ...needed, ...licenses, LICENSE, ICON, ...names]);
  const listed = [...names].filter((file) => !isSignatureAmong(signable, file));
  const unsigned = new Set([...licenses, LICENSE, ICON].filter((file) => !needed.has(file)));
  const all = new Set([...needed, ...listed, ...licenses, ICON]);
  all.delete('spec.json');
  return [...all].map((file) => ({
    name: file,
    signed: !unsigned.has(file),
    optional: file === ICON && !needed.has(file) && !listed.includes(file),
  }));
}

/** Whether a file has no signature, and nobody expects one. */
export function isUnsignedByDesign({ signed }: PackageFile, { state }: Verdict): boolean {
  return !signed && state === 'missing';
}

/** The problems that count: a file that is unsigned by design is not reproached for it. */
export function countingProblems(
  file: PackageFile,
  verdict: Verdict,
  problems: readonly CliError[],
): readonly CliError[] {
  return isUnsignedByDesign(file, verdict) ? problems.filter(({ code }) => ALWAYS.has(code)) : problems;
}
