import { describe, expect, vi } from 'vitest';
import { classesJar } from './jars.js';
import { DOES, noApplication, noProgram } from './line.js';
import { deploy, passingThrough, writingTo } from './pipeline.js';
import { expectText, it, json } from './suite.js';

interface Run {
  readonly runid: string;
  readonly status: string;
  readonly starting: number;
  readonly end?: number;
  readonly properties: Readonly<Record<string, string>>;
}

interface Started {
  readonly statusCode: number;
  readonly runId?: string;
  readonly error?: string;
}

const WORKFLOW = '/apps/orders/workflows/DataPipelineWorkflow';
const PROGRAM = { appId: 'orders', programType: 'Workflow', programId: 'DataPipelineWorkflow' };
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;

describe('the workflow of a pipeline (6.11)', () => {
  it('is stopped and has no runs after the deploy', async ({ space }) => {
    await deploy(space.call, 'orders');
    expect(json(await space.call('GET', `${WORKFLOW}/status`))).toEqual({ status: 'STOPPED' });
    expect(json(await space.call('GET', `${WORKFLOW}/runs`))).toEqual([]);
  });

  it(
    'is started by a batch of one, which tells the run, and comes to its end',
    { timeout: 900_000 },
    async ({ space }) => {
      const headers = { 'Artifact-Extends': 'system:cdap-data-pipeline[6.0.0,7.0.0)' };
      const body = classesJar({ 'Bundle-Version': '1.0.0', 'Export-Package': 'example' }, { passThrough: true });
      expectText(await space.call('POST', '/artifacts/plugin', { body, headers }), 200, 'Artifact added successfully');
      await deploy(space.call, 'orders', passingThrough(writingTo(space.name)));
      const [started] = json<Started[]>(
        await space.call('POST', '/start', { body: [{ ...PROGRAM, runtimeargs: { date: '2026-11-21' } }] }),
      );
      expect(started).toEqual({ ...PROGRAM, statusCode: 200, runId: expect.stringMatching(UUID) as string });
      const path = `${WORKFLOW}/runs/${started?.runId ?? ''}`;
      const look = async (): Promise<Run> => json<Run>(await space.call('GET', path));
      const first = await (DOES.showRunsAtOnce ? look() : vi.waitFor(look, { timeout: 60_000, interval: 100 }));
      expect(first).toMatchObject({ runid: started?.runId, starting: expect.any(Number) as number });
      const run = await vi.waitFor(
        async () => {
          const record = json<Run>(await space.call('GET', path));
          expect(record.end, record.status).toBeTypeOf('number');
          return record;
        },
        { timeout: 600_000, interval: 500 },
      );
      expect(run.status).toBe('COMPLETED');
      expect(JSON.parse(run.properties['runtimeArgs'] ?? '')).toMatchObject({ date: '2026-11-21' });
      expect(json<Run[]>(await space.call('GET', `${WORKFLOW}/runs?limit=1`))).toMatchObject([
        { runid: started?.runId },
      ]);
      expect(json<Run[]>(await space.call('GET', `${WORKFLOW}/runs?status=completed`))).toHaveLength(1);
      expect(json(await space.call('GET', `${WORKFLOW}/runs?status=failed`))).toEqual([]);
      expect(json(await space.call('GET', `${WORKFLOW}/status`))).toEqual({ status: 'STOPPED' });
    },
  );

  it('is not started when the program is unknown: the item says so', async ({ space }) => {
    const { version } = await deploy(space.call, 'orders');
    const answer = json<Started[]>(await space.call('POST', '/start', { body: [{ ...PROGRAM, programId: 'Nope' }] }));
    expect(answer).toEqual([
      {
        ...PROGRAM,
        programId: 'Nope',
        statusCode: 404,
        error: `'program:${space.name}.orders.${version}.workflow.Nope' was not found.`,
      },
    ]);
  });

  it('is not started when the application is unknown: the whole call says so, or its item', async ({ space }) => {
    const program = { ...PROGRAM, appId: 'nope' };
    const answer = await space.call('POST', '/start', { body: [program] });
    if (DOES.refuseBatches) expectText(answer, 404, noApplication(space.name, 'nope'));
    else
      expect(json(answer)).toEqual([
        { ...program, statusCode: 404, error: noProgram(space.name, 'nope', 'workflow.DataPipelineWorkflow') },
      ]);
  });

  it('is stopped in the answer about several programs, next to those that are absent', async ({ space }) => {
    await deploy(space.call, 'orders');
    const items = [PROGRAM, { ...PROGRAM, appId: 'nope' }, { ...PROGRAM, programId: 'Nope' }];
    const missing = (app: string, program: string): object => ({
      statusCode: 404,
      error: noProgram(space.name, app, program),
    });
    expect(json(await space.call('POST', '/status', { body: items }))).toEqual([
      { ...items[0], statusCode: 200, status: 'STOPPED' },
      { ...items[1], ...missing('nope', 'workflow.DataPipelineWorkflow') },
      { ...items[2], ...missing('orders', 'workflow.Nope') },
    ]);
  });

  it('is not started by a request that names no program', async ({ space }) => {
    expectText(
      await space.call('POST', '/start', { body: [{ appId: 'orders' }] }),
      400,
      /^Must provide valid appId, programType, and programId for each object: /u,
    );
  });

  it('says what was not found', async ({ space }) => {
    const { version } = await deploy(space.call, 'orders');
    expectText(
      await space.call('GET', '/apps/nope/workflows/DataPipelineWorkflow/status'),
      404,
      noApplication(space.name, 'nope'),
    );
    expectText(
      await space.call('GET', '/apps/orders/workflows/Nope/status'),
      404,
      `'program:${space.name}.orders.${version}.workflow.Nope' was not found.`,
    );
    expectText(
      await space.call('GET', '/apps/nope/workflows/DataPipelineWorkflow/runs'),
      404,
      noProgram(space.name, 'nope', 'workflow.DataPipelineWorkflow'),
    );
    const run = '00000000-e567-11f1-a095-acde48001122';
    expectText(
      await space.call('GET', `${WORKFLOW}/runs/${run}`),
      404,
      DOES.nameWithoutVersion
        ? `No run record found for program programreference:${space.name}.orders.workflow.DataPipelineWorkflow and runID: ${run}`
        : `'program_run:${space.name}.orders.${version}.workflow.DataPipelineWorkflow.${run}' was not found.`,
    );
    expectText(await space.call('GET', `${WORKFLOW}/runs/nope`), 500, 'Invalid UUID string: nope');
    expectText(
      await space.call('GET', '/apps/orders/wurkflows/DataPipelineWorkflow/status'),
      400,
      DOES.nameWithoutVersion
        ? "Unknown category name 'wurkflows'. Must be one of mapreduce,spark,custom,workflows,services,workers"
        : "Invalid program type 'wurkflows'",
    );
  });

  it('cannot be stopped when it does not run', async ({ space }) => {
    const { version } = await deploy(space.call, 'orders');
    expectText(
      await space.call('POST', `${WORKFLOW}/stop`),
      400,
      `Program 'program:${space.name}.orders.${version}.workflow.DataPipelineWorkflow' is not running.`,
    );
  });

  it('keeps its application from being deleted while it runs', { timeout: 900_000 }, async ({ space }) => {
    await deploy(space.call, 'orders', writingTo(space.name));
    const [started] = json<Started[]>(await space.call('POST', '/start', { body: [PROGRAM] }));
    if (!DOES.showRunsAtOnce)
      await vi.waitFor(
        async () => {
          const { status } = json<{ status: string }>(await space.call('GET', `${WORKFLOW}/status`));
          expect(status).not.toBe('STOPPED');
        },
        { timeout: 60_000, interval: 100 },
      );
    const refused = await space.call('DELETE', '/apps/orders');
    expectText(
      refused,
      409,
      DOES.nameWithoutVersion
        ? `'applicationreference:${space.name}.orders' could not be deleted. Reason: The following programs are still running: DataPipelineWorkflow`
        : /could not be deleted\. Reason: The following programs are still running: .*DataPipelineWorkflow/u,
    );
    await space.call('POST', `${WORKFLOW}/runs/${started?.runId ?? ''}/stop`);
    await vi.waitFor(
      async () => {
        expect(json(await space.call('GET', `${WORKFLOW}/status`))).toEqual({ status: 'STOPPED' });
      },
      { timeout: 600_000, interval: 300 },
    );
  });
});
