import { describe, expect, it } from 'vitest';
import { byName } from '../../../../src/services/upgrade/pipeline.js';
import { upgradedPipeline } from '../../../../src/services/upgrade/plan/planned-result.js';
import { GENERATIONS, olderPipeline, oneStep, stepArtifacts } from '../../../support/sites/upgrade-seed.js';
import { inMemory, upgradeOf, type InMemory } from './in-memory.js';

const [OLD, NEW] = GENERATIONS['6.1.1'].pipeline;
const body = (version: string) => ({
  artifact: { name: 'cdap-data-pipeline', version, scope: 'SYSTEM' },
  config: oneStep('Copy'),
});

/** Pipelines with versions that somebody named, as platforms up to 6.8 let them. */
async function site(): Promise<InMemory> {
  const applications = [olderPipeline('6.1.1', 'etl', 'two', oneStep('Copy'))];
  const made = inMemory({ namespaces: ['etl'], artifacts: stepArtifacts('6.1.1'), applications }, '6.1.1');
  await made.call('POST', 'etl/apps/only/versions/1.0/create', body(OLD));
  await made.call('POST', 'etl/apps/new/versions/1.0/create', body(NEW));
  await made.call('POST', 'etl/apps/two/versions/2.0/create', body(OLD));
  await made.call('POST', 'etl/apps/two/versions/3.0/create', body(NEW));
  return made;
}

const REASON = 'exists only as version 1.0, which cannot be upgraded';

async function planOf(made: InMemory, pipeline?: string) {
  const { plan } = await upgradeOf(made, { selection: pipeline === undefined ? {} : { pipeline } });
  return (await plan())
    .toSorted((one, other) => byName(one.ref, other.ref))
    .map((one) => {
      const { name, state, detail, leftOut, staysBehind, error } = upgradedPipeline(one, 'upgrade');
      return { name, state, detail, leftOut, staysBehind, error };
    });
}

describe('versions of a pipeline that somebody named', () => {
  it('are told: one that stands alone is skipped with the reason, one beside another stays behind', async () => {
    expect(await planOf(await site())).toMatchObject([
      { name: 'new', state: 'current' },
      { name: 'only', state: 'skipped', detail: REASON, leftOut: true, error: undefined },
      {
        name: 'two',
        state: 'planned',
        staysBehind: [{ version: '2.0', artifact: 'cdap-data-pipeline', from: OLD }],
      },
    ]);
  });

  it.each([
    ['only', { state: 'skipped', detail: REASON }],
    ['two', { state: 'planned', staysBehind: [{ version: '2.0' }] }],
  ])('are told when the pipeline is named: %s', async (name, expected) => {
    expect(await planOf(await site(), name)).toMatchObject([expected]);
  });

  it('are told of as well when the version that is upgraded is current', async () => {
    const made = await site();
    const { plan, execute } = await upgradeOf(made);
    await execute(await plan());
    expect((await planOf(made)).at(2)).toMatchObject({ state: 'current', staysBehind: [{ version: '2.0' }] });
  });

  it('are no hint for a name that is not there', async () => {
    const error = await upgradeOf(await site(), { selection: { pipeline: 'onl' } }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: 'NOT_FOUND',
      details: { hints: ['Did you mean "only"?', { next: 'list-pipelines', namespace: 'etl' }] },
    });
  });

  it('do not hide a pipeline that is deleted after it was listed', async () => {
    const made = await site();
    const { plan } = await upgradeOf(made);
    await made.call('DELETE', 'etl/apps/only/versions/1.0');
    expect((await plan()).map(({ ref, error }) => [ref.name, error?.code]).sort()).toEqual([
      ['new', undefined],
      ['only', 'GONE'],
      ['two', undefined],
    ]);
  });
});
