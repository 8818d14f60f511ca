import * as z from 'zod/mini';
import { counted } from '../../../core/counted.js';
import { visible } from '../../escape.js';
import { itemView } from '../view.js';

const Plugin = z.object({ name: z.string(), type: z.string(), className: z.string(), description: z.string() });
const Package = z.object({
  name: z.string(),
  version: z.string(),
  folder: z.string(),
  action: z.string(),
  source: z.string(),
  files: z.array(z.string()),
  bytes: z.number(),
  sha256: z.string(),
  plugins: z.array(Plugin),
  parents: z.array(z.string()),
});

/** Shows packages that were made of JARs. */
export const hubPack = itemView({
  kind: 'HubPack',
  schema: z.object({ folder: z.string(), packages: z.array(Package) }),
  name: ({ folder }) => folder,
  columns: [
    { key: 'folder', value: ({ folder }) => folder },
    { key: 'packages', value: ({ packages }) => packages.map(({ name, version }) => `${name}@${version}`) },
  ],
  *text({ packages }) {
    for (const { name, version, action, plugins, folder } of packages) {
      const done = visible(action);
      const content = plugins.length === 0 ? done : `${done}, ${counted(plugins.length, 'plugin')}`;
      yield `${visible(`${name} ${version}`)}  ${content}  ${visible(folder)}`;
    }
  },
});
