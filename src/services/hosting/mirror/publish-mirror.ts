import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { counted } from '../../../core/counted.js';
import { lengthText } from '../../../core/duration.js';
import { isThere } from '../../../core/files/exists.js';
import { localError } from '../../../core/files/local-error.js';
import type { PackageVersion } from '../../../hub/source.js';
import { signedBy } from '../../../hub/signature-names.js';
import { bringIcons } from './category-icons.js';
import { trustDigest } from './trust-digest.js';
import { versionFolder, writeMirrorState } from './folder/mirror-folder.js';
import type { MirrorPlan, MirrorResult } from './mirror-plan.js';
import { memoryOf } from './mirror-result.js';
import {
  changedFront,
  entriesOfHub,
  ownCatalog,
  ownEntries,
  removeFront,
  writeFront,
  type RawEntry,
} from './catalog-entries.js';
import { placeNew, placeReplaced, removeSurplus, removeVersion, syncAll } from './folder/place.js';
import { VersionRecord } from './folder/records.js';
import { isWhole } from './select.js';

/** Files of a version that its hub no longer has. */
interface Surplus {
  readonly wanted: PackageVersion;
  readonly names: readonly string[];
}

/** Makes what waits visible: packages, catalogs, the index with its signature, last the removals. */
export async function publishMirror(plan: MirrorPlan, signal: AbortSignal): Promise<MirrorResult['catalog']> {
  const { request, folder, upstream, staged, gone } = plan;
  const { root } = folder;
  const whole = isWhole(request.selection);
  const front = whole ? upstream.front : ownCatalog(upstream, await entriesOf(plan));
  const changed = await changedFront(root, front);
  if (request.dry) return changed.length > 0 ? 'outdated' : 'unchanged';
  const waiting = (isNew: boolean): readonly PackageVersion[] =>
    staged
      .filter(({ waiting: own, state }) => own.length > 0 && (state === 'added') === isNew)
      .map(({ wanted }) => wanted);
  await placeNew(folder, waiting(true), signal);
  await bringIcons(plan, front, signal);
  await keepState(plan);
  let touched: Iterable<string> = [];
  const replace = (): void => void (touched = placeReplaced(folder, waiting(false)));
  await writeFront(root, changed, replace, signal);
  await syncAll(touched, signal);
  // Before anything else can fail: readers have the new index.
  await request.remember(memoryOf(plan));
  await keepPlaced(plan);
  if (whole) removeFront(root, front);
  if (plan.failed.length === 0) clear(folder.stage);
  warnOfIndex(plan, front, changed.length > 0);
  const late: Surplus[] = [];
  for (const { wanted, surplus } of staged) {
    const path = versionFolder(root, wanted);
    const stays = (name: string): boolean => !surplus.includes(name) && isThere(join(path, name));
    const drops = (name: string): boolean => stays(signedBy(name) ?? name);
    // Clients would take a signature that the hub has dropped for that of the new content.
    removeSurplus(folder, wanted, surplus.filter(drops));
    late.push({ wanted, names: surplus.filter((name) => !drops(name)) });
  }
  await graceOf(plan, late, signal);
  for (const { wanted, names } of late) removeSurplus(folder, wanted, names);
  for (const place of gone) removeVersion(folder, place);
  return changed.length > 0 ? 'written' : 'unchanged';
}

/** Warns of an index that is not the one of the hub. Its owner may have made it. */
function warnOfIndex({ request, folder }: MirrorPlan, front: ReadonlyMap<string, Uint8Array>, isNew: boolean): void {
  if (!isNew || !request.signatures || front.has('index.json') || !isThere(join(folder.root, 'index.json'))) return;
  const remove = isWhole(request.selection) ? ', or remove it and index.json.asc: the hub has no index' : '';
  const message = `index.json does not match the new catalog; sign the hub again${remove}`;
  request.emit({ type: 'warning', code: 'MIXED', message });
}

/** Waits for readers with the old catalog. What a killed run has not removed, the next one removes. */
async function graceOf({ request, gone }: MirrorPlan, late: readonly Surplus[], signal: AbortSignal): Promise<void> {
  const { grace, emit } = request;
  const count = gone.length + late.filter(({ names }) => names.length > 0).length;
  if (grace === undefined || grace.time === 0 || count === 0) return;
  const time = lengthText(grace.time / 1000);
  emit({
    type: 'note',
    message: `note: files of ${counted(count, 'package version')} will be removed in ${time}; the mirror is published`,
  });
  await grace.clock.sleep(grace.time, signal);
}

/** Before clients see the new index, so that a killed run never leads back to the old one. */
async function keepState({ request, folder, mirrored, upstream, known }: MirrorPlan): Promise<void> {
  const { index, sha256 } = upstream.state;
  const own = index !== undefined && sha256 !== undefined ? { sequence: index.sequence, sha256 } : undefined;
  // Without such an index the time alone tells which of two states of a hub is the later one.
  const created = request.bundle?.created ?? (own === undefined ? request.setup.now.toISOString() : undefined);
  // A number that no key vouches for would hold up the right ones for good.
  const last = own ?? known?.index;
  const state = { ...mirrored, ...(last && { index: last }), ...(created !== undefined && { created }) };
  await writeMirrorState(folder, { version: 1, ...state });
}

/** Notes what files are in their places now, so that the next run need not read them. */
async function keepPlaced({ request, folder, staged }: MirrorPlan): Promise<void> {
  const by = trustDigest(request.setup);
  for (const { wanted, waiting } of staged) {
    if (waiting.length === 0) continue;
    const record = await VersionRecord.read(folder.record(wanted), { by });
    for (const name of waiting) record.placed(name, join(versionFolder(folder.root, wanted), name));
  }
}

/**
 * What the catalog of a part of a hub lists: what is whole now, or was listed and is still there. A copy that does not
 * pass verification is left out, unless a key of one's own has published it.
 */
async function entriesOf(plan: MirrorPlan): Promise<readonly RawEntry[]> {
  const { request, folder, upstream, selected, staged, unverified } = plan;
  const key = (name: string, version: string): string => JSON.stringify([name, version]);
  const wanted = new Set(selected.map(({ name, version }) => key(name, version)));
  const whole = new Set(staged.map(({ wanted: { name, version } }) => key(name, version)));
  const bad = new Set(request.signatures ? unverified.map(({ name, version }) => key(name, version)) : []);
  const before = (await ownEntries(folder.root)).filter(
    ({ name, version }) =>
      (wanted.has(key(name, version)) || !request.prune) &&
      !whole.has(key(name, version)) &&
      !bad.has(key(name, version)) &&
      isThere(join(versionFolder(folder.root, { name, version }), 'spec.json')),
  );
  const listed = new Map(entriesOfHub(upstream).map((entry) => [entry.index, entry]));
  return [...staged.flatMap(({ wanted: { index } }) => listed.get(index) ?? []), ...before];
}

function clear(stage: string): void {
  try {
    rmSync(stage, { recursive: true, force: true });
  } catch (error) {
    throw localError(error, 'write', stage);
  }
}
