import * as z from 'zod/mini';
import type { DownloadResult } from '../../../services/catalog/download/download.js';
import type { DownloadedFile } from '../../../services/catalog/download/fetch-one.js';
import type { Look } from '../../look.js';
import { itemView } from '../view.js';
import type { ListParts, OnLeftOut } from '../../view-types.js';
import { tableText } from '../../writers/table.js';

const File = z.object({
  hub: z.string(),
  package: z.string(),
  version: z.string(),
  name: z.string(),
  path: z.string(),
  bytes: z.optional(z.number()),
  sha256: z.optional(z.string()),
  state: z.enum(['downloaded', 'resumed', 'kept']),
  signature: z.optional(z.string()),
});
const Failed = z.object({
  hub: z.string(),
  package: z.string(),
  version: z.string(),
  code: z.string(),
  message: z.string(),
});
const Download = z.object({
  folder: z.string(),
  policy: z.enum(['require', 'warn', 'off']),
  verified: z.boolean(),
  files: z.array(File),
  failed: z.array(Failed),
});

const partsOf = (typed: (path: string) => string): ListParts<DownloadedFile> => ({
  kind: 'HubDownload',
  schema: File,
  name: ({ path }) => path,
  columns: [
    { key: 'path', header: 'FILE', value: ({ path }) => typed(path) },
    { key: 'state', value: ({ state }) => state, spare: 2 },
    { key: 'signature', value: ({ signature }) => signature ?? 'not verified', telling: true },
    { key: 'bytes', value: ({ bytes }) => bytes, align: 'right', spare: 1 },
  ],
});

/** A download, and its paths as the reader of a table would type them. */
export interface ShownDownload extends DownloadResult {
  readonly typed: (path: string) => string;
}

async function* lines({ files, typed }: ShownDownload, look: Look, onLeftOut?: OnLeftOut): AsyncGenerator<string> {
  const options = { format: 'table', look, onLeftOut } as const;
  for await (const text of tableText(partsOf(typed), files, options)) yield text.trimEnd();
}

/** Shows the files that a download wrote or kept. */
export const downloadView = itemView<typeof Download, ShownDownload>({
  kind: 'HubDownload',
  schema: Download,
  name: ({ folder }) => folder,
  json: ({ folder, policy, verified, files, failed }) => ({ folder, policy, verified, files, failed }),
  columns: [
    { key: 'folder', value: (result) => result.folder },
    { key: 'policy', value: (result) => result.policy },
    { key: 'verified', value: (result) => result.verified },
    { key: 'files', value: (result) => result.files.map(({ path }) => path) },
    { key: 'failed', value: (result) => result.failed.map(({ message }) => message) },
  ],
  text: lines,
});
