import * as z from 'zod/mini';
import { counted } from '../../../core/counted.js';
import { visible } from '../../escape.js';
import { itemView } from '../view.js';

/** What became of the file of a download; a kept one was not looked into. */
export interface ReportFile {
  readonly file: string;
  readonly state: 'downloaded' | 'resumed' | 'kept';
  readonly format?: string | undefined;
  /** Id of the report; absent when it was named by a share id. */
  readonly report?: string | undefined;
  readonly records?: number | undefined;
  readonly columns?: readonly string[] | undefined;
  readonly bytes?: number | undefined;
}

const Download = z.object({
  file: z.string(),
  state: z.enum(['downloaded', 'resumed', 'kept']),
  format: z.optional(z.string()),
  report: z.optional(z.string()),
  records: z.optional(z.number()),
  columns: z.optional(z.array(z.string())),
  bytes: z.optional(z.number()),
});

/** The line about a file for people: `wrote failures.csv (37 rows, 8 columns)`. */
export function fileLine({ file, state, records = 0, columns = [] }: ReportFile): string {
  if (state === 'kept') return `${visible(file)} already exists and was kept`;
  const rows = `${counted(records, 'row')}, ${counted(columns.length, 'column')}`;
  return `wrote ${visible(file)} (${rows})${state === 'resumed' ? ', resumed' : ''}`;
}

/** Shows the file that the records of a report were written to. */
export const reportDownload = itemView<typeof Download, ReportFile>({
  kind: 'ReportDownload',
  schema: Download,
  name: ({ file }) => file,
  columns: [
    { key: 'file', value: ({ file }) => file },
    { key: 'state', value: ({ state }) => state },
    { key: 'format', value: ({ format }) => format },
    { key: 'report', value: ({ report }) => report },
    { key: 'records', value: ({ records }) => records },
    { key: 'columns', value: ({ columns }) => columns },
    { key: 'bytes', value: ({ bytes }) => bytes },
  ],
});
