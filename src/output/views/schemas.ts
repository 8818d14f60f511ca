import * as z from 'zod/mini';
import { view } from './view.js';

const Kind = z.object({ kind: z.string() });

/** Shows the kinds that a JSON schema is shipped for. */
export const schemaList = view({
  kind: 'SchemaList',
  none: 'no schemas found',
  schema: Kind,
  name: ({ kind }) => kind,
  columns: [{ key: 'kind', value: ({ kind }) => kind }],
});
