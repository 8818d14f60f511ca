import { CliError } from '../core/errors.js';
import { fileNameProblem, isSafeSegment } from '../core/names.js';
import type { Catalog, CatalogOptions } from './catalog.js';
import { brief } from './fields.js';

/** Most bytes that are read of each kind of file (docs/limits.md); the one for resources is a default. */
export const LIMITS = {
  signature: 64 * 1024,
  specification: 4 * 1024 * 1024,
  catalog: 40_000_000,
  index: 20_000_000,
  resource: 2 * 1024 * 1024 * 1024,
} as const;

/** A version of a package in a hub. */
export interface PackageVersion {
  readonly name: string;
  readonly version: string;
}

/** The place of a file in a hub: in a package version or a category, or at the root without them. */
export interface FilePlace {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
  readonly category?: string | undefined;
  readonly file: string;
}

/** When a file was changed, and when its server said so. Both are milliseconds since the epoch, by one clock. */
export interface ChangeTime {
  readonly at: number;
  readonly answered?: number;
}

/** An opened file; its body is read once, or dropped with `discard`. */
export interface HubFile {
  /** Address or path, for messages. */
  readonly what: string;
  /** Size, when it is known before the body is read. */
  readonly bytes?: number | undefined;
  /** Where in the file the body begins, when that was asked for and could be done. */
  readonly from?: number | undefined;
  /** A strong tag: two answers with it are the same bytes. */
  readonly etag?: string | undefined;
  /** When it was changed, if that is known. */
  readonly changed?: ChangeTime | undefined;
  /** It still has the tag that was told, and no body. */
  readonly isUnchanged?: true;
  /** A piece is good until the next one is asked for. */
  readonly body: AsyncIterable<Uint8Array>;
  discard(): Promise<void>;
}

/** How to fetch a catalog. */
export interface CatalogRequest extends CatalogOptions {
  /** Nothing is wanted when it still has this tag. */
  readonly etag?: string | undefined;
}

/** The catalog of a hub as it was fetched. With `notModified` it is empty and the caller's copy still holds. */
export interface CatalogAnswer {
  readonly catalog: Catalog;
  readonly bytes: Uint8Array;
  readonly etag?: string | undefined;
  readonly notModified: boolean;
  /** Made by us from the specifications of a source tree: there was no `packages.json`. */
  readonly synthesized: boolean;
}

/** How to open a file: its maximum size in bytes, and whether caches on the way must revalidate it. */
export interface OpenOptions {
  readonly maxBytes: number;
  readonly fresh?: boolean | undefined;
  /** The rest alone is wanted when the file still has this tag. A source that cannot tell gives the whole. */
  readonly rest?: { readonly from: number; readonly etag: string } | undefined;
  /** Nothing is wanted when the file still has this tag. A source that cannot tell gives the whole. */
  readonly unless?: string | undefined;
}

/** A hub to read from: an address or a folder. */
export interface HubSource {
  /**
   * Normalised base URL; for a folder a file:// URL. Memory, keys and cache of the hub go by it (docs/conventions.md
   * D16).
   */
  readonly base: string;
  readonly kind: 'http' | 'folder';
  /** Of a folder: a package alone, as `hub download` writes it, or a hub. */
  readonly holds?: 'hub' | 'package';
  /** What the user calls it. */
  readonly label: string;
  /**
   * The catalog.
   * @throws HUB_NOT_FOUND when there is none
   */
  catalog(options: CatalogRequest, signal: AbortSignal): Promise<CatalogAnswer>;
  /**
   * Opens a file; undefined when the hub does not have it. BAD_NAME for a name that could leave its folder; TOO_LARGE.
   */
  open(place: FilePlace, options: OpenOptions, signal: AbortSignal): Promise<HubFile | undefined>;
  /** The files of a package version; only a folder knows them. */
  list?(place: PackageVersion): Promise<readonly { readonly name: string; readonly bytes: number }[]>;
}

/**
 * The segments of a file's path below the root of a hub, each one checked.
 * @throws BAD_NAME (docs/faults.md H20, H21)
 */
export function segmentsOf({ name, version, category, file }: FilePlace): readonly string[] {
  const problem = fileNameProblem(file);
  if (problem !== undefined) throw new CliError('BAD_NAME', `the file name ${brief(file)} ${problem}`);
  const segments =
    category !== undefined ? [category] : name === undefined || version === undefined ? [] : [name, version];
  for (const segment of segments) {
    if (!isSafeSegment(segment))
      throw new CliError('BAD_NAME', `${brief(segment)} is not a valid package name, version or category`);
  }
  if (segments.length === 0) return [file];
  return [category === undefined ? 'packages' : 'categories', ...segments, file];
}

/** TOO_LARGE for a file, naming it and the limit. */
export function tooLarge(what: string, maxBytes: number): CliError {
  return new CliError('TOO_LARGE', `${what} is larger than the limit of ${maxBytes} bytes`);
}

/** Most files are no larger, in bytes. */
const FIRST_PART = 1_048_576;

/**
 * Reads an opened file into memory.
 * @throws TOO_LARGE as soon as it is known to be above the limit
 */
export async function readAll(file: HubFile, maxBytes: number): Promise<Uint8Array> {
  const refuse = async (): Promise<never> => {
    await file.discard();
    throw tooLarge(file.what, maxBytes);
  };
  if ((file.bytes ?? 0) > maxBytes) await refuse();
  // A catalog of tens of megabytes must not lie in memory twice. What is reserved and not written takes none.
  let whole = Buffer.allocUnsafe(file.bytes ?? Math.min(maxBytes, FIRST_PART));
  let total = 0;
  for await (const chunk of file.body) {
    const needed = total + chunk.byteLength;
    if (needed > maxBytes) await refuse();
    if (needed > whole.byteLength) {
      const larger = Buffer.allocUnsafe(maxBytes);
      larger.set(whole.subarray(0, total));
      whole = larger;
    }
    whole.set(chunk, total);
    total = needed;
  }
  return whole.subarray(0, total);
}
