import { describe, expect, vi } from 'vitest';
import { noApplication } from './line.js';
import { classesJar } from './jars.js';
import { deploy, passingThrough, writingTo } from './pipeline.js';
import { expectText, it, json } from './suite.js';

interface Line {
  readonly log: string;
  readonly offset: string;
}
interface Item {
  readonly log: { readonly timestamp: number; readonly logLevel: string; readonly message: string };
  readonly offset: string;
}

const WORKFLOW = '/apps/orders/workflows/DataPipelineWorkflow';
const PROGRAM = { appId: 'orders', programType: 'Workflow', programId: 'DataPipelineWorkflow' };

describe('the log of a run', () => {
  it('has the same lines as text, as JSON and in parts', { timeout: 900_000 }, async ({ space }) => {
    const headers = { 'Artifact-Extends': 'system:cdap-data-pipeline[6.0.0,7.0.0)' };
    const body = classesJar({ 'Bundle-Version': '1.0.0', 'Export-Package': 'example' }, { passThrough: true });
    expectText(await space.call('POST', '/artifacts/plugin', { body, headers }), 200, 'Artifact added successfully');
    await deploy(space.call, 'orders', passingThrough(writingTo(space.name)));
    const [started] = json<{ runId: string }[]>(await space.call('POST', '/start', { body: [PROGRAM] }));
    const run = `${WORKFLOW}/runs/${started?.runId ?? ''}`;
    const whole = async (query = ''): Promise<string> => {
      const answer = await space.call('GET', `${run}/logs?escape=false${query}`);
      expect(answer.status).toBe(200);
      return answer.text;
    };
    const text = await vi.waitFor(
      async () => {
        const { status } = json<{ status: string }>(await space.call('GET', run));
        expect(['COMPLETED', 'FAILED', 'KILLED']).toContain(status);
        const all = await whole();
        expect(all).toMatch(/Pipeline 'orders' (?:succeeded|failed)\./u);
        return all;
      },
      { timeout: 600_000, interval: 1000 },
    );
    expect(text).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} - INFO {2}\[[^\]]+\] - Pipeline 'orders' is started/u);
    const items = json<Item[]>(await space.call('GET', `${run}/logs?format=json`));
    expect(items.length).toBeGreaterThan(3);
    for (const { log, offset } of items) expect(offset).toBe(`-10000.${log.timestamp}`);
    const parts = json<Line[]>(await space.call('GET', `${run}/logs/next?max=100000&escape=false`));
    expect(parts.map(({ log }) => log).join('')).toBe(text);
    const [first, second] = json<Line[]>(await space.call('GET', `${run}/logs/next?max=2&escape=false`));
    expect([first, second]).toEqual(parts.slice(0, 2));
    const last = json<Line[]>(await space.call('GET', `${run}/logs/prev?max=1&escape=false`));
    expect(last).toEqual(parts.slice(-1));
    const beyond = `-10000.${Number(first?.offset.split('.')[1]) - 1}`;
    const again = json<Line[]>(await space.call('GET', `${run}/logs/next?max=1&escape=false&fromOffset=${beyond}`));
    expect(again).toEqual([first]);
    // Only lines of earlier milliseconds come before an offset, the newest of them.
    const [end] = last;
    const earlier = parts.filter(({ offset }) => offset !== end?.offset);
    const before = await space.call('GET', `${run}/logs/prev?max=2&escape=false&fromOffset=${end?.offset ?? ''}`);
    expect(json<Line[]>(before)).toEqual(earlier.slice(-2));
    const errors = await whole('&filter=loglevel%3DERROR');
    expect(errors.split('\n').filter((line) => / - (?:INFO|WARN|DEBUG) /u.test(line))).toEqual([]);
  });

  it('is refused or empty for what is not there', async ({ space }) => {
    await deploy(space.call, 'orders');
    expectText(await space.call('GET', `${WORKFLOW}/runs/nope/logs`), 500, 'Invalid UUID string: nope');
    const unknown = await space.call('GET', `${WORKFLOW}/runs/00000000-e567-11f1-a095-acde48001122/logs`);
    expect(unknown.status).toBe(404);
    expectText(await space.call('GET', '/apps/nope/workflows/DataPipelineWorkflow/logs'), 200, '');
    expectText(
      await space.call('GET', `${WORKFLOW}/logs?start=2000&stop=1000`),
      400,
      "Invalid time range. 'stop' should be greater than 'start'.",
    );
    expectText(
      await space.call('GET', '/apps/nope/workflows/DataPipelineWorkflow/status'),
      404,
      noApplication(space.name, 'nope'),
    );
  });
});
