import * as z from 'zod/mini';
import { counted } from '../../../core/counted.js';
import type { Deletion } from '../../../services/reports/delete.js';
import type { ReportField } from '../../../services/reports/request/fields.js';
import type { ReportRequest } from '../../../services/reports/request/request.js';
import type { ReportEngine, ReportEntry } from '../../../services/reports/source/source.js';
import { visible } from '../../escape.js';
import { itemView, view } from '../view.js';
import { timeText } from '../../writers/columns.js';
import { timeAt } from './list.js';
import { requestJson, RequestSchema } from './request.js';

const Created = z.object({
  id: z.string(),
  engine: z.enum(['platform', 'runs']),
  status: z.enum(['RUNNING', 'COMPLETED', 'FAILED']),
  recordCount: z.optional(z.number()),
  expiry: z.optional(z.number()),
  expiryAt: z.optional(z.string()),
  request: RequestSchema,
});

/** A report that was asked for; how many runs it has is known when it was waited for. */
export interface CreatedReport {
  readonly id: string;
  readonly engine: ReportEngine;
  readonly status: ReportEntry['status'];
  readonly request: ReportRequest;
  readonly recordCount?: number | undefined;
  readonly expiry?: number | undefined;
}

/** Shows a report that was asked for. */
export const reportCreated = itemView<typeof Created, CreatedReport>({
  kind: 'ReportCreated',
  schema: Created,
  name: ({ id }) => id,
  json: ({ request, expiry, ...report }) => ({
    ...report,
    ...(expiry !== undefined && { expiry, expiryAt: timeAt(expiry) }),
    request: requestJson(request),
  }),
  columns: [
    { key: 'id', value: ({ id }) => id },
    { key: 'engine', value: ({ engine }) => engine },
    { key: 'status', value: ({ status }) => status },
    { key: 'name', value: ({ request }) => request.name },
    { key: 'recordCount', value: ({ recordCount }) => recordCount },
  ],
  *text({ id, request, status, recordCount, expiry }, look) {
    const expires = expiry === undefined ? '' : `, expires ${timeText(new Date(expiry * 1000), look)}`;
    const runs = recordCount === undefined ? '' : `   ${counted(recordCount, 'run')}${expires}`;
    yield visible(`Report ${id}   "${request.name}"   ${status}${runs}`);
  },
});

const Shared = z.object({ id: z.string(), shareId: z.string() });

/** Shows a share id, as text nothing else: for a script that hands it on. */
export const reportShare = itemView({
  kind: 'ReportShare',
  schema: Shared,
  name: ({ shareId }) => shareId,
  columns: [
    { key: 'id', value: ({ id }) => id },
    { key: 'shareId', value: ({ shareId }) => shareId },
  ],
  verbatim: true,
  *text({ shareId }) {
    yield visible(shareId);
  },
});

const Deleted = z.object({
  id: z.string(),
  name: z.optional(z.string()),
  state: z.enum(['deleted', 'gone', 'refused', 'failed']),
  message: z.optional(z.string()),
});

/** Shows what became of reports that were to be deleted. */
export const reportDeletions = view<typeof Deleted, Deletion>({
  kind: 'ReportDeletionList',
  none: 'no reports to delete',
  schema: Deleted,
  name: ({ id }) => id,
  json: ({ id, name, state, message }) => ({ id, name, state, message }),
  columns: [
    { key: 'id', value: ({ id }) => id },
    { key: 'name', value: ({ name }) => name },
    { key: 'state', value: ({ state }) => state, whole: true },
    { key: 'message', value: ({ message }) => message, wide: true, prose: true },
  ],
});

const Field = z.object({
  name: z.string(),
  filter: z.enum(['values', 'range', 'none']),
  sortable: z.boolean(),
  meaning: z.string(),
});

/** Shows the fields of reports and what each can do. */
export const reportFields = view<typeof Field, ReportField>({
  kind: 'ReportFieldList',
  none: 'no fields found',
  schema: Field,
  name: ({ name }) => name,
  columns: [
    { key: 'name', header: 'FIELD', value: ({ name }) => name },
    { key: 'filter', value: ({ filter }) => filter },
    { key: 'sortable', header: 'SORT', value: ({ sortable }) => (sortable ? 'yes' : 'no') },
    { key: 'meaning', value: ({ meaning }) => meaning, prose: true },
  ],
});
