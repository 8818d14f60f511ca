import type * as z from 'zod/mini';
import { renderItem } from '../writers/item.js';
import { renderList } from '../writers/list.js';
import type { Described, ItemParts, ListParts, ListResult, RenderOptions, Schema, View } from '../view-types.js';

/** A view of a list, from its parts. Items have the type that the schema describes unless another is named. */
export function view<S extends z.ZodMiniObject, T = Described<S>>(
  parts: ListParts<T> & Schema<S, T> & { readonly none: string },
): View<ListResult<T>> {
  return {
    kind: parts.kind,
    shape: 'list',
    schema: parts.schema,
    fields: parts.columns.map(({ key }) => key),
    render: (result, options) => renderList(parts, result, options),
  };
}

/** A view of one object, from its parts. It has the type that the schema describes unless another is named. */
export function itemView<S extends z.ZodMiniObject, T = Described<S>>(parts: ItemParts<T> & Schema<S, T>): View<T> {
  return {
    kind: parts.kind,
    shape: 'item',
    schema: parts.schema,
    fields: parts.columns.map(({ key }) => key),
    render: (item, options) => renderItem(parts, item, options),
  };
}

/** The text of a result in the wanted format. */
export function render<R>(shown: View<R>, result: R, options: RenderOptions): AsyncIterable<string> {
  return shown.render(result, options);
}
