import { describe, expect, it } from 'vitest';
import { kindOf } from '../../../../../src/services/install/things/table.js';
import { inMemory, type InMemory } from '../../in-memory-platform.js';
import { contextOn } from '../support.js';

describe('what a deployed application is like', () => {
  const artifact = { name: 'shop', version: '1.0.0', scope: 'USER' };
  const classes = [{ className: 'example.Shop' }];
  const thing = { kind: 'application', name: 'shop', version: '1.0.0' };
  const shop = (...names: readonly string[]): InMemory =>
    inMemory({
      artifacts: [
        { name: 'shop', version: '1.0.0', applications: classes },
        { name: 'shop', version: '2.0.0', applications: classes },
        { name: 'shopping', version: '1.0.0', applications: classes },
      ],
      applications: [
        ...names.map((name) => ({ name, artifact, config: {} })),
        { name: 'Later', artifact: { ...artifact, version: '2.0.0' }, config: {} },
        { name: 'Other', artifact: { ...artifact, name: 'shopping' }, config: {} },
      ],
    });
  const kind = kindOf('application');

  it('is all that is made from its artifact, by name', async () => {
    expect(await kind?.applications(thing, contextOn(shop('Zoo', 'Art')))).toEqual(['Art', 'Zoo']);
    expect(await kind?.applications({ ...thing, version: '3.0.0' }, contextOn(shop('Zoo')))).toEqual([]);
  });

  it('is bare where only its artifact is there', async () => {
    const as = expect.stringMatching(/^[0-9a-f]{64}$/u) as string;
    expect(await kind?.look(thing, contextOn(shop('Shop')))).toEqual({ state: 'present', as });
    expect(await kind?.look(thing, contextOn(shop()))).toEqual({ state: 'present', as, bare: true });
    expect(await kind?.look({ ...thing, version: '3.0.0' }, contextOn(shop()))).toEqual({ state: 'absent' });
    expect(await kind?.look(thing, contextOn(shop('Shop')))).not.toEqual(
      await kind?.look(thing, contextOn(shop('Zoo'))),
    );
  });

  it('goes with its applications, and leaves those of other versions', async () => {
    const here = shop('Zoo', 'Art');
    await kind?.remove(thing, contextOn(here));
    expect(here.writes()).toEqual([
      'DELETE /v3/namespaces/default/apps/Art',
      'DELETE /v3/namespaces/default/apps/Zoo',
      'DELETE /v3/namespaces/default/artifacts/shop/versions/1.0.0',
    ]);
  });

  it('may be the applications whose artifact is gone', async () => {
    const here = shop('Shop');
    await here.call('DELETE', 'default/artifacts/shop/versions/1.0.0');
    const state = await kind?.look(thing, contextOn(here));
    expect(state).toEqual({ state: 'present', as: expect.any(String) as string });
  });
});

it('the kinds that an install makes are removed in an order, and no other is known', () => {
  const kinds = ['pipeline', 'application', 'draft', 'artifact', 'stream'];
  expect(kinds.map((name) => kindOf(name)?.order)).toEqual([1, 2, 3, 4, 5]);
  expect(kindOf('dataset')).toBeUndefined();
});

describe('what a stream is like', () => {
  const thing = { kind: 'stream', name: 'names' };
  const kind = kindOf('stream');

  it('is told by its properties and its last event', async () => {
    const here = inMemory({}, '4.3.5');
    expect(await kind?.look(thing, contextOn(here))).toEqual({ state: 'absent' });
    await here.call('PUT', 'default/streams/names');
    const empty = await kind?.look(thing, contextOn(here));
    await here.call('POST', 'default/streams/names', 1);
    const filled = await kind?.look(thing, contextOn(here));
    await here.call('PUT', 'default/streams/names/properties', { ttl: 7 });
    const changed = await kind?.look(thing, contextOn(here));
    expect(new Set([empty, filled, changed].map((state) => JSON.stringify(state))).size).toBe(3);
    expect(await kind?.applications(thing, contextOn(here))).toEqual([]);
    await kind?.remove(thing, contextOn(here));
    expect(await kind?.look(thing, contextOn(here))).toEqual({ state: 'absent' });
  });

  it('is none on a platform without streams, which is not asked', async () => {
    const here = inMemory({});
    expect(await kind?.look(thing, contextOn(here))).toEqual({ state: 'absent' });
    expect(here.asked).toEqual([]);
  });

  it.each([
    [{ configuration: '{"a":"names"}' }, true],
    [{ configuration: '{"a":"other"}' }, false],
    [{ streams: [{ name: 'names' }] }, true],
    [{ streams: [{ name: 'other' }, null, 'names', {}] }, false],
    [{ streams: 'names' }, false],
    [{}, false],
  ])('is used by an application with %j: %s', async (detail, expected) => {
    const users = await kind?.users?.(thing, contextOn(inMemory({})));
    const artifact = { name: 'x', version: '1', scope: 'SYSTEM' };
    expect(users?.known).toEqual([]);
    expect(users?.includes({ name: 'a', artifact, ...detail })).toBe(expected);
  });
});
