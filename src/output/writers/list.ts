import type { ListParts, ListResult, RenderOptions } from '../view-types.js';
import { csvText } from './csv.js';
import { jsonItems, jsonList, pageOf, SCHEMA_VERSION } from './json.js';
import { nameLines } from './name.js';
import { ndjsonList } from './ndjson.js';
import { tableText } from './table.js';
import { yamlText } from './yaml.js';

/** A list in the wanted format. */
export function renderList<T>(
  parts: ListParts<T>,
  result: ListResult<T>,
  options: RenderOptions,
): AsyncIterable<string> {
  switch (options.format) {
    case 'table':
    case 'wide':
      return tableText(parts, result.items, options);
    case 'csv':
      return csvText(parts, result.items, options);
    case 'name':
      return nameLines(parts, result.items);
    case 'json':
      return jsonList(parts, result, options);
    case 'ndjson':
      return ndjsonList(parts, result, options);
    case 'yaml':
      return yamlList(parts, result, options);
  }
}

async function* yamlList<T>(
  parts: ListParts<T>,
  result: ListResult<T>,
  options: RenderOptions,
): AsyncGenerator<string> {
  const toJson = jsonItems(parts, options);
  const items: unknown[] = [];
  for await (const item of result.items) items.push(toJson(item));
  const page = pageOf(result.page, items.length);
  const warnings = options.warnings?.() ?? [];
  yield await yamlText({ schemaVersion: SCHEMA_VERSION, kind: parts.kind, items, page, ...result.members, warnings });
}
