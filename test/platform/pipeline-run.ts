import { expect, vi } from 'vitest';
import type { Site } from './site.js';

interface Run {
  readonly status: string;
  readonly end?: number;
}

const LONGEST_RUN = 200_000;

/** Starts a batch pipeline and gives the status in which the run ended; fails when it has not ended after 200 seconds. */
export async function runToEnd(site: Pick<Site, 'call'>, pipeline: string): Promise<string> {
  const program = { appId: pipeline, programType: 'Workflow', programId: 'DataPipelineWorkflow' };
  const [started] = await site.call<{ runId: string }[]>('POST', '/start', [program]);
  const path = `/apps/${pipeline}/workflows/DataPipelineWorkflow/runs/${started?.runId ?? ''}`;
  return vi.waitFor(
    async () => {
      const run = await site.call<Run>('GET', path);
      expect(run.end, run.status).toBeTypeOf('number');
      return run.status;
    },
    { timeout: LONGEST_RUN, interval: 500 },
  );
}
