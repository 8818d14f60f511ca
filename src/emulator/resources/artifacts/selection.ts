import { refuse } from '../../http/answers.js';
import type { Artifact } from '../../store/model.js';
import { compareArtifacts } from '../../store/store.js';
import { inRange, parseVersion, parseWanted, VersionComplaint, type VersionRange } from '../../store/versions.js';

const ORDERS = ['UNORDERED', 'ASC', 'DESC'];

/**
 * Applies `artifactVersion`, `order` and `limit` of a query (docs/platform.md 4). What cannot be read is a 500, as on
 * the platform.
 */
export function selectArtifacts<Item>(
  items: readonly Item[],
  query: URLSearchParams,
  artifactOf: (item: Item) => Artifact,
): Item[] {
  const order = query.get('order') ?? 'UNORDERED';
  if (!ORDERS.includes(order)) {
    refuse(500, `No enum constant io.cdap.cdap.proto.artifact.ArtifactSortOrder.${order}`);
  }
  const limit = query.get('limit') ?? '0';
  if (!/^-?\d+$/u.test(limit)) refuse(500, `For input string: "${limit}"`);
  const wanted = query.get('artifactVersion');
  const range = wanted === null ? undefined : readable(500, () => parseWanted(wanted));
  const direction = order === 'DESC' ? -1 : 1;
  const selected = items
    .filter((item) => range === undefined || holds(range, artifactOf(item).version))
    .sort((a, b) => direction * compareArtifacts(artifactOf(a), artifactOf(b)));
  return Number(limit) > 0 ? selected.slice(0, Number(limit)) : selected;
}

/** Whether a version text lies in the range. */
export function holds(range: VersionRange, version: string): boolean {
  const parsed = parseVersion(version);
  return parsed !== undefined && inRange(parsed, range);
}

/** Reads a version or range; the sentence about one that cannot be read is answered with the status. */
export function readable<Value>(status: number, read: () => Value): Value {
  try {
    return read();
  } catch (error) {
    if (error instanceof VersionComplaint) refuse(status, error.message);
    throw error;
  }
}
