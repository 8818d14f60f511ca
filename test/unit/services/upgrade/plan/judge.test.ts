import { describe, expect, it } from 'vitest';
import type { Seed } from '../../../../../src/emulator/seed/apply-seed.js';
import { oneStep, olderPipeline, stepArtifacts, verdictSeed } from '../../../../support/sites/upgrade-seed.js';
import { answer, inMemory, shownAs, upgradeOf } from '../in-memory.js';

const STEPS = stepArtifacts('6.11.0');

/** What becomes of one pipeline whose configuration this is; of the real time kind where it is told. */
async function upgraded(config: unknown, seed: Seed = {}, more: Parameters<typeof upgradeOf>[1] = {}) {
  const application = olderPipeline('6.11.0', 'etl', 'one', config);
  const site = inMemory({ namespaces: ['etl'], artifacts: STEPS, ...seed, applications: [application] });
  const before = (await shownAs(site, 'etl/one')).configuration;
  const { plan, execute } = await upgradeOf(site, more);
  const [planned] = await plan();
  const ended = planned === undefined ? [] : await execute([planned]);
  const after = (await shownAs(site, 'etl/one')).configuration;
  return { planned, ended, before, after };
}

const stage = (name: string, plugin: string, version: string, more: object = {}) => ({
  name,
  plugin: {
    name: plugin,
    type: 'action',
    artifact: { name: 'example-steps', version, scope: 'SYSTEM' },
    properties: {},
  },
  ...more,
});

/** Members that the platform's old tool loses or sets anew, as a text with odd spaces, numbers and an unknown member. */
const RICH = `{ "description": "all of it",  "engine": "spark", "comments": [{"content": "c"}],
  "properties": {"system.spark.spark.x": "1"}, "resources": {"memoryMB": 777, "virtualCores": 1},
  "clientResources": {"memoryMB": 777}, "stageLoggingEnabled": false, "processTimingEnabled": false,
  "numOfRecordsPreview": 42, "maxConcurrentRuns": 3, "pushdownEnabled": true, "service": false, "ratio": 1.0, "huge": 12345678901234567890,
  "connections": [{"from":"z","to":"a"}], "postActions": [], "nothing": null, "schedule": "0 1 * * *", "\\u00e9": "\\u00e9",
  "stages": [
    ${JSON.stringify(stage('z', 'Copy', '1.0.0', { id: 'z1', label: 'Zed', inputSchema: [{}], outputSchema: 'x', information: { comments: { list: [] } } }))},
    ${JSON.stringify(stage('a', 'Copy', '1.0.0'))}
  ] }`;

describe('judging a pipeline', () => {
  it('changes the versions of artifacts and not one other byte, whatever a configuration holds and in whatever order', async () => {
    const { after, ended } = await upgraded(RICH);
    expect(ended).toEqual([['one', 'upgraded']]);
    expect(after).toBe(RICH.replaceAll('"1.0.0"', '"2.0.0"'));
  });

  it('keeps all of a real-time pipeline, and says when it bears the mark of a test that the old tool leaves', async () => {
    const config = {
      stages: [
        {
          name: 's',
          plugin: {
            name: 'Ticker',
            type: 'streamingsource',
            artifact: { name: 'ticks', version: '1.0.0', scope: 'SYSTEM' },
            properties: {},
          },
        },
        {
          name: 't',
          plugin: {
            name: 'End',
            type: 'batchsink',
            artifact: { name: 'ticks', version: '1.0.0', scope: 'SYSTEM' },
            properties: {},
          },
        },
      ],
      connections: [{ from: 's', to: 't' }],
      batchInterval: '10s',
      extraJavaOpts: '-Dx=y',
      disableCheckpoints: true,
      stopGracefully: true,
      stageLoggingEnabled: false,
      isUnitTest: true,
    };
    const plugins = [
      { type: 'streamingsource', name: 'Ticker', className: 'x.Ticker' },
      { type: 'batchsink', name: 'End', className: 'x.End' },
    ];
    const parents = 'system:cdap-data-streams[6.0.0,7.0.0)';
    const artifacts = ['1.0.0', '1.1.0'].map((version) => ({
      namespace: 'system',
      name: 'ticks',
      version,
      parents,
      plugins,
    }));
    const artifact = { name: 'cdap-data-streams', version: '6.10.0', scope: 'SYSTEM' };
    const text = JSON.stringify(config);
    const site = inMemory({
      namespaces: ['etl'],
      artifacts,
      applications: [{ namespace: 'etl', name: 'live', artifact, config: text }],
    });
    const { plan, execute } = await upgradeOf(site);
    const planned = await plan();
    expect(planned[0]?.notes.map(({ message }) => message)).toEqual([expect.stringContaining('isUnitTest')]);
    expect(await execute(planned)).toEqual([['live', 'upgraded']]);
    expect((await shownAs(site, 'etl/live')).configuration).toBe(text.replaceAll('"1.0.0"', '"1.1.0"'));
  });

  it('takes the highest version by the order of the platform, wherever it stands in the list', async () => {
    const [first, second] = STEPS;
    const versions = ['10.0.0', '9.0.0', '11.0.0-SNAPSHOT'].map((version) => ({
      ...(second ?? first),
      name: 'example-steps',
      version,
    }));
    const { planned } = await upgraded(oneStep('Copy'), { artifacts: [...STEPS, ...versions] });
    expect(planned?.changes).toMatchObject([{ from: '1.0.0', to: '10.0.0' }]);
    const asked = await upgraded(
      oneStep('Copy'),
      { artifacts: [...STEPS, ...versions] },
      { selection: { snapshots: true } },
    );
    expect(asked.planned?.changes).toMatchObject([{ to: '11.0.0-SNAPSHOT' }]);
  });

  it('asks for plugins in the namespace of the pipeline, so that those of its users are found', async () => {
    const mine = STEPS.map((one) => ({ ...one, namespace: 'etl' }));
    const config = JSON.parse(JSON.stringify(oneStep('Copy')).replace('"SYSTEM"', '"USER"')) as unknown;
    const { planned, ended } = await upgraded(config, { namespaces: ['aaa', 'etl'], artifacts: mine });
    expect(planned?.changes).toMatchObject([{ from: '1.0.0', to: '2.0.0' }]);
    expect(ended).toEqual([['one', 'upgraded']]);
  });

  it('keeps a plugin whose version is a range, and notes that', async () => {
    const { planned } = await upgraded(oneStep('Copy', {}, '[1.0.0,3.0.0)'));
    expect([planned?.changes, planned?.findings]).toEqual([[], []]);
    expect(planned?.notes).toEqual([
      { stage: 'step', message: 'example-steps [1.0.0,3.0.0) is a version range and is kept' },
    ]);
  });

  it('compares the properties of a plugin with those of the version that a pipeline uses', async () => {
    const { planned } = await upgraded(oneStep('Mask', { field: 'name' }));
    const place = { level: 'blocked', stage: 'step', plugin: 'Mask', property: 'salt' };
    expect(planned?.findings).toEqual([{ ...place, reason: 'new required property "salt" has no value' }]);
  });

  it('a plugin that the target does not have blocks the pipeline; nothing is left out', async () => {
    const [first] = STEPS;
    const gone = [
      { ...first, name: 'example-steps', version: '1.0.0', parents: 'system:cdap-data-pipeline[6.0.0,6.11.0)' },
    ];
    const { planned, ended, after, before } = await upgraded(oneStep('Copy'), { artifacts: gone });
    expect(planned?.findings).toMatchObject([{ level: 'blocked', stage: 'step' }]);
    expect([ended, after]).toEqual([[['one', 'BLOCKED']], before]);
  });

  it('a look-up that fails makes that pipeline fail, and no other', async () => {
    const site = inMemory(verdictSeed('6.11.0'));
    site.breaking(async ({ line }) =>
      line.includes('/plugins/Copy') ? { status: 500, headers: {}, body: 'no' } : undefined,
    );
    const { plan } = await upgradeOf(site);
    expect((await plan()).map(({ ref, state }) => [ref.name, state])).toEqual([
      ['clicks', 'upgrade'],
      ['legacy', 'blocked'],
      ['orders', 'failed'],
    ]);
  });

  it.each([
    ['only the plugins that are named', { plugins: ['other'] }, { to: '6.11.0', changes: [] }],
    ['a version of a plugin that is named', { plugins: ['example-steps@2.0.0'] }, { to: '6.11.0', changes: ['2.0.0'] }],
    ['the version that is asked for', { to: '6.11.0' }, { to: '6.11.0', changes: ['2.0.0'] }],
  ] as const)('goes to %s', async (_, selection, { to, changes }) => {
    const plugins = 'plugins' in selection ? [...selection.plugins] : [];
    const { planned } = await upgraded(oneStep('Copy'), {}, { selection: { ...selection, plugins } });
    expect([planned?.to?.version, planned?.changes.map((change) => change.to)]).toEqual([to, changes]);
  });

  it('leaves one on the current artifact alone, and with --include-current looks at its plugins', async () => {
    const artifact = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' };
    const site = inMemory({
      namespaces: ['etl'],
      artifacts: STEPS,
      applications: [{ namespace: 'etl', name: 'one', artifact, config: oneStep('Copy') }],
    });
    expect((await (await upgradeOf(site)).plan()).map(({ state }) => state)).toEqual(['current']);
    expect(site.asked.map(({ line }) => line)).not.toContain('GET /v3/namespaces/etl/apps/one');
    const [planned] = await (await upgradeOf(site, { selection: { includeCurrent: true } })).plan();
    expect([planned?.state, planned?.to?.version, planned?.changes[0]?.to]).toEqual(['upgrade', '6.11.0', '2.0.0']);
  });

  it.each([
    ['a blocked one of which nothing changes', [], 'BLOCKED', 0],
    ['a blocked one of which a version changes', [oneStep('Copy')['stages']].flat(), 'REMOTE_FAILED', 1],
  ])('--include-current --force: %s', async (_, more, expected, sent) => {
    const artifact = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' };
    const config = oneStep('Gone', {}, '3.0.0');
    const stages = [config['stages'], more].flat();
    const site = inMemory({ namespaces: ['etl'], artifacts: STEPS });
    await site.call('PUT', 'etl/apps/one', { artifact, config: oneStep('Copy') });
    const shown = { name: 'one', artifact, configuration: JSON.stringify({ ...config, stages }) };
    site.breaking(async ({ line }) => {
      if (line.startsWith('PUT')) return answer(400, 'no such plugin');
      return line.endsWith('/apps/one') ? answer(200, JSON.stringify(shown)) : undefined;
    });
    const { plan, execute } = await upgradeOf(site, { selection: { includeCurrent: true }, force: true });
    expect(await execute(await plan())).toEqual([['one', expected]]);
    expect(site.writes()).toHaveLength(sent);
  });

  it('tells of every application that is skipped why', async () => {
    const jar = { namespace: 'system', name: 'reports', version: '1.0.0', applications: [{ className: 'x.App' }] };
    const artifact = { name: 'reports', version: '1.0.0', scope: 'SYSTEM' };
    const site = inMemory({
      namespaces: ['etl'],
      artifacts: [jar],
      applications: [{ namespace: 'etl', name: 'one', artifact }],
    });
    const [planned] = await (await upgradeOf(site)).plan();
    expect(planned).toMatchObject({ state: 'skipped', reason: 'is not a pipeline: it uses reports' });
  });
});
