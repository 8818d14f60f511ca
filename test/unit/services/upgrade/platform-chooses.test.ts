import { describe, expect, it } from 'vitest';
import { upgradedPipeline } from '../../../../src/services/upgrade/plan/planned-result.js';
import { runPipelines, upgrading } from '../../../../src/services/upgrade/run/run.js';
import { olderPipeline, oneStep, stepArtifacts } from '../../../support/sites/upgrade-seed.js';
import { planRollback, rollingBack } from '../../../../src/services/upgrade/run/rollback.js';
import { answer, inMemory, planningOf, recordsOf, shownAs, upgradeOf } from './in-memory.js';

/** A pipeline with one stage of an artifact of the namespace, whose plugin a newer artifact of the system has, too. */
async function moved(more: object = {}) {
  const artifact = { name: 'my-steps', version: '1.0.0', scope: 'USER' };
  const config = { ...oneStep('Copy'), ...more };
  const stages = [{ name: 'step', plugin: { name: 'Copy', type: 'action', artifact, properties: {} } }];
  const [own] = stepArtifacts('6.11.0');
  const mine = ['1.0.0', '1.10.0'].map((version) => ({ ...own, namespace: 'etl', name: 'my-steps', version }));
  const site = inMemory({
    namespaces: ['etl'],
    artifacts: [...stepArtifacts('6.11.0'), ...(mine as ReturnType<typeof stepArtifacts>)],
    applications: [olderPipeline('6.11.0', 'etl', 'orders', { ...config, stages })],
  });
  const upgrade = await upgradeOf(site, { selection: { engine: 'server' } });
  return { site, upgrade };
}

describe('an upgrade of which the platform chooses the artifacts', () => {
  it('is called unjudged and no change of it is foretold', async () => {
    const { upgrade } = await moved();
    const [planned] = await upgrade.plan();
    expect(planned && upgradedPipeline(planned, 'upgrade')).toMatchObject({
      state: 'planned',
      verdict: 'unjudged',
      changes: [],
      findings: [],
      detail: 'the platform chooses its plugin artifacts; the result is read back',
    });
  });

  it('tells what became of it as it is read back: the artifact that was chosen and the members that are gone', async () => {
    const { site, upgrade } = await moved({ odd: { x: 1 } });
    const planned = await upgrade.plan();
    const outcomes = await runPipelines(planned, upgrade.running({ engine: 'server' }), upgrading(upgrade.judging));
    const [[one, outcome] = []] = outcomes;
    const result = one && upgradedPipeline(one, 'upgrade', outcome);
    const { configuration } = await site.call<{ configuration: string }>('GET', 'etl/apps/orders');
    const { stages } = JSON.parse(configuration) as { stages: { plugin: { artifact: object } }[] };
    expect(stages[0]?.plugin.artifact).toMatchObject({ name: 'example-steps', version: '2.0.0' });
    expect(result).toMatchObject({
      state: 'upgraded',
      changes: [
        { stage: 'step', artifact: 'my-steps', from: '1.0.0', to: '2.0.0', toArtifact: { name: 'example-steps' } },
      ],
    });
    expect(result?.notes.map(({ message }) => message)).toEqual([
      'the platform moved it from my-steps 1.0.0 to example-steps 2.0.0 SYSTEM',
      'odd is gone',
    ]);
    expect(result?.detail).toContain('moved it from my-steps 1.0.0');
    expect(result).not.toHaveProperty('verdict', 'safe');
  });

  it('is proved by what is read back, whatever was answered', async () => {
    const { site, upgrade } = await moved();
    site.breaking(async ({ line }, itself) => {
      if (!line.endsWith('/upgrade')) return undefined;
      await itself();
      return answer(200, '<html>');
    });
    const planned = await upgrade.plan();
    const outcomes = await runPipelines(planned, upgrade.running({ engine: 'server' }), upgrading(upgrade.judging));
    expect([...outcomes.values()]).toMatchObject([{ state: 'upgraded', changes: [{ to: '2.0.0' }] }]);
  });

  it('no longer says beforehand, once it is done, that something will be chosen', async () => {
    const site = inMemory({
      namespaces: ['etl'],
      artifacts: stepArtifacts('6.11.0'),
      applications: [olderPipeline('6.11.0', 'etl', 'orders', oneStep('Copy'))],
    });
    const upgrade = await upgradeOf(site, { selection: { engine: 'server' } });
    const planned = await upgrade.plan();
    const outcomes = await runPipelines(planned, upgrade.running({ engine: 'server' }), upgrading(upgrade.judging));
    const [[one, outcome] = []] = outcomes;
    const result = one && upgradedPipeline(one, 'upgrade', outcome);
    expect(result).toMatchObject({ state: 'upgraded', changes: [{ stage: 'step' }], notes: [] });
    expect(result).not.toHaveProperty('detail');
  });

  it('is done, and can be rolled back, also where its configuration is beyond what this tool can compare', async () => {
    const deep = (levels: number): object => (levels === 0 ? {} : { x: deep(levels - 1) });
    const { site, upgrade } = await moved({ odd: deep(70) });
    const before = await shownAs(site, 'etl/orders');
    const planned = await upgrade.plan();
    const outcomes = await runPipelines(planned, upgrade.running({ engine: 'server' }), upgrading(upgrade.judging));
    const [[one, outcome] = []] = outcomes;
    const result = one && upgradedPipeline(one, 'upgrade', outcome);
    expect(result).toMatchObject({ state: 'upgraded', changes: [] });
    expect(result?.detail).toMatch(/^the changes to its configuration are unknown: .*deeper than 64/u);
    expect(upgrade.journal.filter(({ type }) => type === 'ended')).toMatchObject([{ state: 'done' }]);

    const records = recordsOf(upgrade.journal);
    const back = await planRollback(records.values(), planningOf(site));
    expect(back).toMatchObject([
      { state: 'upgrade', notes: [{ message: expect.stringMatching(/are unknown: /u) as string }] },
    ]);
    const undone = await runPipelines(back, upgrade.running({ records }), rollingBack(new Map()));
    expect([...undone.values()]).toMatchObject([{ state: 'rolled-back' }]);
    expect(await shownAs(site, 'etl/orders')).toEqual(before);
  });

  it('is rolled back stage by stage, in whatever order the platform put them', async () => {
    const used = (name: string, plugin: string, artifact: object) => ({
      name,
      plugin: { name: plugin, type: 'action', artifact, properties: {} },
    });
    const steps = { name: 'example-steps', version: '1.0.0', scope: 'SYSTEM' };
    const mine = { name: 'my-steps', version: '1.5.0', scope: 'USER' };
    const stages = [used('first', 'Copy', steps), used('second', 'Own', mine)];
    const connections = [{ from: 'first', to: 'second' }];
    const [own] = stepArtifacts('6.11.0');
    const site = inMemory({
      namespaces: ['etl'],
      artifacts: [
        ...stepArtifacts('6.11.0'),
        ...['1.5.0', '1.10.0'].map((version) => {
          const plugins = [{ type: 'action', name: 'Own', className: 'example.Own', properties: {} }];
          return { parents: '', ...own, namespace: 'etl', name: 'my-steps', version, plugins };
        }),
      ],
      applications: [olderPipeline('6.11.0', 'etl', 'orders', { ...oneStep('Copy'), stages, connections })],
    });
    const namesOf = async (): Promise<readonly string[]> => {
      const { configuration } = await shownAs(site, 'etl/orders');
      return (JSON.parse(configuration) as { stages: { name: string }[] }).stages.map(({ name }) => name);
    };
    const before = await shownAs(site, 'etl/orders');
    const upgrade = await upgradeOf(site, { selection: { engine: 'server' } });
    await runPipelines(await upgrade.plan(), upgrade.running({ engine: 'server' }), upgrading(upgrade.judging));
    expect(await namesOf()).toEqual(['second', 'first']);
    const records = recordsOf(upgrade.journal);
    const back = await planRollback(records.values(), planningOf(site));
    const changes = back[0]?.changes ?? [];
    expect(changes.map(({ stage, artifact, from, to }) => `${stage} ${artifact} ${from} ${to}`).sort()).toEqual([
      'first example-steps 2.0.0 1.0.0',
      'second my-steps 1.10.0 1.5.0',
    ]);
    await runPipelines(back, upgrade.running({ records }), rollingBack(new Map()));
    expect(await shownAs(site, 'etl/orders')).toEqual(before);
  });

  it('is not rolled back before it is known what became of it, which is said', async () => {
    const { site, upgrade } = await moved();
    let isSent = false;
    site.breaking(async ({ line }) => {
      if (line.endsWith('/upgrade')) isSent = true;
      return isSent && line === 'GET /v3/namespaces/etl/apps/orders' ? answer(401) : undefined;
    });
    const running = upgrade.running({ engine: 'server' });
    await runPipelines(await upgrade.plan(), running, upgrading(upgrade.judging));
    site.breaking(async () => undefined);
    const [planned] = await planRollback(recordsOf(upgrade.journal).values(), planningOf(site));
    expect(planned).toMatchObject({
      state: 'failed',
      error: { code: 'UNKNOWN_OUTCOME', details: { hints: ['cdapctl upgrade --resume'] } },
    });
    expect(planned?.error?.message).toContain('the upgraded pipeline orders was never read back');
  });

  it('is not held back by what this tool would refuse', async () => {
    const site = inMemory({
      namespaces: ['etl'],
      artifacts: stepArtifacts('6.11.0'),
      applications: [olderPipeline('6.11.0', 'etl', 'legacy', oneStep('Mask', { field: 'name' }))],
    });
    const states = async (engine: 'client' | 'server') =>
      (await (await upgradeOf(site, { selection: { engine } })).plan()).map(({ state }) => state);
    expect([await states('client'), await states('server')]).toEqual([['blocked'], ['upgrade']]);
  });
});
