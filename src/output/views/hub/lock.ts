import * as z from 'zod/mini';
import { counted } from '../../../core/counted.js';
import { visible } from '../../escape.js';
import { itemView } from '../view.js';

const File = z.object({ name: z.string(), size: z.number(), sha256: z.string() });
const Change = z.object({ name: z.string(), before: z.array(z.string()), after: z.array(z.string()) });
const Lock = z.object({
  file: z.string(),
  state: z.enum(['written', 'unchanged', 'outdated']),
  changes: z.array(Change),
  packages: z.array(z.object({ hub: z.string(), name: z.string(), version: z.string(), files: z.array(File) })),
});

/** Shows what a lock file pins. */
export const hubLock = itemView({
  kind: 'HubLock',
  schema: Lock,
  name: ({ file }) => file,
  columns: [
    { key: 'file', value: ({ file }) => file },
    { key: 'state', value: ({ state }) => state },
    { key: 'packages', value: ({ packages }) => packages.map(({ name, version }) => `${name}@${version}`) },
  ],
  *text({ file, state, packages, changes }) {
    for (const { name, version, hub, files } of packages)
      yield `${visible(`${name}@${version}`)}  ${counted(files.length, 'file')}  ${visible(hub)}`;
    for (const change of changes) yield visible(changeText(change));
    yield `${visible(file)} ${state === 'outdated' ? 'would change' : state}`;
  },
});

interface LockChange {
  readonly name: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

function changeText({ name, before, after }: LockChange): string {
  const [was, is] = [before.join(', '), after.join(', ')];
  if (was === '') return `${name}: added ${is}`;
  return was === is ? `${name} ${is}: pinned with another hub or other files` : `${name}: ${was} -> ${is}`;
}
