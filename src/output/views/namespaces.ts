import * as z from 'zod/mini';
import { view } from './view.js';

const Namespace = z.object({ name: z.string(), description: z.string() });

/** Shows the namespaces of a platform. */
export const namespaceList = view({
  kind: 'NamespaceList',
  none: 'no namespaces found',
  schema: Namespace,
  name: ({ name }) => name,
  columns: [
    { key: 'name', value: ({ name }) => name, whole: true },
    { key: 'description', value: ({ description }) => description },
  ],
});
