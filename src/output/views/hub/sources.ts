import * as z from 'zod/mini';
import { visible } from '../../escape.js';
import { itemView, view } from '../view.js';
import { type Column } from '../../view-types.js';

const Source = z.object({
  name: z.string(),
  url: z.string(),
  verify: z.enum(['require', 'warn', 'off']),
  keys: z.number(),
});

/** A hub that is configured. */
export type HubSourceItem = z.infer<typeof Source>;

const columns: readonly Column<HubSourceItem>[] = [
  { key: 'name', value: ({ name }) => name },
  { key: 'url', value: ({ url }) => url },
  { key: 'verify', value: ({ verify }) => verify },
  { key: 'keys', value: ({ keys }) => keys, align: 'right' },
];

/** Shows the hubs that are known. */
export const hubSourceList = view<typeof Source, HubSourceItem>({
  kind: 'HubSourceList',
  none: 'no hubs configured. Add one: cdapctl hub add NAME URL',
  schema: Source,
  name: ({ name }) => name,
  columns,
});

/** A hub and what a command did with it. */
export interface HubChange extends HubSourceItem {
  readonly change: 'added' | 'unchanged' | 'removed';
}

function changeText({ name, url, change }: HubChange): string {
  const hub = `hub ${visible(name)} (${visible(url)})`;
  if (change === 'unchanged') return `H${hub.slice(1)} already exists with these values; nothing changed`;
  return `${change === 'added' ? 'Added' : 'Removed'} ${hub}`;
}

/** Says in a line what became of a hub; programs get all of it. */
export const hubChange = itemView<typeof Source, HubChange>({
  kind: 'HubSource',
  schema: Source,
  name: ({ name }) => name,
  json: (hub) => ({ ...hub, change: undefined }),
  columns,
  text: (hub) => [changeText(hub)],
});
