import { describe, expect, it } from 'vitest';
import { junitXml } from '../../../../src/output/junit.js';
import { upgradedPipeline } from '../../../../src/services/upgrade/plan/planned-result.js';
import { runPipelines, upgrading } from '../../../../src/services/upgrade/run/run.js';
import { recordKey, type UpgradeRecord } from '../../../../src/state/read-upgrade-journal.js';
import { resultOf } from '../../output/upgrade-result.js';
import { olderPipeline, oneStep, stepArtifacts } from '../../../support/sites/upgrade-seed.js';
import { answer, inMemory, upgradeOf, type InMemory } from './in-memory.js';

const ORDERS = '/v3/namespaces/etl/apps/orders';

function site(): InMemory {
  const applications = [olderPipeline('6.11.0', 'etl', 'orders', oneStep('Copy'))];
  return inMemory({ namespaces: ['etl'], artifacts: stepArtifacts('6.11.0'), applications });
}

/** Answers the first read of a path after the deploy, and all after it, with a status. */
function cutting(made: InMemory, line: string, status: number, body = ''): void {
  let isSent = false;
  made.breaking(async (asked) => {
    if (asked.line === `PUT ${ORDERS}`) isSent = true;
    return isSent && asked.line === line ? answer(status, body) : undefined;
  });
}

async function upgraded(made: InMemory, records = new Map<string, UpgradeRecord>()) {
  const { plan, running, judging, journal, saved } = await upgradeOf(made, { records });
  const outcomes = await runPipelines(await plan(), running(), upgrading(judging));
  const [[planned, outcome] = []] = outcomes;
  return { planned, outcome, journal, saved };
}

describe('a deploy whose proof is cut off', () => {
  it.each([
    ['its read is refused: the token has expired', `GET ${ORDERS}`, 401, ''],
    ['its read fails', `GET ${ORDERS}`, 500, 'no'],
    ['what is read is no answer of the platform', `GET ${ORDERS}`, 200, '<html>'],
    ['its schedules cannot be read', `GET ${ORDERS}/schedules`, 401, ''],
  ])('is with unknown outcome, not failed: %s', async (_, line, status, body) => {
    const made = site();
    cutting(made, line, status, body);
    const { planned, outcome, journal, saved } = await upgraded(made);
    expect(outcome).toMatchObject({ state: 'unknown', error: { code: 'UNKNOWN_OUTCOME' } });
    expect(journal.at(-1)).toMatchObject({ type: 'ended', state: 'unknown' });
    expect(saved).toMatchObject([{ change: undefined, sent: 'unknown' }]);
    const xml = junitXml(resultOf(planned === undefined ? [] : [upgradedPipeline(planned, 'upgrade', outcome)]), 0);
    expect(xml).toContain('failures="0" errors="1"');
    expect(xml).toMatch(/<error message="[^"]+" type="UNKNOWN_OUTCOME">/u);
  });

  it('is settled by the run that goes on, without a second deploy', async () => {
    const made = site();
    cutting(made, `GET ${ORDERS}`, 401);
    const { journal } = await upgraded(made);
    made.breaking(async () => undefined);
    const sent = journal.find((entry) => entry.type === 'sending');
    const ended = journal.find((entry) => entry.type === 'ended');
    const sending = () => Promise.resolve(sent);
    const record = { namespace: 'etl', pipeline: 'orders', state: 'unknown', ended, sending } as const;
    const { outcome } = await upgraded(made, new Map([[recordKey('etl', 'orders'), record]]));
    expect(outcome).toMatchObject({ state: 'upgraded', settled: true, changes: [{ from: '1.0.0', to: '2.0.0' }] });
    expect(made.writes().filter((line) => line === `PUT ${ORDERS}`)).toHaveLength(1);
  });
});
