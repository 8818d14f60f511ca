import * as z from 'zod/mini';
import { formatTime } from '../../../core/time.js';
import type { ReportService } from '../../../services/reports/service/status.js';
import { itemView } from '../view.js';
import type { Described } from '../../view-types.js';

const ServiceSchema = z.object({
  url: z.string(),
  platformVersion: z.string(),
  state: z.enum(['no-artifact', 'absent', 'stopped', 'starting', 'running']),
  application: z.optional(z.object({ artifact: z.string(), version: z.string() })),
  program: z.optional(z.string()),
  healthy: z.boolean(),
  collects: z.optional(z.boolean()),
  lastSync: z.optional(z.number()),
  lastSyncAt: z.optional(z.string()),
  processed: z.optional(z.number()),
  changes: z.array(z.object({ what: z.enum(['deploy', 'start', 'stop']), state: z.enum(['planned', 'done']) })),
});

const STATES: Readonly<Record<ReportService['state'], string>> = {
  'no-artifact': 'not available: this platform has no report service',
  absent: 'not deployed',
  stopped: 'stopped',
  starting: 'starting',
  running: 'running',
};

function collected({ freshness, state }: ReportService): string | undefined {
  if (freshness === undefined) return undefined;
  const { lastSync, processed } = freshness;
  if (lastSync === undefined && processed === undefined) return state === 'running' ? 'nothing' : undefined;
  const events = processed === undefined ? '' : `${processed} run events`;
  const last = lastSync === undefined ? '' : `last at ${formatTime(lastSync)}`;
  return [events, last].filter((text) => text !== '').join(', ');
}

function json({ freshness, ...service }: ReportService): Described<typeof ServiceSchema> {
  const { lastSync, processed } = freshness ?? {};
  return {
    ...service,
    ...(freshness !== undefined && { collects: lastSync !== undefined || processed !== undefined }),
    ...(lastSync !== undefined && { lastSync, lastSyncAt: formatTime(lastSync) }),
    ...(processed !== undefined && { processed }),
  };
}

/** Shows the report service of a platform, and what was done to it or would be. */
export const reportServiceView = itemView<typeof ServiceSchema, ReportService>({
  kind: 'ReportService',
  schema: ServiceSchema,
  name: ({ state }) => state,
  json,
  columns: [
    { key: 'state', value: ({ state }) => STATES[state] },
    { key: 'platform', value: ({ url, platformVersion }) => `${url}  ${platformVersion}` },
    {
      key: 'application',
      value: ({ application }) =>
        application && `ReportGenerationApp from ${application.artifact} ${application.version}`,
    },
    { key: 'program', value: ({ program }) => program },
    { key: 'answers', value: ({ healthy }) => (healthy ? 'yes' : 'no') },
    { key: 'collected', value: collected },
    {
      key: 'changes',
      value: ({ changes }) => changes.map(({ what, state }) => `${what} ${state}`).join(', ') || 'none',
    },
  ],
});
