import { dirname, join } from 'node:path';
import { CliError } from '../../../core/errors.js';
import { parseJson } from '../../../core/json/json.js';
import { isRawObject } from '../../../hub/fields.js';
import { LIMITS, readAll } from '../../../hub/source.js';
import { refuseLink, writeAtomically } from '../../../state/atomic-write.js';
import { isContentError } from '../../catalog/fetch-file.js';
import { madeFolder } from '../tree/create-folder.js';
import { refuseNames } from './hosted-name.js';
import { isKept, localFile } from './folder/local-file.js';
import type { MirrorPlan } from './mirror-plan.js';
import { VersionRecord } from './folder/records.js';

const ICON = 'icon.png';
const FILE = 'categories.json';

/**
 * Fetches the icons of the categories that a catalog lists, which no hub signs. One that cannot be had is a warning.
 */
export async function bringIcons(
  plan: MirrorPlan,
  front: ReadonlyMap<string, Uint8Array>,
  signal: AbortSignal,
): Promise<void> {
  const names = withIcon(front.get(FILE));
  if (names.length === 0) return;
  const record = await VersionRecord.read(plan.folder.icons);
  for (const name of names) {
    try {
      await bringIcon(plan, name, record, signal);
    } catch (error) {
      if (signal.aborted || !isContentError(error)) throw error;
      const message = `the icon of a category cannot be mirrored: ${error.message}`;
      plan.request.emit({ type: 'warning', code: error.code, message });
    }
  }
}

function withIcon(bytes: Uint8Array | undefined): readonly string[] {
  try {
    const listed: unknown = bytes === undefined ? [] : parseJson(bytes, FILE);
    return (Array.isArray(listed) ? listed : []).flatMap((category: unknown) =>
      isRawObject(category) && category['hasIcon'] === true && typeof category['name'] === 'string'
        ? [category['name']]
        : [],
    );
  } catch (error) {
    // Clients do without categories that cannot be read.
    if (error instanceof CliError) return [];
    throw error;
  }
}

async function bringIcon(
  { folder, upstream }: MirrorPlan,
  category: string,
  record: VersionRecord,
  signal: AbortSignal,
): Promise<void> {
  refuseNames(category);
  const path = join(folder.root, 'categories', category, ICON);
  for (const part of [dirname(dirname(path)), dirname(path)]) refuseLink(part);
  const [local, known] = [localFile(path), record.kept(category)];
  const options = { maxBytes: LIMITS.specification, ...(local && isKept(known, local) && { unless: known?.etag }) };
  const opened = await upstream.source.open({ category, file: ICON }, options, signal);
  if (opened === undefined || opened.isUnchanged === true) return;
  const bytes = await readAll(opened, LIMITS.specification);
  madeFolder(dirname(path));
  await writeAtomically(path, bytes, { mode: 0o644, overwrite: true });
  const written = localFile(path);
  if (written !== undefined)
    record.note({ name: category, ...written, sha256: '', ...(opened.etag !== undefined && { etag: opened.etag }) });
}
