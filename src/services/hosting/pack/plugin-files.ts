import { readdir } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { CliError } from '../../../core/errors.js';
import { localError } from '../../../core/files/local-error.js';
import { decode, readBounded } from '../../../core/files/read-bounded.js';
import { parseJson } from '../../../core/json/json.js';
import { isRawObject } from '../../../hub/fields.js';

/** Folders of a plugin project whose files (`NAME-TYPE.EXTENSION`) describe its plugins. */
export interface PluginFolders {
  /** `.json`. */
  readonly widgets: string | undefined;
  /** `.md`. */
  readonly docs: string | undefined;
  /** `.png`, `.svg`, `.jpg`, `.gif`. */
  readonly icons: string | undefined;
}

/** What such folders say of one plugin. */
export interface PluginTexts {
  widget?: string;
  doc?: string;
}

/** What was found by `NAME-TYPE`, and files that nothing was made of. */
export interface PluginFiles {
  readonly texts: ReadonlyMap<string, PluginTexts>;
  readonly unused: readonly string[];
}

/** Bytes of all files together (`docs/limits.md`). */
const LARGEST = 32 * 1024 * 1024;
const MOST_FILES = 20_000;
const IMAGES: ReadonlyMap<string, string> = new Map([
  ['.png', 'image/png'],
  ['.jpg', 'image/jpeg'],
  ['.jpeg', 'image/jpeg'],
  ['.gif', 'image/gif'],
  ['.svg', 'image/svg+xml'],
]);

/**
 * Reads the folders as the Maven plugin of such projects does. An icon becomes a member of the widget.
 * @throws LOCAL_IO, BAD_JSON, BAD_UTF8, DUP_KEY, TOO_LARGE
 */
export async function readPluginFiles({ widgets, docs, icons }: PluginFolders): Promise<PluginFiles> {
  const texts = new Map<string, PluginTexts>();
  const unused: string[] = [];
  const take = (key: string, part: PluginTexts): void => void texts.set(key, { ...texts.get(key), ...part });
  const read = boundedReader();
  const images = new Map((await filesIn(icons, [...IMAGES.keys()], unused)).map((file) => [keyOf(file), file]));
  for (const file of await filesIn(docs, ['.md'], unused)) {
    const doc = decode(await read(file));
    if (doc === undefined) throw new CliError('BAD_UTF8', `${file} is not UTF-8 text`, { target: { file } });
    take(keyOf(file), { doc });
  }
  for (const file of await filesIn(widgets, ['.json'], unused)) {
    const icon = images.get(keyOf(file));
    images.delete(keyOf(file));
    take(keyOf(file), { widget: await widgetText(file, icon, read) });
  }
  return { texts, unused: [...unused, ...images.values()] };
}

/** The file as it is; with an icon as the same object with one more member. */
async function widgetText(file: string, icon: string | undefined, read: Reader): Promise<string> {
  const bytes = await read(file);
  const widget = parseJson(bytes, file, { duplicates: 'refuse' });
  if (!isRawObject(widget)) throw new CliError('BAD_JSON', `${file} is not a JSON object`, { target: { file } });
  if (icon === undefined) return decode(bytes) ?? '';
  const type = IMAGES.get(extname(icon).toLowerCase()) ?? '';
  const data = `data:${type};base64,${(await read(icon)).toString('base64')}`;
  return JSON.stringify({ ...widget, icon: { type: 'inline', arguments: { data } } }, undefined, 2);
}

type Reader = (file: string) => Promise<Buffer>;

function boundedReader(): Reader {
  let left = LARGEST;
  return async (file) => {
    const tooMuch = new CliError('TOO_LARGE', `widgets, docs and icons have more than ${LARGEST} bytes`, {
      target: { file },
    });
    const bytes = await readBounded(file, left, tooMuch);
    left -= bytes.length;
    return bytes;
  };
}

const keyOf = (file: string): string => (file.split(/[/\\]/u).at(-1) ?? '').replace(/\.[^.]*$/u, '');

/** Paths of the files with these extensions, sorted; hidden ones are passed over. */
async function filesIn(
  folder: string | undefined,
  extensions: readonly string[],
  unused: string[],
): Promise<readonly string[]> {
  if (folder === undefined) return [];
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw localError(error, 'read', folder);
  });
  if (entries.length > MOST_FILES) throw new CliError('TOO_LARGE', `${folder} has more than ${MOST_FILES} files`);
  const shown = entries.filter(({ name }) => !name.startsWith('.')).sort((a, b) => (a.name < b.name ? -1 : 1));
  const isWanted = (name: string): boolean => extensions.includes(extname(name).toLowerCase());
  for (const entry of shown) if (!entry.isFile() || !isWanted(entry.name)) unused.push(join(folder, entry.name));
  return shown.filter((entry) => entry.isFile() && isWanted(entry.name)).map(({ name }) => join(folder, name));
}
