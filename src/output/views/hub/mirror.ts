import * as z from 'zod/mini';
import { counted } from '../../../core/counted.js';
import { visible } from '../../escape.js';
import { timeText } from '../../writers/columns.js';
import { itemView } from '../view.js';

const Failure = z.object({
  package: z.string(),
  version: z.string(),
  file: z.string(),
  code: z.string(),
  message: z.string(),
});

const Bundle = z.object({
  file: z.string(),
  bytes: z.number(),
  contents: z.number(),
  earlier: z.number(),
  files: z.number(),
});

const Mirror = z.object({
  folder: z.string(),
  hub: z.string(),
  whole: z.boolean(),
  sequence: z.optional(z.number()),
  added: z.number(),
  updated: z.number(),
  unchanged: z.number(),
  removed: z.number(),
  failed: z.number(),
  files: z.number(),
  bytes: z.number(),
  signatures: z.number(),
  versions: z.object({ added: z.array(z.string()), updated: z.array(z.string()), removed: z.array(z.string()) }),
  dryRun: z.boolean(),
  catalog: z.enum(['written', 'unchanged', 'outdated']),
  failures: z.array(Failure),
  unserved: z.array(z.string()),
  unverified: z.array(z.string()),
  bundle: z.optional(Bundle),
  signed: z.optional(z.object({ keys: z.array(z.string()), sequence: z.number(), expires: z.string() })),
});

const PLANNED: Readonly<Record<string, string>> = { added: 'to add', updated: 'to update', removed: 'to remove' };

function bundleLine({ file, bytes, contents, earlier, files }: z.infer<typeof Bundle>): string {
  const same = files - contents - earlier;
  const more = [
    ...(same > 0 ? [`${same} more with the same content as one of these`] : []),
    ...(earlier > 0 ? [`${earlier} more in the earlier bundle`] : []),
  ];
  return [`bundle ${visible(file)}: ${counted(contents, 'file')}, ${bytes} bytes`, ...more].join('; ');
}

/** Shows what a mirror came to, or would come to. */
export const hubMirror = itemView({
  kind: 'HubMirror',
  schema: Mirror,
  name: ({ folder }) => folder,
  columns: [
    { key: 'folder', value: ({ folder }) => folder },
    { key: 'hub', value: ({ hub }) => hub },
    { key: 'whole', value: ({ whole }) => whole },
    { key: 'sequence', value: ({ sequence }) => sequence },
    { key: 'added', value: ({ added }) => added },
    { key: 'updated', value: ({ updated }) => updated },
    { key: 'unchanged', value: ({ unchanged }) => unchanged },
    { key: 'removed', value: ({ removed }) => removed },
    { key: 'failed', value: ({ failed }) => failed },
    { key: 'files', value: ({ files }) => files },
    { key: 'bytes', value: ({ bytes }) => bytes },
    { key: 'catalog', value: ({ catalog }) => catalog },
  ],
  *text(mirror, look) {
    const { folder, hub, whole, sequence, added, updated, unchanged, removed, files, bytes, catalog, bundle, signed } =
      mirror;
    const counts = [`${added} added`, `${updated} updated`, `${unchanged} unchanged`];
    if (removed > 0) counts.push(`${removed} removed`);
    if (mirror.dryRun)
      for (const [change, names] of Object.entries(mirror.versions))
        for (const name of names) yield visible(`${PLANNED[change] ?? change} ${name}`);
    yield `package versions: ${counts.join(', ')}: ${visible(hub)} -> ${visible(folder)}`;
    const also = mirror.signatures > 0 ? `, and ${counted(mirror.signatures, 'signature')}` : '';
    yield `${counted(files, 'file')} ${mirror.dryRun ? 'to fetch' : 'fetched'}, ${bytes} bytes${also}; catalog ${catalog}`;
    if (whole && sequence !== undefined) yield `index ${sequence} of the hub`;
    if (bundle !== undefined) yield bundleLine(bundle);
    if (signed !== undefined) {
      yield `index ${signed.sequence} of its own, valid until ${timeText(new Date(signed.expires), look)}`;
      for (const key of signed.keys) yield `key ${visible((key.match(/.{1,4}/gu) ?? []).join(' '))}`;
    } else if (!whole) yield 'the mirror has a catalog of its own and no signed index of the hub';
    if (mirror.dryRun) yield 'nothing was changed';
  },
});
