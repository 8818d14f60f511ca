import { describe, expect, it } from 'vitest';
import { becameOf, changesIn, pluginChanges } from '../../../../../src/services/upgrade/plan/compare.js';

const stage = (name: string, artifact?: object, more: object = {}) => ({
  name,
  plugin: { name: 'Copy', type: 'transform', properties: { a: 'secret' }, ...(artifact && { artifact }) },
  ...more,
});
const user = (version: string) => ({ name: 'my-plugins', version, scope: 'USER' });
const system = (version: string) => ({ name: 'core-plugins', version, scope: 'SYSTEM' });
const text = (stages: readonly object[], more: object = {}): string => JSON.stringify({ stages, ...more });
const TO = 'mail: to has another value';
const UNNAMED = 'postActions[1].to has another value';
const OTHER = 'a: other is gone';
const change = { stage: 'a', plugin: 'Copy', type: 'transform' };

describe('the changes of plugins between two configurations', () => {
  it('pair stages by their names, in whatever order they are', () => {
    const before = text([stage('a', system('1.0.0')), stage('b', system('2.0.0'))]);
    const after = text([stage('b', system('2.0.0')), stage('a', system('1.1.0'))]);
    expect(pluginChanges(before, after)).toEqual([{ ...change, artifact: 'core-plugins', from: '1.0.0', to: '1.1.0' }]);
  });

  it.each([
    ['another artifact', user('1.0.0'), system('1.0.0'), { artifact: 'my-plugins', from: '1.0.0', to: '1.0.0' }],
    ['a widened range', system('[1,2)'), system('[1,2]'), { artifact: 'core-plugins', from: '[1,2)', to: '[1,2]' }],
    ['an artifact at all', undefined, system('2.0.0'), { artifact: 'core-plugins', from: '', to: '2.0.0' }],
    ['no artifact any more', system('2.0.0'), undefined, { artifact: 'core-plugins', from: '2.0.0', to: '' }],
  ])('tell of %s', (_, was, is, expected) => {
    const [found, ...more] = pluginChanges(text([stage('a', was)]), text([stage('a', is)]));
    expect(found).toMatchObject({ ...change, ...expected });
    expect(found?.toArtifact?.name).toBe(was?.name === 'my-plugins' ? 'core-plugins' : undefined);
    expect(more).toEqual([]);
  });

  it('tell of the same artifact of another scope, and which one it is now', () => {
    const mine = { ...system('1.0.0'), scope: 'USER' };
    expect(pluginChanges(text([stage('a', mine)]), text([stage('a', system('1.0.0'))]))).toEqual([
      {
        ...{ ...change, artifact: 'core-plugins', from: '1.0.0', to: '1.0.0' },
        toArtifact: { name: 'core-plugins', scope: 'SYSTEM' },
      },
    ]);
    const bare = { name: 'other-plugins', version: '2.0.0' };
    expect(pluginChanges(text([stage('a', mine)]), text([stage('a', bare)]))).toEqual([
      { ...{ ...change, artifact: 'core-plugins', from: '1.0.0', to: '2.0.0' }, toArtifact: { name: 'other-plugins' } },
    ]);
  });

  it('are none where only a scope is filled in', () => {
    const bare = { name: 'core-plugins', version: '1.0.0' };
    expect(pluginChanges(text([stage('a', bare)]), text([stage('a', system('1.0.0'))]))).toEqual([]);
  });
});

describe('what the platform itself made of a configuration', () => {
  const became = (before: string, configuration: string) => {
    const artifact = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' };
    return becameOf(before, { name: 'p', configuration, artifact }).notes.map(({ stage: of, message }) =>
      of === undefined ? message : `${of}: ${message}`,
    );
  };

  it('tells which stage it moved, which members are gone and which have another value, without values', () => {
    const before = text([stage('a', user('1.0.0'), { odd: 1 }), stage('b', system('1.0.0')), stage('c')], {
      description: 'mine',
      __ui__: { x: 1 },
      nothing: null,
      connections: [
        { from: 'a', to: 'b' },
        { from: 'b', to: 'c' },
      ],
    });
    const after = text([stage('b', system('1.0.0')), stage('a', system('2.0.0'))], {
      description: 'Data Pipeline Application',
      connections: [
        { to: 'c', from: 'b' },
        { from: 'a', to: 'b' },
      ],
      added: true,
    });
    expect(became(before, after)).toEqual([
      'a: the platform moved it from my-plugins 1.0.0 to core-plugins 2.0.0 SYSTEM',
      'a: odd is gone',
      'c: is gone',
      'description has another value',
      '__ui__ is gone',
    ]);
  });

  it.each<[object, object, readonly string[]]>([
    [{ a: [1, 2] }, { a: [2, 1] }, []],
    [{ a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } }, []],
    [{ a: [{ b: 1, c: null }] }, { a: [{ b: 1 }] }, []],
    [{ a: [{ b: 1, c: 2 }] }, { a: [{ c: 2, b: 1 }] }, []],
    [{ a: { b: null } }, { a: {} }, []],
    [{ a: [1] }, { a: [1, 2] }, ['a has another value']],
    [{ a: [[1, 2]] }, { a: [[2, 1]] }, ['a has another value']],
    [{ a: [1] }, { a: { 0: 1 } }, ['a has another value']],
    [{ a: { b: 1 } }, { a: [1] }, ['a has another value']],
    [{ a: { b: 1 } }, { a: 'text' }, ['a has another value']],
    [{ a: 1 }, { a: '1' }, ['a has another value']],
    [{ a: { b: 1 } }, { a: {} }, ['a.b is gone']],
    [{ a: { b: { c: 1 } } }, { a: { b: { c: 2 } } }, ['a.b.c has another value']],
    [{ a: { b: 1 } }, { a: null }, ['a is gone']],
    [{ postActions: [{ name: 'mail' }] }, { postActions: [] }, ['mail: is gone']],
    [{ postActions: [{ name: 'mail', to: 'a' }] }, { postActions: [{ name: 'mail', to: 'b' }] }, [TO]],
    [{ postActions: [{ to: 'a' }, { to: 'c' }] }, { postActions: [{ to: 'a' }, { to: 'b' }] }, [UNNAMED]],
    [{ postActions: { to: 'a' } }, { postActions: [] }, ['postActions has another value']],
    [{ postActions: ['a'] }, { postActions: ['b'] }, ['postActions[0] has another value']],
    [{ others: [{ name: 'mail' }] }, { others: [] }, ['others has another value']],
    [{ stages: [stage('a', undefined, { other: { plugin: { artifact: 1 } } })] }, { stages: [stage('a')] }, [OTHER]],
  ])('%j that becomes %j', (before, after, notes) => {
    expect(became(text([], before), text([], after))).toEqual(notes);
  });

  it('has no words for what cannot be read', () => {
    expect(became('{', text([]))).toEqual([expect.stringMatching(/^the changes to its configuration are unknown: ./u)]);
    const { changes, notes } = changesIn(text([]), '{');
    expect(changes).toEqual([]);
    expect(notes).toEqual([
      { message: expect.stringMatching(/^the changes to its plugins are unknown: ./u) as string },
    ]);
  });

  it('tells all of twenty', () => {
    const twenty = Object.fromEntries([...Array(20).keys()].map((at) => [`m${at}`, at]));
    expect(became(text([], twenty), text([])).at(-1)).toBe('m19 is gone');
  });

  it('tells no more than twenty members one by one', () => {
    const many = Object.fromEntries([...Array(25).keys()].map((at) => [`m${at}`, at]));
    const notes = became(text([], many), text([]));
    expect([notes.length, notes.at(-1)]).toEqual([21, 'and 5 more members']);
  });

  it('is quick on lists of thousands', () => {
    const connections = [...Array(20_000).keys()].map((at) => ({ from: `${at}`, to: `${at + 1}` }));
    const began = performance.now();
    expect(became(text([], { connections }), text([], { connections: connections.toReversed() }))).toEqual([]);
    expect(performance.now() - began).toBeLessThan(5000);
  });
});
