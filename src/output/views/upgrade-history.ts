import * as z from 'zod/mini';
import type { PastUpgrade } from '../../services/upgrade/journals/history.js';
import { view } from './view.js';

const Past = z.object({
  at: z.string(),
  namespace: z.optional(z.string()),
  platformVersion: z.string(),
  upgraded: z.number(),
  failed: z.number(),
  unknown: z.number(),
  rolledBack: z.number(),
  state: z.enum(['finished', 'unfinished', 'rolled-back']),
  journal: z.string(),
  file: z.string(),
});

/** Shows the upgrades of a platform that can be rolled back, newest first. */
export const upgradeHistoryView = view<typeof Past, PastUpgrade>({
  kind: 'UpgradeHistory',
  none: 'no upgrades found',
  schema: Past,
  name: ({ journal }) => journal,
  columns: [
    { key: 'journal', value: ({ journal }) => journal, whole: true },
    { key: 'namespace', value: ({ namespace }) => namespace ?? 'all', spare: 2 },
    { key: 'upgraded', value: ({ upgraded }) => upgraded, align: 'right' },
    { key: 'failed', value: ({ failed }) => failed, align: 'right', telling: true },
    { key: 'unknown', value: ({ unknown }) => unknown, align: 'right', telling: true },
    { key: 'rolledBack', header: 'ROLLED BACK', value: ({ rolledBack }) => rolledBack, align: 'right', spare: 1 },
    { key: 'state', value: ({ state }) => state, whole: true, telling: true },
    { key: 'at', header: 'STARTED', value: ({ at }) => new Date(at), wide: true },
    { key: 'platformVersion', header: 'PLATFORM', value: (past) => past.platformVersion, wide: true },
    { key: 'file', value: ({ file }) => file, wide: true },
  ],
});
