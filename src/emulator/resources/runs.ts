import type { Generation } from '../generation.js';
import type { Application, Run } from '../model.js';

const RUNNING_AFTER_MS = 200;
const COMPLETED_AFTER_MS = 800;

/** The states that a run passes through; a workflow comes to its end by itself. */
export type RunState = 'STARTING' | 'RUNNING' | 'COMPLETED' | 'KILLED';

/** The state of a run at a time (milliseconds since the epoch). */
export function stateOf(run: Run, now: number): RunState {
  const last = run.stopped ?? now;
  if (run.type === 'Workflow' && last - run.started >= COMPLETED_AFTER_MS) return 'COMPLETED';
  if (run.stopped !== undefined) return 'KILLED';
  return now - run.started < RUNNING_AFTER_MS ? 'STARTING' : 'RUNNING';
}

/** The runs that have not come to their end. */
export function activeRuns(application: Application, now: number): Run[] {
  return application.runs.filter((run) => ['STARTING', 'RUNNING'].includes(stateOf(run, now)));
}

/** A run as the platform records it (contract 8.1); times in seconds. */
export function runRecord(run: Run, now: number, generation: Generation): Readonly<Record<string, unknown>> {
  const status = stateOf(run, now);
  const ended = status === 'COMPLETED' ? run.started + COMPLETED_AFTER_MS : run.stopped;
  const ranAt = run.started + RUNNING_AFTER_MS;
  const reached = status === 'STARTING' || (run.stopped ?? now) < ranAt ? {} : { start: seconds(ranAt) };
  const end = ended === undefined ? {} : { end: seconds(ended) };
  const runtimeArgs = JSON.stringify({ ...run.runtimeArguments, 'logical.start.time': String(run.started) });
  const { platform, hasVersions } = generation;
  const cluster =
    ended === undefined ? { status: 'PROVISIONED', numNodes: 0 } : { status: 'DEPROVISIONED', ...end, numNodes: 0 };
  const profile = { profileName: 'native', namespace: 'system', entity: 'PROFILE' };
  return {
    runid: run.id,
    starting: seconds(run.started),
    ...reached,
    ...end,
    status,
    properties: { runtimeArgs },
    ...(platform === '4.3.5' ? {} : { cluster, profile }),
    ...(hasVersions ? { version: run.version } : {}),
  };
}

function seconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000);
}
