import type { Clock } from '../../core/clock.js';
import { CliError } from '../../core/errors.js';
import { mapConcurrent } from '../../core/concurrency.js';
import { readCatalog, type Catalog, type CatalogOptions } from '../../hub/catalog.js';
import type { HubSource } from '../../hub/source.js';
import { digestOf, readCached, writeCached, type CachedHead } from '../../state/cache.js';

const AT_ONCE = 8;

/** Where catalogs are kept between runs, and what is kept there of this one. */
export interface CatalogCache {
  readonly folder: string;
  readonly head: CachedHead | undefined;
  readonly clock: Pick<Clock, 'now'>;
}

/** A hub as the user configured it, with what is stored of it. */
export interface NamedHub {
  readonly name: string;
  readonly source: HubSource;
  readonly cache?: CatalogCache | undefined;
  /** Fetch the catalog again, even if the stored one is current. */
  readonly refresh?: boolean | undefined;
  /** Read the stored catalog only, ask nobody. */
  readonly offline?: boolean | undefined;
}

/** A catalog and where it came from. */
export interface LoadedCatalog {
  readonly hub: NamedHub;
  readonly catalog: Catalog;
  /** Made from a source tree without `packages.json`. */
  readonly synthesized: boolean;
  /** The stored copy was used. */
  readonly stored: boolean;
}

/** A hub that could not be read, and why. */
export interface FailedHub {
  readonly hub: string;
  readonly error: CliError;
}

/** The catalog of one hub: fetched, or the stored copy when it is still current or when offline. */
export async function loadCatalog(
  hub: NamedHub,
  signal: AbortSignal,
  options: CatalogOptions = {},
): Promise<LoadedCatalog> {
  const { name, source, cache } = hub;
  const head = hub.refresh === true ? undefined : cache?.head;
  const stored = async (): Promise<LoadedCatalog | undefined> => {
    const bytes = cache && head && (await readCached(cache.folder, source.base))?.bytes;
    const catalog = bytes && readIntact(bytes, `the cached catalog of ${name}`, options);
    return catalog && { hub, catalog, synthesized: false, stored: true };
  };
  if (hub.offline === true && source.kind === 'http') {
    const kept = await stored();
    if (kept !== undefined) return kept;
    const hints = [{ next: 'cache-catalog', hub: name } as const];
    throw new CliError('HUB_NOT_FOUND', `no usable cached catalog of the hub ${name}`, {
      hints,
      target: { hub: name },
    });
  }
  let answer = await source.catalog({ ...options, etag: head?.etag }, signal);
  let known = cache;
  if (answer.notModified) {
    const kept = await stored();
    if (kept !== undefined) return kept;
    // A damaged copy is replaced, also where its head is that of the new one.
    known = cache && { ...cache, head: undefined };
    answer = await source.catalog(options, signal);
  }
  if (!answer.synthesized && known !== undefined) await keep(source.base, answer, known);
  return { hub, catalog: answer.catalog, synthesized: answer.synthesized, stored: false };
}

/** A stored catalog, which was read before it was stored; undefined when it cannot be read now. */
function readIntact(bytes: Uint8Array, what: string, options: CatalogOptions): Catalog | undefined {
  try {
    return readCatalog(bytes, what, options);
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

/** Stores a catalog that was just fetched, unless it is the one that is stored. */
async function keep(
  base: string,
  { bytes, etag }: { readonly bytes: Uint8Array; readonly etag?: string | undefined },
  { folder, head, clock }: CatalogCache,
): Promise<void> {
  if (head !== undefined && head.etag === etag && head.sha256 === digestOf(bytes)) return;
  // A cache that cannot be written costs time, not the answer.
  await writeCached(folder, base, { bytes, etag, fetchedAt: clock.now() }).catch(() => undefined);
}

/**
 * The lean catalogs of several hubs in their order; a hub that fails is a value. When all fail, the first reason is
 * thrown.
 */
export async function loadCatalogs(
  hubs: readonly NamedHub[],
  signal: AbortSignal,
): Promise<{ readonly loaded: readonly LoadedCatalog[]; readonly failed: readonly FailedHub[] }> {
  const loaded: LoadedCatalog[] = [];
  const failed: FailedHub[] = [];
  for await (const result of mapConcurrent(hubs, AT_ONCE, tryCatalog, signal)) {
    if ('error' in result) failed.push(result);
    else loaded.push(result);
  }
  const [first] = failed;
  if (loaded.length === 0 && first !== undefined) throw first.error;
  return { loaded, failed };
}

async function tryCatalog(hub: NamedHub, signal: AbortSignal): Promise<LoadedCatalog | FailedHub> {
  try {
    return await loadCatalog(hub, signal, { lean: true });
  } catch (error) {
    if (signal.aborted || !(error instanceof CliError)) throw error;
    return { hub: hub.name, error };
  }
}
