import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../../src/core/errors.js';
import { runPipelines, upgrading } from '../../../../../src/services/upgrade/run/run.js';
import { recordKey } from '../../../../../src/state/read-upgrade-journal.js';
import { GENERATIONS, olderPipeline, oneStep, stepArtifacts } from '../../../../support/sites/upgrade-seed.js';
import { answer, inMemory, shownAs, upgradeOf, type InMemory } from '../in-memory.js';

type Version = keyof typeof GENERATIONS;

const ORDERS = 'etl/apps/orders';
const CRON = `${ORDERS}/schedules/dataPipelineSchedule`;

/** One pipeline, whose schedule is active. */
async function active(version: Version = '6.11.0'): Promise<InMemory> {
  const applications = [olderPipeline(version, 'etl', 'orders', oneStep('Copy'))];
  const site = inMemory({ namespaces: ['etl'], artifacts: stepArtifacts(version), applications }, version);
  await site.call('POST', `${CRON}/resume`);
  return site;
}

const schedules = async (site: InMemory): Promise<readonly string[]> =>
  (await site.call<{ name: string; status: string }[]>('GET', `${ORDERS}/schedules`)).map(
    ({ name, status }) => `${name} ${status}`,
  );

async function upgrade(site: InMemory) {
  const { plan, execute, ...rest } = await upgradeOf(site);
  const [[, state] = []] = await execute(await plan());
  return { state, ...rest };
}

const deploys = (site: InMemory): number =>
  site.writes().filter((line) => line === `PUT /v3/namespaces/${ORDERS}`).length;

describe('writing over a pipeline', () => {
  it('the journal knows what was there and what is sent before it is sent, and how it ended', async () => {
    const site = await active();
    const before = await shownAs(site, 'etl/orders');
    const { plan, execute, journal } = await upgradeOf(site);
    const planned = await plan();
    const seen: number[] = [];
    site.breaking(async ({ line }) => {
      if (line.startsWith('PUT')) seen.push(journal.length);
      return undefined;
    });
    expect(await execute(planned)).toEqual([['orders', 'upgraded']]);
    expect(seen).toEqual([1]);
    expect(site.asked.filter(({ line }) => line.includes('/schedules')).map(({ line }) => line)).toEqual([
      `GET /v3/namespaces/${ORDERS}/schedules`,
      `GET /v3/namespaces/${ORDERS}/schedules`,
    ]);
    expect(journal).toMatchObject([
      {
        type: 'sending',
        before: { configuration: before.configuration, artifact: { version: '6.10.0' } },
        sent: { configuration: before.configuration.replace('"1.0.0"', '"2.0.0"'), artifact: { version: '6.11.0' } },
        schedules: [{ name: 'dataPipelineSchedule', status: 'SCHEDULED' }],
      },
      { type: 'ended', state: 'done', after: { artifact: { version: '6.11.0' } } },
    ]);
  });

  it.each([
    ['sending', 'dataPipelineSchedule SCHEDULED'],
    ['failed', 'dataPipelineSchedule SUSPENDED'],
  ] as const)('brings back what a run had noted that left it %s: %s', async (left, expected) => {
    const site = await active();
    const { plan, execute, journal } = await upgradeOf(site);
    await execute(await plan());
    const sending = journal.find((entry) => entry.type === 'sending');
    // As after a deploy that suspended the schedule and had no other effect before the run died.
    const later = await active();
    await later.call('POST', `${CRON}/suspend`);
    const record = {
      namespace: 'etl',
      pipeline: 'orders',
      state: left,
      ended: undefined,
      sending: async () => sending,
    };
    const again = await upgradeOf(later, { records: new Map([[recordKey('etl', 'orders'), record]]) });
    expect(await again.execute(await again.plan())).toEqual([['orders', 'upgraded']]);
    expect(await schedules(later)).toEqual([expected]);
  });

  it.each([
    ['lost before it had an effect', 'NET_RESET', 'before', 'upgraded', 2],
    ['lost after it had its effect', 'NET_RESET', 'after', 'upgraded', 1],
    ['too late, and nothing is to be seen of it', 'NET_TIMEOUT', 'before', 'UNKNOWN_OUTCOME', 1],
    ['too late, and it had its effect', 'NET_TIMEOUT', 'after', 'upgraded', 1],
  ] as const)('an answer that is %s', async (_, code, when, state, sent) => {
    const site = await active();
    let broken = false;
    site.breaking(async ({ line }, itself) => {
      if (!line.startsWith('PUT') || broken) return undefined;
      broken = true;
      if (when === 'after') await itself();
      throw new CliError(code, 'the answer did not come');
    });
    const ended = await upgrade(site);
    expect([ended.state, deploys(site)]).toEqual([state, sent]);
    expect(ended.journal.at(-1)).toMatchObject({ state: state === 'upgraded' ? 'done' : 'unknown' });
    expect(await schedules(site)).toEqual(['dataPipelineSchedule SCHEDULED']);
  });

  it.each([
    ['an effect', 'upgraded'],
    ['none', 'REMOTE_FAILED'],
  ])('a 500 that had %s is %s', async (effect, state) => {
    const site = await active();
    site.breaking(async ({ line }, itself) => {
      if (!line.startsWith('PUT')) return undefined;
      if (effect === 'an effect') await itself();
      return answer(500, 'broken');
    });
    expect([(await upgrade(site)).state, deploys(site)]).toEqual([state, 1]);
  });

  it('what the platform accepts and does not show afterwards is a failure', async () => {
    const site = await active();
    site.breaking(async ({ line }) => (line.startsWith('PUT') ? answer(200, 'Deploy Complete') : undefined));
    const { state, journal } = await upgrade(site);
    expect(state).toBe('BAD_ANSWER');
    expect(journal.at(-1)).toMatchObject({ type: 'ended', state: 'failed' });
  });
});

describe('schedules', () => {
  /** A platform that takes no notice of the wish to keep them. */
  const suspending = (site: InMemory): void => {
    site.breaking(async ({ line, body }) => {
      if (line !== `PUT /v3/namespaces/${ORDERS}`) return undefined;
      const { 'app.deploy.update.schedules': _wish, ...request } = JSON.parse(body) as Record<string, unknown>;
      expect(_wish).toBe(false);
      await site.call('PUT', ORDERS, request);
      return answer(200, '{}');
    });
  };

  it.each([
    ['6.11.0', 'weekly (active), dataPipelineSchedule (active)'],
    ['6.1.1', 'weekly (active)'],
  ] as const)(
    'are as before on %s, also where the deploy suspends or deletes them, with a warning',
    async (version, switched) => {
      const site = await active(version);
      const [schedule] = await site.call<{ name: string }[]>('GET', `${ORDERS}/schedules`);
      await site.call('PUT', `${ORDERS}/schedules/weekly`, { ...schedule, name: 'weekly' });
      await site.call('POST', `${ORDERS}/schedules/weekly/resume`);
      const before = (await schedules(site)).toSorted();
      suspending(site);
      const { state, warnings } = await upgrade(site);
      expect(state).toBe('upgraded');
      expect((await schedules(site)).toSorted()).toEqual(before);
      expect(before).toEqual(['dataPipelineSchedule SCHEDULED', 'weekly SCHEDULED']);
      expect(warnings).toEqual([
        'schedule weekly of pipeline orders was missing after the deploy and was restored',
        `schedules of pipeline orders are set back to their status before the deploy: ${switched}`,
      ]);
    },
  );

  it.each([
    ['suspended', 'SCHEDULED', 500, `POST /v3/namespaces/${CRON}/resume`],
    ['suspended', 'SCHEDULED', 401, `POST /v3/namespaces/${CRON}/resume`],
    ['resumed', 'SUSPENDED', 403, `POST /v3/namespaces/${CRON}/suspend`],
    ['deleted', 'SCHEDULED', 500, `PUT /v3/namespaces/${CRON}`],
    ['changed', 'SCHEDULED', 500, `POST /v3/namespaces/${CRON}/update`],
  ] as const)(
    'that are %s (%s) and cannot be restored (%d) make the pipeline fail with what mends it; nothing is to be sent again',
    async (how, was, status, mend) => {
      const site = await active();
      if (was === 'SUSPENDED') await site.call('POST', `${CRON}/suspend`);
      const [schedule] = await site.call<object[]>('GET', `${ORDERS}/schedules`);
      site.breaking(async ({ line }, itself) => {
        if (line === `PUT /v3/namespaces/${ORDERS}`) {
          const done = await itself();
          if (how === 'suspended') await site.call('POST', `${CRON}/suspend`);
          if (how === 'resumed') await site.call('POST', `${CRON}/resume`);
          if (how === 'deleted' || how === 'changed') await site.call('DELETE', CRON);
          const trigger = { type: 'TIME', cronExpression: '5 5 * * *' };
          if (how === 'changed') await site.call('PUT', CRON, { ...schedule, trigger });
          return done;
        }
        const isMending = /\/(?:resume|suspend)$/u.test(line) || line.startsWith('PUT ');
        return isMending && how !== 'changed' ? answer(status, 'no') : undefined;
      });
      const { plan, running, judging, journal, saved } = await upgradeOf(site);
      const [outcome] = (await runPipelines(await plan(), running(), upgrading(judging))).values();
      expect(outcome).toMatchObject({ state: 'failed', error: { code: 'REMOTE_FAILED' } });
      const words = { deleted: 'are gone', changed: 'have changed', suspended: '', resumed: '' }[how];
      if (words !== '')
        expect(outcome?.error?.message).toBe(
          `pipeline orders is deployed, but its schedules ${words}: dataPipelineSchedule`,
        );
      expect(outcome?.error?.details.hints).toEqual(['cdapctl upgrade --only-failed', 'or fix it manually:', mend]);
      expect(saved).toMatchObject([{ change: undefined, sent: 'deployed' }]);
      expect(journal.at(-1)).toMatchObject({ type: 'ended', state: 'failed', schedules: 'open' });
      expect(journal.at(-1)).not.toHaveProperty('untouched');
    },
  );
});
