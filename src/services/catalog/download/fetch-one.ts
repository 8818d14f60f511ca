import { CliError } from '../../../core/errors.js';
import type { CatalogEntry } from '../../../hub/catalog.js';
import { openInside } from '../../../hub/folder-files.js';
import type { HubMemory } from '../../../trust/memory.js';
import type { SignatureState } from '../../../trust/verdict.js';
import { fetchFile, isContentError } from '../fetch-file.js';
import { isUnsignedByDesign, type PackageFile } from '../package-files.js';
import type { TrustSetup } from '../trust-setup.js';
import type { PackageAddress } from '../specification.js';
import type { FetchOptions, FileReport, TrustedPackage } from '../trusted-package.js';

/**
 * A package version to download. Its source holds signatures, so that the one that was judged is the one that is
 * written.
 */
export interface PackageToDownload extends PackageAddress {
  readonly hub: string;
  readonly entry: CatalogEntry | undefined;
  readonly setup: TrustSetup;
  /** Stores what was seen, after every check passed. */
  readonly remember: (memory: HubMemory) => Promise<void>;
}

/** One file of a download; a kept one without a signature was not looked into. */
export interface DownloadedFile {
  readonly hub: string;
  readonly package: string;
  readonly version: string;
  readonly name: string;
  readonly path: string;
  readonly bytes?: number | undefined;
  readonly sha256?: string | undefined;
  /** `resumed` when a part of it came with an earlier run. */
  readonly state: 'downloaded' | 'resumed' | 'kept';
  /** Absent when nothing was verified. */
  readonly signature?: SignatureState | undefined;
}

/** A package whose specification was read and verified, and the files that will be written. */
export interface PlannedDownload {
  readonly wanted: PackageToDownload;
  readonly trusted: TrustedPackage;
  readonly folder: string;
  readonly files: readonly PackageFile[];
  /** The names of files that an unfinished run wrote, and that are as it left them. */
  readonly own: ReadonlySet<string>;
}

/** What a download says of the signature of a file; undefined when nothing is verified. */
export function stateOf(plan: PlannedDownload, file: PackageFile, { verdict }: FileReport): SignatureState | undefined {
  if (plan.wanted.setup.policy === 'off') return undefined;
  return isUnsignedByDesign(file, verdict) ? 'unsigned' : verdict.state;
}

/** What a download says of a file that was verified. */
export type FileFacts = Pick<DownloadedFile, 'bytes' | 'sha256' | 'signature'>;

/**
 * Verifies a file where an earlier run left it, as if it came from the hub. Undefined when no signature speaks for
 * these bytes, and it must be fetched anew.
 */
export async function verifyInPlace(
  plan: PlannedDownload,
  file: PackageFile,
  signal: AbortSignal,
): Promise<FileFacts | undefined> {
  const open: FetchOptions['open'] = (_place, { maxBytes }, both) =>
    openInside(plan.folder, [file.name], maxBytes, both);
  try {
    const report = await fetchFile(plan.trusted, file, { open }, signal);
    if (report?.verdict.state !== 'valid') return undefined;
    return { bytes: report.bytes, sha256: report.sha256, signature: stateOf(plan, file, report) };
  } catch (error) {
    if (error instanceof CliError && isContentError(error)) return undefined;
    throw error;
  }
}
