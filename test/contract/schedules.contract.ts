import { describe, expect } from 'vitest';
import { DOES } from './line.js';
import { configured, deploy, PIPELINE } from './pipeline.js';
import { expectEmpty, expectText, it, json, JSON_TYPE, type Space } from './suite.js';

interface Schedule {
  readonly name: string;
  readonly status: string;
  readonly trigger: { readonly cronExpression?: string };
}

const NAME = 'dataPipelineSchedule';
const SCHEDULE = `/apps/orders/schedules/${NAME}`;
const KEEP = { 'app.deploy.update.schedules': false };
/** What becomes of an active schedule when the same request is deployed again. */
const SAME = DOES.makeVersions ? 'SUSPENDED' : 'SCHEDULED';
const CRON = '0 1 */1 * *';
const OTHER_CRON = '0 5 * * *';
const EXTRA = {
  name: 'extra',
  description: 'by hand',
  program: { programName: 'DataPipelineWorkflow', programType: 'WORKFLOW' },
  properties: {},
  trigger: { type: 'TIME', cronExpression: '0 7 * * *' },
  constraints: [],
  timeoutMillis: 60_000,
};

/** Name, status and cron expression of every schedule of the application, by name. */
async function schedules(space: Space): Promise<string[]> {
  const all = json<Schedule[]>(await space.call('GET', '/apps/orders/schedules'));
  return all.map(({ name, status, trigger }) => `${name} ${status} ${trigger.cronExpression ?? ''}`).sort();
}

/** How the platform names a schedule of the application. */
const scheduleOf = (space: Space, name: string): string =>
  `schedule:${space.name}.orders.${DOES.nameWithoutVersion ? '' : '-SNAPSHOT.'}${name}`;

async function act(space: Space, action: string, schedule = NAME): Promise<void> {
  expect(await space.call('POST', `/apps/orders/schedules/${schedule}/${action}`)).toEqual({
    status: 200,
    type: JSON_TYPE,
    text: 'OK',
  });
}

describe('the schedule of a pipeline (6.11)', () => {
  it('is made by the first deploy, suspended', async ({ space }) => {
    await deploy(space.call, 'orders');
    const schedule = {
      namespace: space.name,
      application: 'orders',
      ...(!DOES.nameWithoutVersion && { applicationVersion: '-SNAPSHOT' }),
      name: NAME,
      description: 'Data pipeline schedule',
      program: { programName: 'DataPipelineWorkflow', programType: 'WORKFLOW' },
      properties: {},
      trigger: { cronExpression: CRON, type: 'TIME' },
      constraints: [{ maxConcurrency: 1, type: 'CONCURRENCY', waitUntilMet: false }],
      timeoutMillis: 86_400_000,
      status: 'SUSPENDED',
      lastUpdateTime: expect.any(Number) as number,
    };
    expect(json(await space.call('GET', '/apps/orders/schedules'))).toEqual([schedule]);
    expect(json(await space.call('GET', SCHEDULE))).toEqual(schedule);
    expect(json(await space.call('GET', `${SCHEDULE}/status`))).toEqual({ status: 'SUSPENDED' });
  });

  it('is not made when the configuration has none', async ({ space }) => {
    await deploy(space.call, 'orders', configured({ schedule: undefined }));
    expect(await schedules(space)).toEqual([]);
  });

  it('is resumed and suspended once, by either word', async ({ space }) => {
    await deploy(space.call, 'orders');
    const full = scheduleOf(space, NAME);
    for (const [on, off] of [
      ['resume', 'suspend'],
      ['enable', 'disable'],
    ] as const) {
      expectText(await space.call('POST', `${SCHEDULE}/${off}`), 409, `Schedule '${full}' is already disabled`);
      await act(space, on);
      expect(json(await space.call('GET', `${SCHEDULE}/status`))).toEqual({ status: 'SCHEDULED' });
      expectText(await space.call('POST', `${SCHEDULE}/${on}`), 409, `Schedule '${full}' is already enabled`);
      await act(space, off);
      expect(json(await space.call('GET', `${SCHEDULE}/status`))).toEqual({ status: 'SUSPENDED' });
    }
  });

  it('says what was not found', async ({ space }) => {
    await deploy(space.call, 'orders');
    const sentence = `'${scheduleOf(space, 'nope')}' was not found.`;
    expectText(await space.call('GET', '/apps/orders/schedules/nope'), 404, sentence);
    expectText(await space.call('GET', '/apps/orders/schedules/nope/status'), 404, sentence);
    expectText(await space.call('POST', '/apps/orders/schedules/nope/resume'), 404, sentence);
    expectText(
      await space.call('GET', '/apps/nope/schedules'),
      404,
      `'application:${space.name}.nope.-SNAPSHOT' was not found.`,
    );
    expectText(
      await space.call('POST', `${SCHEDULE}/pause`),
      400,
      "Action for schedules may only be 'enable', 'disable', 'suspend', or 'resume' but is'pause'",
    );
  });

  it('tells its next start while it is active, beside programs that have none or do not exist', async ({ space }) => {
    await deploy(space.call, 'orders');
    const workflow = { programType: 'Workflow', programId: 'DataPipelineWorkflow' };
    const [own, other, unknown] = [
      { appId: 'orders', ...workflow },
      { appId: 'orders', programType: 'Spark', programId: 'phase-1' },
      { appId: 'nope', ...workflow },
    ];
    const ask = async () => json<unknown>(await space.call('POST', '/nextruntime', { body: [own, other, unknown] }));
    const others = [
      { ...other, statusCode: 200, schedules: [] },
      {
        ...unknown,
        statusCode: 404,
        error: DOES.nameWithoutVersion
          ? `'programreference:${space.name}.nope.workflow.DataPipelineWorkflow' was not found.`
          : `'application:${space.name}.nope.-SNAPSHOT' was not found.`,
      },
    ];
    expect(await ask()).toEqual([{ ...own, statusCode: 200, schedules: [] }, ...others]);
    await act(space, 'resume');
    const before = Date.now();
    const [first, ...rest] = (await ask()) as { schedules: { id: string; time: number }[] }[];
    const id = `DEFAULT.${space.name}:orders:-SNAPSHOT:WORKFLOW:DataPipelineWorkflow:${NAME}`;
    const time = first?.schedules[0]?.time ?? 0;
    expect([first, ...rest]).toEqual([{ ...own, statusCode: 200, schedules: [{ id, time }] }, ...others]);
    // Once a day at one o'clock, wherever the platform is.
    expect(time - before).toBeGreaterThan(0);
    expect(time - before).toBeLessThanOrEqual(25 * 3_600_000);
    expect(time % 900_000).toBe(0);
  });

  it('goes with its application', async ({ space }) => {
    await deploy(space.call, 'orders');
    await act(space, 'resume');
    expectEmpty(await space.call('DELETE', '/apps/orders'));
    await deploy(space.call, 'orders');
    expect(await schedules(space)).toEqual([`${NAME} SUSPENDED ${CRON}`]);
  });
});

describe('schedules when a pipeline is deployed again (6.11)', () => {
  it(`are ${SAME === 'SUSPENDED' ? 'suspended, also' : 'suspended, but not'} by the very same request`, async ({
    space,
  }) => {
    await deploy(space.call, 'orders');
    await act(space, 'resume');
    await deploy(space.call, 'orders');
    expect(await schedules(space)).toEqual([`${NAME} ${SAME} ${CRON}`]);
    if (SAME === 'SUSPENDED') await act(space, 'resume');
    await deploy(space.call, 'orders', configured({ schedule: OTHER_CRON }));
    expect(await schedules(space)).toEqual([`${NAME} SUSPENDED ${OTHER_CRON}`]);
  });

  it('keep status and time when the request asks for that', async ({ space }) => {
    await deploy(space.call, 'orders');
    await act(space, 'resume');
    await deploy(space.call, 'orders', { ...configured({ schedule: OTHER_CRON }), ...KEEP });
    expect(await schedules(space)).toEqual([`${NAME} SCHEDULED ${CRON}`]);
    await act(space, 'suspend');
    await deploy(space.call, 'orders', { ...configured({ schedule: OTHER_CRON }), ...KEEP });
    expect(await schedules(space)).toEqual([`${NAME} SUSPENDED ${CRON}`]);
  });

  it('stay when the request asks for that and the new configuration has none', async ({ space }) => {
    await deploy(space.call, 'orders');
    await act(space, 'resume');
    await deploy(space.call, 'orders', { ...configured({ schedule: undefined }), ...KEEP });
    expect(await schedules(space)).toEqual([`${NAME} SCHEDULED ${CRON}`]);
    await deploy(space.call, 'orders', configured({ schedule: undefined }));
    expect(await schedules(space)).toEqual([]);
  });

  it('are not made at all by a first deploy that asks to keep them', async ({ space }) => {
    await deploy(space.call, 'orders', { ...PIPELINE, ...KEEP });
    expect(await schedules(space)).toEqual([]);
    await deploy(space.call, 'orders', { ...PIPELINE, ...KEEP });
    expect(await schedules(space)).toEqual([]);
    await deploy(space.call, 'orders');
    expect(await schedules(space)).toEqual([`${NAME} SUSPENDED ${CRON}`]);
  });

  it('are removed when they were added by hand, unless the request asks to keep them', async ({ space }) => {
    await deploy(space.call, 'orders');
    expectEmpty(await space.call('PUT', '/apps/orders/schedules/extra', { body: EXTRA }));
    await act(space, 'resume', 'extra');
    await deploy(space.call, 'orders', { ...PIPELINE, ...KEEP });
    expect(await schedules(space)).toEqual([`${NAME} SUSPENDED ${CRON}`, 'extra SCHEDULED 0 7 * * *']);
    await deploy(space.call, 'orders');
    expect(await schedules(space)).toEqual([`${NAME} SUSPENDED ${CRON}`]);
  });
});

describe('schedules added by hand (6.11)', () => {
  it('are added once, suspended, and deleted once', async ({ space }) => {
    await deploy(space.call, 'orders');
    expectEmpty(await space.call('PUT', '/apps/orders/schedules/extra', { body: EXTRA }));
    expect(await schedules(space)).toContain('extra SUSPENDED 0 7 * * *');
    expectText(
      await space.call('PUT', '/apps/orders/schedules/extra', { body: EXTRA }),
      409,
      `'${scheduleOf(space, 'extra')}' already exists`,
    );
    expectEmpty(await space.call('DELETE', '/apps/orders/schedules/extra'));
    expectText(
      await space.call('DELETE', '/apps/orders/schedules/extra'),
      404,
      `'${scheduleOf(space, 'extra')}' was not found.`,
    );
  });

  it('can be put back as the list showed them', async ({ space }) => {
    await deploy(space.call, 'orders');
    expectEmpty(await space.call('PUT', '/apps/orders/schedules/extra', { body: EXTRA }));
    await act(space, 'resume', 'extra');
    const listed = async (): Promise<object[]> => {
      const all = json<Record<string, unknown>[]>(await space.call('GET', '/apps/orders/schedules'));
      return all.map((schedule) => ({ ...schedule, lastUpdateTime: 0 }));
    };
    const before = await listed();
    await deploy(space.call, 'orders');
    const extra = before.find((schedule) => 'name' in schedule && schedule.name === 'extra');
    expectEmpty(await space.call('PUT', '/apps/orders/schedules/extra', { body: extra }));
    expect(await schedules(space)).toContain('extra SUSPENDED 0 7 * * *');
    await act(space, 'resume', 'extra');
    expect(await listed()).toEqual(before);
  });
});
