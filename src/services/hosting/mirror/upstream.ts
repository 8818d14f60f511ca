import { createHash } from 'node:crypto';
import { CliError } from '../../../core/errors.js';
import { readCatalog, type Catalog } from '../../../hub/catalog.js';
import { readIndex, type HubIndex } from '../../../hub/index-file.js';
import { LIMITS, type HubSource } from '../../../hub/source.js';
import { otherPublication, untilFits } from '../../../hub/while-published.js';
import { decide } from '../../../trust/policy-decision.js';
import { verifyBytes } from '../../../trust/verify.js';
import { holdFiles } from '../../catalog/files-in-memory.js';
import type { NamedHub } from '../../catalog/load.js';
import { judgeIndex, readSignatureFile, readSmall, type IndexState } from '../../catalog/signed-index.js';
import type { TrustSetup } from '../../catalog/trust-setup.js';
import { hostedNameProblem } from './hosted-name.js';

/** What clients of a hub read first, as it was read and judged. */
export interface Upstream {
  readonly hub: string;
  readonly source: HubSource;
  /** The index as it was judged. */
  readonly state: IndexState;
  /** What the hub lists of its files, signed or not. */
  readonly index: HubIndex | undefined;
  /** SHA-256 of `index.json`. */
  readonly indexDigest: string | undefined;
  /** The files at the root of the hub, byte for byte. */
  readonly front: ReadonlyMap<string, Uint8Array>;
  readonly warnings: readonly string[];
}

/** What clients read first, and the catalog in it, which takes much more memory than its bytes. */
export interface ReadUpstream {
  readonly upstream: Upstream;
  readonly catalog: Catalog;
}

/** Files of the root that a hub may have without an index that lists them. */
const OPTIONAL = ['categories.json', 'packages.json.asc', 'metadata.json'];
const ROOT: ReadonlySet<string> = new Set(['packages.json', ...OPTIONAL]);
/** Bytes of all files at the root. */
const MOST = 128_000_000;

/**
 * Reads and judges what clients of a hub read first. Where a catalog and the index do not fit, as while a hub is
 * published, all are read again past all caches. `listing` stands for the index of a hub that has none.
 * @throws what speaks against the index, MIXED, HUB_NOT_FOUND, and the errors of catalogs
 */
export async function readUpstream(
  hub: NamedHub,
  setup: TrustSetup,
  signal: AbortSignal,
  listing?: HubIndex,
): Promise<ReadUpstream> {
  const read = (fresh: boolean): Promise<ReadUpstream | CliError> =>
    readFront(hub, setup, signal, { listing, fresh }).catch((error: unknown) => {
      if (error instanceof CliError && error.code === 'MIXED') return error;
      throw error;
    });
  const isWhole = (found: ReadUpstream | CliError): boolean => !(found instanceof CliError);
  const found = await untilFits(read, isWhole, { ...setup, source: hub.source }, signal);
  if (found instanceof CliError) throw found;
  return found;
}

async function readFront(
  { name: hub, source }: NamedHub,
  setup: TrustSetup,
  signal: AbortSignal,
  { listing, fresh }: { readonly listing: HubIndex | undefined; readonly fresh: boolean },
): Promise<ReadUpstream> {
  const open: HubSource['open'] = (place, options, both) =>
    source.open(place, { ...options, ...(fresh && { fresh }) }, both);
  const held = holdFiles({ ...source, open }, ({ name }) => name === undefined);
  const state = await judgeIndex(held, setup, signal);
  const [problem] = state.problems;
  if (problem !== undefined) throw problem;
  const bytes = await readSmall(held, { file: 'index.json' }, LIMITS.index, signal);
  const index = state.index ?? unverifiedIndex(bytes) ?? listing;
  const front = await filesOf(held, { index, listing }, signal);
  if (bytes !== undefined) front.set('index.json', bytes);
  const signature = bytes && (await readSignatureFile(held, { file: 'index.json.asc' }, signal));
  if (signature !== undefined) front.set('index.json.asc', signature);
  const catalog = await catalogOf(held, front, signal);
  const warnings = state.index === undefined ? await judgeCatalog(front, setup, source) : [];
  const indexDigest = bytes && createHash('sha256').update(bytes).digest('hex');
  const upstream = { hub, source, state, index, indexDigest, front, warnings: [...state.warnings, ...warnings] };
  return { upstream, catalog };
}

/** An index that no key speaks for still says what has changed. */
function unverifiedIndex(bytes: Uint8Array | undefined): HubIndex | undefined {
  try {
    return bytes && readIndex(bytes, 'index.json');
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

/** What a mirror has at its root. Web servers and browsers do more with other files than deliver them. */
const isOfRoot = (name: string): boolean =>
  ROOT.has(name) || (name.endsWith('.asc') && hostedNameProblem(name) === undefined);

async function filesOf(
  source: HubSource,
  { index, listing }: { readonly index: HubIndex | undefined; readonly listing: HubIndex | undefined },
  signal: AbortSignal,
): Promise<Map<string, Uint8Array>> {
  const front = new Map<string, Uint8Array>();
  const listed = index?.files ?? [];
  const total = listed.reduce((sum, { size }) => sum + size, 0);
  if (total > MOST) throw new CliError('TOO_LARGE', `the index lists more than ${MOST} bytes at the root of the hub`);
  for (const { name, size, sha256 } of listed) {
    // A bundle lists what its mirror has at the root; the hub has no index that calls for it.
    if (!isOfRoot(name) && index === listing) continue;
    if (!isOfRoot(name))
      throw new CliError('BAD_NAME', `the index lists ${JSON.stringify(name.slice(0, 120))} at the root of the hub`);
    const bytes = await readSmall(source, { file: name }, LIMITS.catalog, signal);
    if (bytes?.length !== size || createHash('sha256').update(bytes).digest('hex') !== sha256)
      throw otherPublication(`${name} does not match the index of the hub`, { file: name });
    front.set(name, bytes);
  }
  for (const name of OPTIONAL) {
    if (front.has(name)) continue;
    const most = name.endsWith('.asc') ? LIMITS.signature : LIMITS.catalog;
    const bytes = await readSmall(source, { file: name }, most, signal);
    if (bytes !== undefined) front.set(name, bytes);
  }
  return front;
}

async function catalogOf(source: HubSource, front: Map<string, Uint8Array>, signal: AbortSignal): Promise<Catalog> {
  const name = 'packages.json';
  const bytes = front.get(name) ?? (await readSmall(source, { file: name }, LIMITS.catalog, signal));
  if (bytes !== undefined) {
    front.set(name, bytes);
    return readCatalog(bytes, `${name} of ${source.label}`);
  }
  // The catalog of a source tree is made, and a hub without one is refused, by who knows how.
  const made = await source.catalog({}, signal);
  front.set(name, made.bytes);
  return made.catalog;
}

/** A catalog that its hub signs alone, without an index. */
async function judgeCatalog(
  front: ReadonlyMap<string, Uint8Array>,
  { policy, keyring, now, pinned }: TrustSetup,
  source: HubSource,
): Promise<readonly string[]> {
  const file = 'packages.json';
  const [bytes, signature] = [front.get(file), front.get(`${file}.asc`)];
  if (bytes === undefined || signature === undefined || policy === 'off' || pinned === 0) return [];
  const verdict = await verifyBytes(bytes, signature, keyring, now);
  const { errors, warnings } = decide(policy, [{ file, verdict }], pinned, source);
  if (errors[0] !== undefined) throw errors[0];
  return warnings;
}

/**
 * Refuses a hub whose index is older than the one that was mirrored last (docs/faults.md V14).
 * @throws ROLLBACK
 */
export function refuseOlder(
  { hub, index, indexDigest }: Upstream,
  last: { readonly sequence: number; readonly sha256: string } | undefined,
): void {
  if (last === undefined) return;
  const hints = ['the hub or a cache may be outdated; retry later or contact the owner of the hub'];
  if (index === undefined || indexDigest === undefined)
    throw new CliError('ROLLBACK', `the hub ${hub} has no index, but the mirror has index ${last.sequence} of it`, {
      hints,
    });
  if (index.sequence > last.sequence || (index.sequence === last.sequence && indexDigest === last.sha256)) return;
  const other = index.sequence === last.sequence ? 'another ' : '';
  throw new CliError(
    'ROLLBACK',
    `the hub ${hub} has ${other}index ${index.sequence}, but the mirror has index ${last.sequence} of it`,
    { hints },
  );
}
