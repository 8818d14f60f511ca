import type { Application, Schedule } from '../../store/model.js';
import type { Store } from '../../store/store.js';
import type { ConfiguredApp } from './pipeline.js';

/**
 * The schedules after a deploy. Since 6.9 every deploy makes the pipeline's schedule anew, suspended. Before, one whose
 * definition is unchanged stays as it is; on every platform those that were added over HTTP are deleted
 * (docs/platform.md 5.3).
 */
export function schedulesAfter(
  store: Store,
  place: { readonly namespace: string; readonly name: string },
  wanted: ConfiguredApp['schedule'],
  before: Application | undefined,
): Schedule[] {
  if (wanted === undefined) return [];
  const made = newSchedule(store, place, wanted);
  const stays = before?.schedules.find((schedule) => !store.generation.hasVersions && isSame(schedule, made));
  return [stays ?? made];
}

function isSame(a: Schedule, b: Schedule): boolean {
  const { status, lastUpdateTime } = a;
  return JSON.stringify(a) === JSON.stringify({ ...b, status, lastUpdateTime });
}

/** The schedule that a pipeline gets when it is deployed, suspended. */
export function newSchedule(
  { generation, now }: Store,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { cron, maxConcurrency }: NonNullable<ConfiguredApp['schedule']>,
): Schedule {
  const limit = { maxConcurrency, type: 'CONCURRENCY', waitUntilMet: false };
  return {
    namespace,
    application: name,
    name: 'dataPipelineSchedule',
    description: 'Data pipeline schedule',
    program: { programName: 'DataPipelineWorkflow', programType: 'WORKFLOW' },
    properties: {},
    trigger: { cronExpression: cron, type: 'TIME' },
    constraints: generation.platform === '4.3.5' ? [] : [limit],
    timeoutMillis: 86_400_000,
    status: 'SUSPENDED',
    lastUpdateTime: now(),
  };
}
