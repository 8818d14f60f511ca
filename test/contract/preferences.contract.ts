import { describe, expect } from 'vitest';
import { DOES } from './line.js';
import { deploy } from './pipeline.js';
import { expectEmpty, expectText, it, json, type Space } from './suite.js';

const APP = '/apps/orders';
const PROGRAM = `${APP}/workflows/DataPipelineWorkflow`;
const LEVELS = ['', APP, PROGRAM];

const read = async (space: Space, level: string, query = ''): Promise<unknown> =>
  json(await space.call('GET', `${level}/preferences${query}`));
const put = async (space: Space, level: string, body: unknown): Promise<void> => {
  expectEmpty(await space.call('PUT', `${level}/preferences`, { body }));
};

describe('preferences (8.3)', () => {
  it('are replaced as a whole at each level, and removed', async ({ space }) => {
    await deploy(space.call, 'orders');
    for (const level of LEVELS) {
      expect(await read(space, level)).toEqual({});
      await put(space, level, { one: '1', two: 'a\nb' });
      await put(space, level, { two: '2', three: '' });
      expect(await read(space, level)).toEqual({ two: '2', three: '' });
      for (let times = 0; times < 2; times += 1) expectEmpty(await space.call('DELETE', `${level}/preferences`));
      expect(await read(space, level)).toEqual({});
    }
  });

  it('are merged where that is asked for, the narrowest level last', async ({ space }) => {
    await deploy(space.call, 'orders');
    for (const [at, level] of LEVELS.entries()) await put(space, level, { all: String(at), [`only${at}`]: 'x' });
    expect(await read(space, PROGRAM, '?resolved=true')).toMatchObject({
      all: '2',
      only0: 'x',
      only1: 'x',
      only2: 'x',
    });
    expect(await read(space, APP, '?resolved=true')).toMatchObject({ all: '1', only0: 'x', only1: 'x' });
    expect(await read(space, PROGRAM)).toEqual({ all: '2', only2: 'x' });
  });

  it('keep numbers and truth values as texts, and refuse what is no object of texts', async ({ space }) => {
    await put(space, '', { number: 1, truth: true });
    expect(await read(space, '')).toEqual({ number: '1', truth: 'true' });
    for (const body of ['{"a"', '{"a":{"b":1}}', '["a"]'])
      expectText(await space.call('PUT', '/preferences', { body }), 400, 'Invalid JSON in body');
    expect(await read(space, '')).toEqual({ number: '1', truth: 'true' });
  });

  it('of a program are its stored arguments', async ({ space }) => {
    await deploy(space.call, 'orders');
    expectEmpty(await space.call('PUT', `${PROGRAM}/runtimeargs`, { body: { date: 'today' } }));
    expect(await read(space, PROGRAM)).toEqual({ date: 'today' });
    await put(space, PROGRAM, { other: '1' });
    expect(json(await space.call('GET', `${PROGRAM}/runtimeargs`))).toEqual({ other: '1' });
  });

  it('stay when the pipeline is deployed again, and go with it', async ({ space }) => {
    await deploy(space.call, 'orders');
    for (const level of [APP, PROGRAM]) await put(space, level, { kept: '1' });
    await deploy(space.call, 'orders');
    for (const level of [APP, PROGRAM]) expect(await read(space, level)).toEqual({ kept: '1' });
    expectEmpty(await space.call('DELETE', APP));
    await deploy(space.call, 'orders');
    for (const level of [APP, PROGRAM]) expect(await read(space, level)).toEqual({});
  });

  it('are 404 where the thing is absent', async ({ space, call }) => {
    expectText(await call('GET', '/v3/namespaces/nope_nope/preferences'), 404, 'Namespace nope_nope not present');
    expectText(
      await space.call('GET', '/apps/nope/preferences'),
      404,
      DOES.nameWithoutVersion
        ? `'application:${space.name}.nope.-SNAPSHOT' was not found.`
        : `Application nope in Namespace ${space.name} not present`,
    );
  });
});
