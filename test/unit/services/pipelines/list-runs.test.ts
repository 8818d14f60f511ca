import { describe, expect, it } from 'vitest';
import { pipelineRunRecords, type RunsWanted } from '../../../../src/services/pipelines/list-runs.js';
import type { Platform } from '../../../../src/platform/client.js';

interface Asked {
  readonly start?: number;
  readonly end?: number;
  readonly status?: string;
  readonly limit: number;
}
const PLACE = { namespace: 'etl', app: 'orders', type: 'workflows', program: 'DataPipelineWorkflow' };

/** A platform with runs, newest first, that notes what it is asked for. */
function platformWith(runs: readonly { readonly runid: string; readonly starting: number; readonly status: string }[]) {
  const asked: Asked[] = [];
  const call = async (_: unknown, wanted: Asked): Promise<unknown> => {
    asked.push(wanted);
    const { start = 0, end = Infinity, status, limit } = wanted;
    return runs
      .filter((run) => run.starting >= start && run.starting < end && (status === undefined || run.status === status))
      .slice(0, limit)
      .map((run) => ({ ...run, properties: {} }));
  };
  return { asked, platform: { base: '', call, find: call } as unknown as Platform };
}

const runsOf = (count: number, second: (at: number) => number) =>
  Array.from({ length: count }, (_, at) => ({
    runid: `run-${at}`,
    starting: 1_700_000_000 - second(at),
    status: at % 3 === 0 ? 'FAILED' : 'COMPLETED',
  }));

async function idsOf(wanted: Partial<RunsWanted>, platform: Platform): Promise<readonly string[]> {
  const ids: string[] = [];
  const all = { statuses: [], limit: undefined, ...wanted };
  for await (const { runid } of pipelineRunRecords(PLACE, all, platform, new AbortController().signal)) ids.push(runid);
  return ids;
}

describe('the runs of a pipeline', () => {
  it.each([
    ['one a second', (at: number) => at],
    ['several in the second where a page ends', (at: number) => Math.floor(at / 7)],
    ['more in one second than a page has', (at: number) => (at < 2300 ? 0 : at)],
  ])('come all and once over several pages, %s', async (_, second) => {
    const runs = runsOf(3700, second);
    const { platform, asked } = platformWith(runs);
    expect(await idsOf({}, platform)).toEqual(runs.map(({ runid }) => runid));
    expect(asked.length).toBeGreaterThan(2);
    expect(asked.length).toBeLessThan(8);
  });

  it('are asked for no further than they are wanted', async () => {
    const { platform, asked } = platformWith(runsOf(3000, (at) => at));
    expect(await idsOf({ limit: 20 }, platform)).toHaveLength(20);
    expect(asked.map(({ limit }) => limit)).toEqual([20]);
  });

  it('are filtered by the platform for one status, and here for several', async () => {
    const runs = runsOf(2500, (at) => at);
    const { platform, asked } = platformWith(runs);
    const failed = runs.filter(({ status }) => status === 'FAILED').map(({ runid }) => runid);
    expect(await idsOf({ statuses: ['FAILED'] }, platform)).toEqual(failed);
    expect(asked[0]?.status).toBe('FAILED');
    expect(await idsOf({ statuses: ['FAILED', 'KILLED'], limit: 500 }, platform)).toEqual(failed.slice(0, 500));
  });

  it('stay inside the window that was asked for', async () => {
    const runs = runsOf(1500, (at) => at);
    const [start, end] = [1_700_000_000 - 1200, 1_700_000_000 - 100];
    const { platform, asked } = platformWith(runs);
    const inside = runs.filter(({ starting }) => starting >= start && starting < end).map(({ runid }) => runid);
    expect(await idsOf({ start, end }, platform)).toEqual(inside);
    expect(asked.every((one) => one.start === start)).toBe(true);
  });
});
