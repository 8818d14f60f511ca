import { escapedJson } from '../escape.js';
import type { ListParts, ListResult, Page, RenderOptions, Warning } from '../view-types.js';
import { chosenMembers } from './columns.js';
import { grouped } from './grouped.js';

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
  const groups: string[] = [];
  let count = 0;
  for await (const items of grouped(result.items)) {
    count += items.length;
    groups.push(groupText(items.map(toJson), options.look.terminal));
  }
  yield* framed(parts.kind, groups, options, () => ({ page: pageOf(result.page, count), ...result.members }));
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
  const groups = async function* (): AsyncGenerator<string> {
    for await (const items of many)
      for (let at = 0; at < items.length; at += ITEMS_AT_ONCE)
        yield groupText(items.slice(at, at + ITEMS_AT_ONCE).map(toJson), options.look.terminal);
  };
  yield* framed(parts.kind, groups(), options, ending);
}

async function* framed(
  kind: string,
  groups: Iterable<string> | AsyncIterable<string>,
  options: RenderOptions,
  ending: () => { readonly page: Page },
): AsyncGenerator<string> {
  const pretty = options.look.terminal;
  yield inside({ schemaVersion: SCHEMA_VERSION, kind }, pretty, 'head') + (pretty ? '  "items": [' : '"items":[');
  let any = false;
  for await (const group of groups) {
    yield any ? `,${group}` : group;
    any = true;
  }
  const tail = { ...ending(), warnings: options.warnings?.() ?? [] };
  yield (any && pretty ? '\n  ' : '') + (pretty ? '],\n' : '],') + inside(tail, pretty, 'tail');
}

/** Items as they stand in the list, without its brackets. One text for all, as 100,000 would take much memory. */
function groupText(items: readonly unknown[], pretty: boolean): string {
  const text = escapedJson(JSON.stringify(items, undefined, pretty ? 2 : undefined));
  return pretty ? text.slice(1, -2).replaceAll('\n', '\n  ') : text.slice(1, -1);
}

function inside(members: object, pretty: boolean, end: 'head' | 'tail'): string {
  const text = escapedJson(JSON.stringify(members, undefined, pretty ? 2 : undefined));
  if (end === 'head') return pretty ? `${text.slice(0, -2)},\n` : `${text.slice(0, -1)},`;
  return `${text.slice(pretty ? 2 : 1)}\n`;
}
