import { describe, expect, it } from 'vitest';
import { isKeptByStudio } from '../../../../../../src/services/install/things/draft/studio-config.js';

const BATCH = 'cdap-data-pipeline';
const stage = (properties: object, more: object = {}): object => ({
  stages: [{ name: 's', plugin: { name: 'File', type: 'batchsource', properties }, ...more }],
});

describe('a configuration that the studio keeps', () => {
  it.for([
    ['as it was sent', { stages: [], engine: 'SPARK' }, { engine: 'SPARK', stages: [] }],
    ['without what it does not know', { stages: [], __ui__: {}, custom: 1 }, { stages: [] }],
    [
      'without what the interface leaves in stages',
      stage({ a: 'b' }, { _uiPosition: {}, icon: 'x' }),
      stage({ a: 'b' }),
    ],
    ['without an engine that is none', { engine: 'foo' }, {}],
    ['without nulls', { schedule: null, ...stage({ a: null }) }, stage({})],
    ['with numbers and truths of properties as texts', stage({ n: 8080, b: true }), stage({ n: '8080', b: 'true' })],
    ['with a number that is written otherwise', stage({ n: 1 }), stage({ n: '1.0' })],
    ['with a text where a number belongs', { resources: { memoryMB: '512' } }, { resources: { memoryMB: 512 } }],
    ['with the defaults of resources', { resources: { memoryMB: 7 } }, { resources: { memoryMB: 7, virtualCores: 1 } }],
  ] as const)('%s', ([, sent, kept]) => {
    expect(isKeptByStudio(sent, kept, BATCH)).toBe(true);
  });

  it('of a streaming pipeline, with its default and without what is for batch', () => {
    const sent = { stages: [], batchInterval: '10s', schedule: '0 * * * *', engine: 'SPARK' };
    const kept = { stages: [], batchInterval: '10s', isUnitTest: false };
    expect(isKeptByStudio(sent, kept, 'cdap-data-streams')).toBe(true);
    expect(isKeptByStudio(sent, { ...kept, batchInterval: '1s' }, 'cdap-data-streams')).toBe(false);
    expect(isKeptByStudio(sent, { stages: [], isUnitTest: false }, 'cdap-data-streams')).toBe(false);
  });
});

describe('a configuration that somebody changed in the studio', () => {
  it.for([
    ['a property', stage({ path: '/in' }), stage({ path: '/out' })],
    ['a property that is gone', stage({ path: '/in', a: 'b' }), stage({ path: '/in' })],
    ['a property that was added', stage({ path: '/in' }), stage({ path: '/in', a: 'b' })],
    ['a number', stage({ port: 8080 }), stage({ port: '8081' })],
    ['an empty text for a zero', stage({ port: 0 }), stage({ port: '' })],
    ['a truth for a number', stage({ on: true }), stage({ on: '1' })],
    ['a stage that is gone', stage({}), { stages: [] }],
    ['all stages', stage({}), {}],
    ['the order of stages', { stages: [{ name: 'a' }, { name: 'b' }] }, { stages: [{ name: 'b' }, { name: 'a' }] }],
    ['a connection', { connections: [{ from: 'a', to: 'b' }] }, { connections: [{ from: 'a', to: 'c' }] }],
    ['the schedule', { schedule: '0 1 * * *' }, {}],
    ['the schedule, where there was none', {}, { schedule: '0 1 * * *' }],
    ['the engine', { engine: 'SPARK' }, { engine: 'MAPREDUCE' }],
    ['the engine, which is gone', { engine: 'SPARK' }, {}],
    ['memory', { resources: { memoryMB: 512 } }, { resources: { memoryMB: 1024 } }],
    ['cores, where there were none', { resources: {} }, { resources: { virtualCores: 4 } }],
    ['everything', { stages: [] }, undefined],
  ] as const)('is another one: %s', ([, sent, kept]) => {
    expect(isKeptByStudio(sent, kept, BATCH)).toBe(false);
  });
});
