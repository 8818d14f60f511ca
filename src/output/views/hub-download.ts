import * as z from 'zod/mini';
import { largestOf } from '../../core/extremes.js';
import type { DownloadResult } from '../../services/catalog/download.js';
import type { DownloadedFile } from '../../services/catalog/download-package.js';
import { visible } from '../escape.js';
import { itemView } from '../view.js';
import { padded } from '../width.js';

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

function cells({ path, state, signature, bytes }: DownloadedFile): readonly string[] {
  return [visible(path), state, signature ?? 'not verified', bytes === undefined ? '-' : String(bytes)];
}

function* lines({ files }: DownloadResult): Generator<string> {
  const rows = [['FILE', 'STATE', 'SIGNATURE', 'BYTES'], ...files.map(cells)];
  const widths = [0, 1, 2, 3].map((at) => largestOf(rows.map((row) => row[at]?.length ?? 0)));
  for (const row of rows) yield row.map((cell, at) => padded(cell, widths[at] ?? 0, at === 3)).join('  ');
}

/** Shows the files that a download wrote or kept (`cli.md` 4.4). */
export const downloadView = itemView<DownloadResult>({
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
