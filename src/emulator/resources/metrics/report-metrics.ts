import type { Application } from '../../model.js';
import type { Store } from '../../store.js';
import type { Source } from './values.js';
import { knownRuns } from '../reports/runs.js';
import { answeringRun } from '../reports/service.js';

/** The events of a run that ended: it was started, began to run, and ended. */
const EVENTS = 3;

/** What the report service counts while it runs and collects. Nothing of another application (docs/platform.md 1.1). */
export function reportMetrics(store: Store, { namespace, name }: Application): Source[] {
  if (namespace !== 'system' || name !== 'ReportGenerationApp') return [];
  const run = answeringRun(store);
  const { reports, generation } = store;
  const collects = reports.settings.collects ?? !generation.hasVersions;
  if (run === undefined || !collects) return [];
  const tags = new Map([
    ['namespace', namespace],
    ['app', name],
    ['spark', run.program],
    ['run', run.id],
  ]);
  const counted = new Map([
    ['user.run.metadata.last.sync.time.millis', store.now()],
    ['user.program.status.processed', EVENTS * knownRuns(store).count],
  ]);
  return [{ tags, counted, times: [Math.floor(store.now() / 1000)] }];
}
