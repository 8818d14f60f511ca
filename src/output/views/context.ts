import * as z from 'zod/mini';
import { visible } from '../escape.js';
import { itemView, view } from './view.js';
import { type Column } from '../view-types.js';

const text = z.optional(z.string());
const Context = z.object({
  name: z.string(),
  url: z.string(),
  namespace: text,
  hub: text,
  tokenFile: text,
  tokenCommand: text,
  caFile: text,
  proxy: text,
  uiUrl: text,
  protected: z.boolean(),
  current: z.boolean(),
});

/** A named connection as it is shown. */
export type ContextItem = z.infer<typeof Context>;

/** Whether a login is stored for a named connection; an expired one is no longer sent. */
const Listed = z.extend(Context, { credentials: z.enum(['stored', 'expired', 'none']) });

/** A named connection as a list shows it. */
export type ListedContext = z.infer<typeof Listed>;

const columns: readonly Column<ContextItem>[] = [
  { key: 'current', header: ' ', value: ({ current }) => (current ? '*' : '') },
  { key: 'name', value: ({ name }) => name, whole: true, telling: true },
  { key: 'url', value: ({ url }) => url },
  { key: 'namespace', value: ({ namespace }) => namespace },
  { key: 'hub', value: ({ hub }) => hub },
  { key: 'protected', value: ({ protected: guarded }) => (guarded ? 'yes' : '') },
  { key: 'tokenFile', header: 'TOKEN FILE', value: ({ tokenFile }) => tokenFile, wide: true },
  { key: 'tokenCommand', header: 'TOKEN COMMAND', value: ({ tokenCommand }) => tokenCommand, wide: true },
  { key: 'caFile', header: 'CA FILE', value: ({ caFile }) => caFile, wide: true },
  { key: 'proxy', value: ({ proxy }) => proxy, wide: true },
  { key: 'uiUrl', header: 'UI', value: ({ uiUrl }) => uiUrl, wide: true },
];

/** Shows the named connections, the current one marked. */
export const contextList = view<typeof Listed, ListedContext>({
  kind: 'ContextList',
  none: 'no contexts configured. Add one: cdapctl context add NAME --url URL',
  schema: Listed,
  name: ({ name }) => name,
  columns: [...columns, { key: 'credentials', header: 'LOGIN', value: ({ credentials }) => credentials, wide: true }],
});

/** Shows one named connection. */
export const contextView = itemView<typeof Context, ContextItem>({
  kind: 'Context',
  schema: Context,
  name: ({ name }) => name,
  columns: columns.map(({ key, header, value }) => ({ key, ...(header?.trim() && { header }), value })),
});

/** A named connection and what a command did with it. */
export interface ContextChange extends ContextItem {
  readonly change: 'added' | 'unchanged' | 'changed' | 'removed' | 'current' | { readonly renamedFrom: string };
}

function changeText({ name, url, current, change }: ContextChange): string {
  const context = `context ${visible(name)} (${visible(url)})`;
  switch (change) {
    case 'added':
      return `Added ${context}${current ? ', now the current one' : ''}`;
    case 'unchanged':
      return `C${context.slice(1)} already has these values; nothing changed`;
    case 'changed':
      return `Changed ${context}`;
    case 'removed':
      return `Removed ${context}`;
    case 'current':
      return `Switched to ${context}`;
    default:
      return `Renamed context ${visible(change.renamedFrom)} to ${visible(name)} (${visible(url)})`;
  }
}

/** Says in a line what became of a named connection; programs get all of it. */
export const contextChange = itemView<typeof Context, ContextChange>({
  kind: 'Context',
  schema: Context,
  name: ({ name }) => name,
  json: (context) => ({ ...context, change: undefined }),
  columns,
  text: (context) => [changeText(context)],
});
