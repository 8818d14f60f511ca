import * as z from 'zod/mini';
import { view } from './view.js';
import type { Finding } from '../../services/doctor/run-checks.js';

const FindingSchema = z.object({
  id: z.string(),
  state: z.enum(['ok', 'warn', 'fail']),
  message: z.string(),
  fix: z.optional(z.string()),
  ms: z.number(),
});

const STYLES = { ok: 'green', warn: 'yellow', fail: 'red' } as const;

/** Shows what the checks of doctor found. */
export const findingList = view<typeof FindingSchema, Finding>({
  kind: 'FindingList',
  none: 'nothing found',
  schema: FindingSchema,
  name: ({ id }) => id,
  columns: [
    { key: 'state', value: ({ state }) => state, style: ({ state }) => STYLES[state], telling: true },
    { key: 'id', header: 'CHECK', value: ({ id }) => id, whole: true, telling: true },
    { key: 'ms', value: ({ ms }) => ms, align: 'right', wide: true },
    { key: 'fix', value: ({ fix }) => fix, wide: true },
    { key: 'message', value: ({ message }) => message, prose: true },
  ],
});
