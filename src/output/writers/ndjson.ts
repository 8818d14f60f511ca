import type { ServiceEvent } from '../../core/events.js';
import type { ListParts, ListResult, Page, RenderOptions } from '../view-types.js';
import { ITEMS_AT_ONCE, jsonDocument, jsonItems, pageOf, SCHEMA_VERSION } from './json.js';

/**
 * An event of a service as one line, with the time it was reported; secrets are hidden in its texts. `at` is in
 * milliseconds since the epoch.
 */
export function eventLine(event: ServiceEvent, at: number, hide: (text: string) => string): string {
  const members = Object.entries(event).map(([name, value]): [string, unknown] => [
    name,
    typeof value === 'string' ? hide(value) : value,
  ]);
  return jsonDocument({ ...Object.fromEntries(members), at: new Date(at).toISOString() }, false);
}

/** A list as one line per item and a last line `result`. */
export async function* ndjsonList<T>(
  parts: ListParts<T>,
  result: ListResult<T>,
  options: RenderOptions,
): AsyncGenerator<string> {
  const toJson = jsonItems(parts, options);
  let count = 0;
  for await (const item of result.items) {
    count += 1;
    yield jsonDocument({ type: 'item', item: toJson(item) }, false);
  }
  const page = pageOf(result.page, count);
  const warnings = options.warnings?.() ?? [];
  yield jsonDocument(
    { type: 'result', schemaVersion: SCHEMA_VERSION, kind: parts.kind, page, ...result.members, warnings },
    false,
  );
}

/** As `ndjsonList`, for items that come many at a time; `ending` is asked when all have come. */
export async function* ndjsonOfMany<T>(
  parts: ListParts<T>,
  many: AsyncIterable<readonly T[]>,
  options: RenderOptions,
  ending: () => { readonly page: Page },
): AsyncGenerator<string> {
  const toJson = jsonItems(parts, options);
  for await (const items of many) {
    for (let at = 0; at < items.length; at += ITEMS_AT_ONCE) {
      const some = items.slice(at, at + ITEMS_AT_ONCE);
      yield some.map((item) => jsonDocument({ type: 'item', item: toJson(item) }, false)).join('');
    }
  }
  const warnings = options.warnings?.() ?? [];
  yield jsonDocument({ type: 'result', schemaVersion: SCHEMA_VERSION, kind: parts.kind, ...ending(), warnings }, false);
}
