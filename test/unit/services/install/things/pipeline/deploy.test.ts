import { describe, expect, it } from 'vitest';
import { parseRange } from '../../../../../../src/core/version-range.js';
import { kindOf } from '../../../../../../src/services/install/things/table.js';
import type { PipelineArtifact } from '../../../../../../src/services/install/pipeline-artifact.js';
import { pipelineStep } from '../../../../../../src/services/install/things/pipeline/step.js';
import { errorOf, saidBy } from '../../../../../support/errors.js';
import { oneStep, stepArtifacts } from '../../../../../support/sites/upgrade-seed.js';
import { answer, inMemory, shownAs, type InMemory } from '../../../in-memory-platform.js';
import { contextOn } from '../../support.js';

const NAMED = { name: 'cdap-data-pipeline', scope: 'SYSTEM' } as const;
const CONFIG = oneStep('Copy');
const TEXT = JSON.stringify(CONFIG);
const OTHER = { ...CONFIG, description: 'somebody else made it' };
const PUT = 'PUT /v3/namespaces/default/apps/copy';

function copy(version = '[6.10.0,7.0.0)', changes: Partial<PipelineArtifact> = {}, configuration = TEXT) {
  const range = parseRange(version);
  if (range === undefined) throw new Error('the range cannot be read');
  return pipelineStep({ n: 3, name: 'copy', artifact: { ...NAMED, version, range, ...changes }, configuration });
}

/** A platform with a pipeline, or with an application of another artifact. */
function site(config?: unknown, artifact: object = { ...NAMED, version: '6.11.0' }): InMemory {
  const applications = config === undefined ? [] : [{ name: 'copy', artifact, config }];
  const shop = { name: 'shop', version: '1.0.0', applications: [{ className: 'example.Shop' }] };
  return inMemory({ artifacts: [...stepArtifacts('6.11.0'), shop], applications });
}

const absent = { state: 'absent', effect: '' } as const;
const differs = { state: 'differs', effect: '', consent: '' } as const;
const DONE = { state: 'done', effect: 'already exists with this configuration' };
const OVER = {
  state: 'differs',
  effect: 'overwrite, from cdap-data-pipeline 6.11.0; its schedules stay as they are',
  consent: 'overwrite pipeline copy',
};

describe('a pipeline that is wanted', () => {
  it('is a step of its artifact and its configuration', () => {
    const { title, target, material } = copy();
    expect({ title, target, material }).toEqual({
      title: 'pipeline copy',
      target: { kind: 'pipeline', name: 'copy' },
      material: { name: 'copy', artifact: { ...NAMED, version: '[6.10.0,7.0.0)' }, configuration: TEXT },
    });
  });

  it.each<[string, () => InMemory, string, object]>([
    ['is absent', () => site(), '6.11.0', { state: 'absent', effect: 'create from cdap-data-pipeline 6.11.0' }],
    [
      'is made from the newest of a range',
      () => site(),
      '[6.0.0,7.0.0)',
      { state: 'absent', effect: 'create from cdap-data-pipeline 6.11.0' },
    ],
    [
      'is made from the only one of a range',
      () => site(),
      '[6.0.0,6.11.0)',
      { state: 'absent', effect: 'create from cdap-data-pipeline 6.10.0' },
    ],
    ['is there', () => site(CONFIG), '6.11.0', DONE],
    ['is there with another configuration', () => site(OTHER), '6.11.0', OVER],
    ['is there from another version', () => site(CONFIG, { ...NAMED, version: '6.10.0' }), '6.11.0', OVER],
  ])('%s', async (_, open, version, expected) => {
    const here = open();
    expect(await copy(version).observe(contextOn(here))).toEqual(expected);
    expect(here.writes()).toEqual([]);
  });

  it('is an application of another artifact, written over with --force only', async () => {
    const here = site({}, { name: 'shop', version: '1.0.0', scope: 'USER' });
    const observed = await copy().observe(contextOn(here));
    expect(observed).toMatchObject({ state: 'refused', effect: 'another application has this name' });
    expect(observed.state === 'refused' && saidBy(observed.error)).toEqual({
      code: 'CONFLICT',
      message: 'copy already exists with another artifact (shop 1.0.0)',
      hints: [{ next: 'rename-thing', n: 3, mayForce: true }],
      final: true,
    });
    expect(await copy().observe(contextOn(here, { force: true }))).toEqual(OVER);
  });

  it.each<[string, ReturnType<typeof copy>, string, string]>([
    ['of another version', copy('7.0.0'), '7.0.0', 'it has 6.10.0, 6.11.0'],
    ['of the user', copy('6.11.0', { scope: 'USER' }), '6.11.0', 'it has none'],
  ])('cannot be made from an artifact %s', async (_, step, version, has) => {
    const observed = await step.observe(contextOn(site()));
    expect(observed).toMatchObject({ state: 'refused', effect: `needs cdap-data-pipeline ${version}` });
    expect(observed.state === 'refused' && saidBy(observed.error)).toEqual({
      code: 'INCOMPATIBLE',
      message: `the pipeline needs artifact cdap-data-pipeline ${version}, which this platform does not have (${has})`,
    });
  });

  it('may be made from an artifact that an earlier step makes', async () => {
    const upcoming = [{ kind: 'artifact', name: 'till', version: '1.0.0' } as const];
    const step = copy('1.0.0', { name: 'till', scope: 'USER' });
    expect(await step.observe(contextOn(site(), { upcoming }))).toMatchObject({ effect: 'create from till 1.0.0' });
  });
});

describe('the deploy of a pipeline', () => {
  const body = (here: InMemory): unknown => JSON.parse(here.asked.find(({ line }) => line === PUT)?.body ?? '');
  const artifact = { ...NAMED, version: '[6.10.0,7.0.0)' };
  const update = { 'app.deploy.update.schedules': false };

  it('sends the artifact as the package names it, and the configuration as a text', async () => {
    const here = site();
    await copy().apply(contextOn(here), absent);
    expect([here.writes(), body(here)]).toEqual([[PUT], { artifact, config: TEXT }]);
    expect(await shownAs(here, 'default/copy')).toEqual({ version: '6.11.0', configuration: TEXT });
  });

  it('over another names the version that was seen, and keeps its schedules', async () => {
    const here = site(OTHER);
    await here.call('POST', 'default/apps/copy/schedules/dataPipelineSchedule/resume');
    const { appVersion } = await here.call<{ appVersion: string }>('GET', 'default/apps/copy');
    const context = contextOn(here);
    await copy().apply(context, differs);
    expect(body(here)).toEqual({ artifact, ...update, change: { parentVersion: appVersion }, config: TEXT });
    expect(context.facts.get('schedules')).toEqual({ dataPipelineSchedule: 'SCHEDULED' });
    await copy().settle?.(context);
    const [schedule] = await here.call<{ status: string }[]>('GET', 'default/apps/copy/schedules');
    expect(schedule?.status).toBe('SCHEDULED');
  });

  it('sends the configuration as it is where a platform keeps no texts', async () => {
    const here = inMemory({ artifacts: stepArtifacts('6.1.1') }, '6.1.1');
    const config = JSON.stringify(oneStep('Copy'));
    const step = copy('6.1.1', {}, config);
    await step.apply(contextOn(here), absent);
    expect(body(here)).toEqual({ artifact: { ...NAMED, version: '6.1.1' }, config: JSON.parse(config) as unknown });
    await step.apply(contextOn(here), differs);
    expect(here.asked.filter(({ line }) => line === PUT)[1]?.body).not.toContain('app.deploy.update.schedules');
  });

  it.each([
    ['an answer that was lost', 502, true, 1],
    ['a lost request', 502, false, 2],
    ['an error after its effect', 500, true, 1],
  ])('is done once in spite of %s', async (_, status, arrives, sends) => {
    const here = site();
    let lost = 0;
    here.breaking(async ({ line }, itself) => {
      if (line !== PUT || (lost += 1) > 1) return undefined;
      if (arrives) await itself();
      return answer(status);
    });
    const context = contextOn(here);
    await copy().apply(context, absent);
    expect(here.writes()).toHaveLength(sends);
    const words = 'the deploy of pipeline copy: the response was lost and nothing was applied; sending it again';
    expect(context.warnings).toEqual(sends === 1 ? [] : [words]);
    expect(await copy().observe(context)).toEqual(DONE);
  });

  it.each([
    ['nothing', undefined],
    ['another configuration', OTHER],
  ])('that is accepted and leaves %s is an error', async (_, config) => {
    const here = site(config);
    here.breaking(async ({ line }) => (line === PUT ? answer(200) : undefined));
    expect(saidBy(await errorOf(copy().apply(contextOn(here), differs)))).toEqual({
      code: 'BAD_ANSWER',
      message: 'the platform accepted pipeline copy, but returns a different configuration',
    });
  });
});

describe('what a pipeline is like', () => {
  const thing = { kind: 'pipeline', name: 'copy' };
  const look = (here: InMemory) => kindOf('pipeline')?.look(thing, contextOn(here));

  it('is told by its artifact and its configuration, null members and order left out', async () => {
    const same = await look(site(CONFIG));
    const turned = Object.fromEntries(Object.entries({ ...CONFIG, none: null }).reverse());
    expect(await look(site(turned))).toEqual(same);
    expect(await look(site(OTHER))).not.toEqual(same);
    expect(await look(site(CONFIG, { ...NAMED, version: '6.10.0' }))).not.toEqual(same);
    expect(await look(site())).toEqual({ state: 'absent' });
    expect(await kindOf('pipeline')?.applications(thing, contextOn(site()))).toEqual(['copy']);
  });
});
