import * as z from 'zod/mini';
import { counted } from '../../../core/counted.js';
import { visible } from '../../escape.js';
import { itemView } from '../view.js';

const Server = z.object({ folder: z.string(), url: z.string(), port: z.number(), packages: z.number() });

/** Says where a hub is served: the one line that programs wait for. */
export const hubServer = itemView({
  kind: 'HubServer',
  schema: Server,
  name: ({ url }) => url,
  columns: [
    { key: 'folder', value: ({ folder }) => folder },
    { key: 'url', value: ({ url }) => url },
    { key: 'port', value: ({ port }) => port },
    { key: 'packages', value: ({ packages }) => packages },
  ],
  *text({ folder, url, packages }) {
    yield visible(`Serving ${folder} at ${url}  (${counted(packages, 'package')})`);
  },
});
