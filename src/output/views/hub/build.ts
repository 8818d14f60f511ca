import * as z from 'zod/mini';
import type { HubBuild } from '../../../services/hosting/build/build.js';
import type { CatalogFile } from '../../../services/hosting/build/write-catalog.js';
import type { Look } from '../../look.js';
import type { ListParts, OnLeftOut } from '../../view-types.js';
import { tableText } from '../../writers/table.js';
import { itemView } from '../view.js';

const File = z.object({
  name: z.string(),
  path: z.string(),
  bytes: z.number(),
  entries: z.number(),
  state: z.enum(['written', 'unchanged', 'outdated']),
});
const Fault = z.object({
  file: z.string(),
  name: z.optional(z.string()),
  version: z.optional(z.string()),
  code: z.string(),
  message: z.string(),
});
const Build = z.object({
  folder: z.string(),
  packages: z.number(),
  categories: z.number(),
  excluded: z.number(),
  faulty: z.number(),
  files: z.array(File),
  faults: z.array(Fault),
  unlisted: z.number(),
});

const files: ListParts<CatalogFile> = {
  kind: 'HubBuild',
  schema: File,
  name: ({ name }) => name,
  columns: [
    { key: 'name', header: 'FILE', value: ({ name }) => name },
    { key: 'state', value: ({ state }) => state, telling: true },
    { key: 'entries', value: ({ entries }) => entries, align: 'right' },
    { key: 'bytes', value: ({ bytes }) => bytes, align: 'right', spare: 1 },
  ],
};

async function* lines(build: HubBuild, look: Look, onLeftOut?: OnLeftOut): AsyncGenerator<string> {
  for await (const text of tableText(files, build.files, { format: 'table', look, onLeftOut })) yield text.trimEnd();
}

/** Shows the files that a build wrote, or would write. */
export const hubBuild = itemView<typeof Build, HubBuild>({
  kind: 'HubBuild',
  schema: Build,
  name: ({ folder }) => folder,
  columns: [
    { key: 'folder', value: ({ folder }) => folder },
    { key: 'packages', value: ({ packages }) => packages },
    { key: 'categories', value: ({ categories }) => categories },
    { key: 'excluded', value: ({ excluded }) => excluded },
    { key: 'faulty', value: ({ faulty }) => faulty },
    { key: 'files', value: (build) => build.files.map(({ name, state }) => `${name} ${state}`) },
    { key: 'faults', value: ({ faults }) => faults.map(({ file, message }) => `${file}: ${message}`) },
  ],
  text: lines,
});
