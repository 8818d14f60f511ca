import { largestOf } from '../../core/collections.js';
import { flowed } from '../wrap-text.js';
import { paintState, STATE_COLUMNS } from '../states.js';
import { hanging, padded } from '../width.js';
import type { ItemParts, RenderOptions } from '../view-types.js';
import { cellText, chosenColumns } from './columns.js';
import { csvText } from './csv.js';
import { itemEnvelope, jsonDocument, jsonItems } from './json.js';
import { nameLines } from './name.js';
import { yamlText } from './yaml.js';

/** One object in the wanted format. */
export async function* renderItem<T>(parts: ItemParts<T>, item: T, options: RenderOptions): AsyncGenerator<string> {
  if (options.format === 'csv') yield* csvText(parts, [item], options);
  else if (options.format === 'name') yield* nameLines(parts, [item]);
  else if (options.format === 'table' || options.format === 'wide') yield* linesOf(parts, item, options);
  else {
    const envelope = itemEnvelope(parts.kind, jsonItems(parts, options)(item), options.warnings?.() ?? []);
    if (options.format === 'json') yield jsonDocument(envelope, options.look.terminal);
    else if (options.format === 'ndjson') yield jsonDocument({ type: 'result', ...envelope }, false);
    else yield await yamlText(envelope);
  }
}

/** What a person reads before a value: the words of the header, else the key. */
const labelOf = ({ key, header }: { readonly key: string; readonly header?: string }): string =>
  header?.toLowerCase() ?? key;

async function* linesOf<T>(parts: ItemParts<T>, item: T, options: RenderOptions): AsyncGenerator<string> {
  if (parts.text !== undefined && options.fields === undefined) {
    const look = options.format === 'wide' ? { ...options.look, columns: undefined } : options.look;
    for await (const line of parts.text(item, look, options.onLeftOut))
      yield `${parts.verbatim === true ? line : flowed(line, look)}\n`;
    return;
  }
  const columns = chosenColumns(parts, options);
  const width = largestOf([0, ...columns.map((column) => labelOf(column).length)]);
  const look = options.format === 'wide' ? { ...options.look, columns: undefined } : options.look;
  for (const column of columns) {
    const label = `${padded(labelOf(column), width)}  `;
    const text = cellText(column.value(item), look, column.day);
    const shown = STATE_COLUMNS.includes(column.key) ? paintState(look, text) : text;
    yield `${hanging(label, shown, look).join('\n')}\n`;
  }
}
