import { expect, vi } from 'vitest';
import type { Site } from './site.js';

interface Run {
  readonly status: string;
  readonly end?: number;
}

const LONGEST_RUN = 600_000;

type Caller = Pick<Site, 'call'>;

/** Starts a batch pipeline; gives the path of its run. */
export async function startRun(site: Caller, pipeline: string): Promise<string> {
  const program = { appId: pipeline, programType: 'Workflow', programId: 'DataPipelineWorkflow' };
  const [started] = await site.call<{ runId: string }[]>('POST', '/start', [program]);
  return `/apps/${pipeline}/workflows/DataPipelineWorkflow/runs/${started?.runId ?? ''}`;
}

/** Waits for what `check` expects of a run, for 600 seconds at most, and gives its status then. */
export const runUntil = (site: Caller, path: string, check: (run: Run) => void): Promise<string> =>
  vi.waitFor(
    async () => {
      const run = await site.call<Run>('GET', path);
      check(run);
      return run.status;
    },
    { timeout: LONGEST_RUN, interval: 500 },
  );

export const hasEnded = ({ end, status }: Run): void => {
  expect(end, status).toBeTypeOf('number');
};

/** Starts a batch pipeline and gives the status in which the run ended; fails when it has not ended after 600 seconds. */
export const runToEnd = async (site: Caller, pipeline: string): Promise<string> =>
  runUntil(site, await startRun(site, pipeline), hasEnded);
