import * as z from 'zod/mini';
import { itemView, view } from '../../view.js';
import { type Column } from '../../view-types.js';

const Source = z.object({
  name: z.string(),
  url: z.string(),
  verify: z.optional(z.enum(['require', 'warn', 'off'])),
  keys: z.number(),
});

/** A hub that is configured. */
export type HubSourceItem = z.infer<typeof Source>;

const columns: readonly Column<HubSourceItem>[] = [
  { key: 'name', value: ({ name }) => name },
  { key: 'url', value: ({ url }) => url },
  { key: 'verify', value: ({ verify, keys }) => verify ?? (keys > 0 ? 'require' : 'warn') },
  { key: 'keys', value: ({ keys }) => keys, align: 'right' },
];

/** Shows the hubs that are known. */
export const hubSourceList = view<typeof Source, HubSourceItem>({
  kind: 'HubSourceList',
  schema: Source,
  name: ({ name }) => name,
  columns,
});

/** Shows one known hub. */
export const hubSourceView = itemView<typeof Source, HubSourceItem>({
  kind: 'HubSource',
  schema: Source,
  name: ({ name }) => name,
  columns,
});
