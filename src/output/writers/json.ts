import { escapedJson } from '../escape.js';
import type { ListParts, ListResult, Page, RenderOptions, Warning } from '../view-types.js';
import { chosenMembers } from './columns.js';

/** Version of the JSON envelope; raised when a member is removed or retyped. */
export const SCHEMA_VERSION = 1;

/** Items that are given to the sink in one text. */
export const ITEMS_AT_ONCE = 200;

/** A JSON document with its line end: indented for a terminal, compact for programs. */
export function jsonDocument(value: unknown, pretty: boolean): string {
  return `${escapedJson(JSON.stringify(value, undefined, pretty ? 2 : undefined))}\n`;
}

/** The JSON form of an item, only the members of `--fields` where given. */
export function jsonItems<T>(parts: ListParts<T>, options: RenderOptions): (item: T) => unknown {
  const members = chosenMembers(parts, options);
  const whole = parts.json ?? ((item: T): unknown => item);
  if (members === undefined) return whole;
  return (item) => {
    const all = whole(item);
    if (typeof all !== 'object' || all === null) return all;
    const entries = new Map<string, unknown>(Object.entries(all));
    return Object.fromEntries(members.filter((name) => entries.has(name)).map((name) => [name, entries.get(name)]));
  };
}

/** The envelope of one object. */
export function itemEnvelope(kind: string, item: unknown, warnings: readonly Warning[]): object {
  return { schemaVersion: SCHEMA_VERSION, kind, item, warnings };
}

/** The page of a list; a list that came whole is one page. */
export function pageOf(page: Page | undefined, returned: number): Page {
  return page ?? { offset: 0, returned, total: returned, next: null };
}

/**
 * The envelope of a list. Nothing is yielded before the last item is known, so that a failure can still be the one
 * document.
 */
export async function* jsonList<T>(
  parts: ListParts<T>,
  result: ListResult<T>,
  options: RenderOptions,
): AsyncGenerator<string> {
  const toJson = jsonItems(parts, options);
  const pieces: string[] = [];
  for await (const item of result.items) pieces.push(pieceOf(toJson(item), options.look.terminal));
  yield* framed(parts.kind, [pieces], options, () => ({
    page: pageOf(result.page, pieces.length),
    ...result.members,
  }));
}

/**
 * As `jsonList`, for items that come in groups; written as they come. Use it only for output that is not visible until
 * it is complete. `ending` is called when all items have come.
 */
export async function* jsonOfMany<T>(
  parts: ListParts<T>,
  many: AsyncIterable<readonly T[]>,
  options: RenderOptions,
  ending: () => { readonly page: Page },
): AsyncGenerator<string> {
  const toJson = jsonItems(parts, options);
  const pieces = async function* (): AsyncGenerator<readonly string[]> {
    for await (const items of many)
      for (let at = 0; at < items.length; at += ITEMS_AT_ONCE)
        yield items.slice(at, at + ITEMS_AT_ONCE).map((item) => pieceOf(toJson(item), options.look.terminal));
  };
  yield* framed(parts.kind, pieces(), options, ending);
}

async function* framed(
  kind: string,
  many: Iterable<readonly string[]> | AsyncIterable<readonly string[]>,
  options: RenderOptions,
  ending: () => { readonly page: Page },
): AsyncGenerator<string> {
  const pretty = options.look.terminal;
  const [open, comma, close] = pretty ? ['\n    ', ',\n    ', '\n  '] : ['', ',', ''];
  yield inside({ schemaVersion: SCHEMA_VERSION, kind }, pretty, 'head') + (pretty ? '  "items": [' : '"items":[');
  let any = false;
  for await (const pieces of many) {
    for (let at = 0; at < pieces.length; at += ITEMS_AT_ONCE) {
      yield (any ? comma : open) + pieces.slice(at, at + ITEMS_AT_ONCE).join(comma);
      any = true;
    }
  }
  const tail = { ...ending(), warnings: options.warnings?.() ?? [] };
  yield (any ? close : '') + (pretty ? '],\n' : '],') + inside(tail, pretty, 'tail');
}

function pieceOf(item: unknown, pretty: boolean): string {
  const text = escapedJson(JSON.stringify(item, undefined, pretty ? 2 : undefined));
  return pretty ? text.replaceAll('\n', '\n    ') : text;
}

function inside(members: object, pretty: boolean, end: 'head' | 'tail'): string {
  const text = escapedJson(JSON.stringify(members, undefined, pretty ? 2 : undefined));
  if (end === 'head') return pretty ? `${text.slice(0, -2)},\n` : `${text.slice(0, -1)},`;
  return `${text.slice(pretty ? 2 : 1)}\n`;
}
