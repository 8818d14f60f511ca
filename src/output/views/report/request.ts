import * as z from 'zod/mini';
import type { ReportFilter, ReportRequest } from '../../../services/reports/request/request.js';
import { visible } from '../../escape.js';
import { itemView } from '../view.js';
import type { Described } from '../../view-types.js';
import { timeAt } from './list.js';

const number = z.optional(z.number());

/** A request as results hold it: as the platform takes it, with its times in words beside them. */
export const RequestSchema = z.object({
  name: z.string(),
  start: z.number(),
  startAt: z.string(),
  end: z.number(),
  endAt: z.string(),
  fields: z.array(z.string()),
  filters: z.array(
    z.object({
      fieldName: z.string(),
      whitelist: z.optional(z.array(z.string())),
      blacklist: z.optional(z.array(z.string())),
      range: z.optional(z.object({ min: number, max: number })),
    }),
  ),
  sort: z.optional(z.array(z.object({ fieldName: z.string(), order: z.enum(['ASCENDING', 'DESCENDING']) }))),
});

/** A request with its times in words. */
export function requestJson({ name, start, end, ...others }: ReportRequest): Described<typeof RequestSchema> {
  return { name, start, startAt: timeAt(start), end, endAt: timeAt(end), ...others };
}

/** A filter as it is given on the command line. */
export function filterText(filter: ReportFilter): string {
  const { fieldName } = filter;
  if ('whitelist' in filter) return visible(`${fieldName}=${filter.whitelist.join(',')}`);
  if ('blacklist' in filter) return visible(`${fieldName}!=${filter.blacklist.join(',')}`);
  const { min, max } = filter.range;
  if (max === undefined) return `${fieldName}>=${min ?? ''}`;
  return min === undefined ? `${fieldName}<${max}` : `${fieldName}=${min}..${max}`;
}

/** Shows what would be sent: as text exactly that, ready for `-f` and for any other client. */
export const reportRequest = itemView<typeof RequestSchema, ReportRequest>({
  kind: 'ReportRequest',
  schema: RequestSchema,
  name: ({ name }) => name,
  json: requestJson,
  columns: [
    { key: 'name', value: ({ name }) => name },
    { key: 'start', value: ({ start }) => start },
    { key: 'end', value: ({ end }) => end },
    { key: 'fields', value: ({ fields }) => fields },
    { key: 'filters', value: ({ filters }) => filters.map(filterText) },
  ],
  verbatim: true,
  *text(request) {
    yield* JSON.stringify(request, undefined, 2).split('\n').map(visible);
  },
});
