import { visible } from '../escape.js';
import type { ListParts } from '../view-types.js';

/** One identifier per line, for xargs. */
export async function* nameLines<T>(
  parts: ListParts<T>,
  items: Iterable<T> | AsyncIterable<T>,
): AsyncGenerator<string> {
  for await (const item of items) yield `${visible(parts.name(item))}\n`;
}
