import { describe, expect } from 'vitest';
import { deployOrders, GENERATIONS, runOrders, WORKFLOW, type RunRecord } from './ran.js';
import { casesOn, expectText, json, NO_TYPE, type Answer, type Call } from './suite.js';

interface Listed {
  readonly namespace: string;
  readonly program: string;
  readonly run?: string;
  readonly start: number;
}

const LONG = 600_000;
const DAY = 86_400;
const ask = (call: Call, start: number | string, duration: number | string, ...namespaces: string[]): Promise<Answer> =>
  call(
    'GET',
    `/v3/dashboard?start=${start}&duration=${duration}${namespaces.map((one) => `&namespace=${one}`).join('')}`,
  );
const list = async (...asked: Parameters<typeof ask>): Promise<Listed[]> => json<Listed[]>(await ask(...asked));

const CASES = GENERATIONS.map(([name, open]) => [name, casesOn(open)] as const);

describe.each(CASES)('the dashboard (%s)', (_, it) => {
  it('wants a namespace', async ({ call }) => {
    const text = "'namespace' cannot be empty, please provide at least one namespace.";
    expectText(await call('GET', '/v3/dashboard'), 400, text);
    expectText(await ask(call, 1, 1), 400, text);
  });

  it.for([
    ['', ''],
    ['a,b', 'a,b'],
    ['a-b', 'a-b'],
    ['default&namespace=a.b', 'a.b'],
  ] as const)('does not take %s for a namespace', async ([sent, told], { call }) => {
    const text = `Invalid namespace ID: ${told}. Should only contain alphanumeric characters or _.`;
    expectText(await ask(call, 1, 1, sent), 500, text);
  });

  it('wants a window that does not begin before 1970 nor end before it begins', async ({ call }) => {
    expectText(await ask(call, -1, 1, 'default'), 400, "'start' time cannot be smaller than 0.");
    expectText(await ask(call, 1, -1, 'default'), 400, "'duration' cannot be smaller than 0.");
  });

  it.for([
    ['abc', '1'],
    ['1', 'abc'],
    ['', '1'],
    ['1', '2147483648'],
  ] as const)('does not understand start %s with duration %s', async ([start, duration], { call }) => {
    const text = `Error in executing request: GET /v3/dashboard?start=${start}&duration=${duration}&namespace=default`;
    expect(await ask(call, start, duration, 'default')).toEqual({ status: 500, type: NO_TYPE, text });
  });

  it('has nothing of a namespace that is not there, nor of a time far away', async ({ call, space }) => {
    expect(await list(call, 0, 2_147_483_647, 'nope_nope')).toEqual([]);
    expect(await list(call, Date.now(), 1, space.name)).toEqual([]);
    expect(await list(call, 0, 0, space.name)).toEqual([]);
  });

  it('lists the starts to come of a resumed schedule, both ends of the window included', async ({ call, space }) => {
    const { version } = await deployOrders(call, space);
    const now = Math.floor(Date.now() / 1000);
    expect(await list(call, now, 2 * DAY, space.name)).toEqual([]);
    await space.call('POST', '/apps/orders/schedules/dataPipelineSchedule/resume');
    const listed = await list(call, now, 2 * DAY, space.name);
    const starts = [...new Set(listed.map(({ start }) => start))];
    expect(starts).toHaveLength(2);
    const [first = 0, second = 0] = starts;
    expect(second - first).toBe(DAY);
    for (const record of listed) {
      expect(record).toEqual({
        namespace: space.name,
        artifact: expect.objectContaining({ name: 'cdap-data-pipeline', scope: 'SYSTEM' }) as object,
        application: { name: 'orders', version },
        type: 'WORKFLOW',
        program: 'DataPipelineWorkflow',
        user: expect.any(String) as string,
        startMethod: 'SCHEDULED',
        start: record.start,
      });
    }
    const startsIn = async (from: number, duration: number): Promise<number[]> => {
      return [...new Set((await list(call, from, duration, space.name)).map(({ start }) => start))];
    };
    expect(await startsIn(first, DAY)).toEqual([first, second]);
    expect(await startsIn(first + 1, DAY - 2)).toEqual([]);
    await space.call('POST', '/apps/orders/schedules/dataPipelineSchedule/suspend');
    expect(await list(call, now, 2 * DAY, space.name)).toEqual([]);
  });

  it(
    'lists a run and the one inside it, in each window that they touch',
    { timeout: LONG },
    async ({ call, space }) => {
      const { innerType } = await deployOrders(call, space);
      const run = await runOrders(space);
      expect(run.status).toBe('COMPLETED');
      const { starting, end = 0 } = run;
      const common = {
        namespace: space.name,
        artifact: expect.objectContaining({ name: 'cdap-data-pipeline', scope: 'SYSTEM' }) as object,
        application: { name: 'orders', version: '-SNAPSHOT' },
        startMethod: 'MANUAL',
        status: 'COMPLETED',
        end: expect.any(Number) as number,
      };
      const inner = run.properties['phase-1'];
      const listed = await list(call, starting - 10, end - starting + 20, space.name);
      expect(listed.toSorted((a, b) => (a.program < b.program ? -1 : 1))).toEqual([
        {
          ...common,
          type: 'WORKFLOW',
          program: 'DataPipelineWorkflow',
          run: run.runid,
          start: starting,
          running: run.start,
        },
        {
          ...common,
          type: innerType,
          program: 'phase-1',
          run: inner,
          start: expect.any(Number) as number,
          running: expect.any(Number) as number,
        },
      ]);
      const touching = async (from: number, duration: number): Promise<boolean> => {
        return (await list(call, from, duration, space.name)).some((record) => record.run === run.runid);
      };
      expect(await touching(end, 0)).toBe(true);
      expect(await touching(end + 1, DAY)).toBe(false);
      expect(await touching(starting - 10, 10)).toBe(true);
      expect(await touching(starting - 10, 9)).toBe(false);
      const word = innerType.toLowerCase();
      const runs = json<RunRecord[]>(await space.call('GET', `/apps/orders/${word}/phase-1/runs`));
      expect(runs).toMatchObject([{ runid: inner, properties: { workflowrunid: run.runid } }]);
    },
  );

  it('has beside it lists of runs with a window of their own', { timeout: LONG }, async ({ call, space }) => {
    const { startsEarly, readsWindows } = await deployOrders(call, space);
    const { runid, starting } = await runOrders(space);
    const runs = async (query: string): Promise<string[]> => {
      return json<{ runid: string }[]>(await space.call('GET', `${WORKFLOW}/runs?${query}`)).map((run) => run.runid);
    };
    expect(await runs(`start=${starting}&end=${starting + 1}`)).toEqual([runid]);
    expect(await runs(`start=${starting - 9}&end=${starting}`)).toEqual([]);
    expect(await runs(`start=${starting + 1}`)).toEqual(startsEarly ? [runid] : []);
    expect(await runs(`start=${starting + 2}`)).toEqual([]);
    expect(await runs('limit=0')).toEqual([]);
    const reversed = await space.call('GET', `${WORKFLOW}/runs?start=2000&end=1000`);
    if (!readsWindows) expectText(reversed, 500, 'inconsistent range');
    else expectText(reversed, 400, 'Invalid end time 1000. It must be greater than the start time 2000');
  });
});
