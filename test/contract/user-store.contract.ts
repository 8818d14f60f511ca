import { describe, expect } from 'vitest';
import { expectEmpty, it as base, json, JSON_TYPE, type Call } from './suite.js';

const PATH = '/v3/configuration/user';

/** There is one store for everybody who is not logged in: what stood in it is put back. */
const it = base.extend<{ store: Call }>({
  store: async ({ call }: { call: Call }, use: (store: Call) => Promise<void>) => {
    const { property } = json<{ property: unknown }>(await call('GET', PATH));
    await call('DELETE', PATH);
    await use((method, path, sent) => call(method, PATH + path, sent));
    await call('PUT', PATH, { body: JSON.stringify(property) });
  },
});

async function kept(store: Call): Promise<string> {
  const { status, type, text } = await store('GET', '');
  expect({ status, type }).toEqual({ status: 200, type: JSON_TYPE });
  return text;
}

describe('the user store', () => {
  it('is an empty object before anything is written', async ({ store }) => {
    expect(await kept(store)).toBe('{"id":"","property":{}}');
  });

  it('takes the content of property, and the next write replaces all of it', async ({ store }) => {
    expectEmpty(await store('PUT', '', { body: { hydratorDrafts: { default: { d1: { name: 'a' } } }, choice: true } }));
    expect(await kept(store)).toBe(
      '{"id":"","property":{"hydratorDrafts":{"default":{"d1":{"name":"a"}}},"choice":true}}',
    );
    expectEmpty(await store('PUT', '', { body: { other: 1 } }));
    expect(await kept(store)).toBe('{"id":"","property":{"other":1}}');
  });

  it('nests an answer that is written as it was read', async ({ store }) => {
    await store('PUT', '', { body: await kept(store) });
    expect(await kept(store)).toBe('{"id":"","property":{"id":"","property":{}}}');
  });

  it('keeps numbers, nulls and the order of members as they were written', async ({ store }) => {
    const body = String.raw`{"b": 512, "a": 512.0, "e":1e3, "big":12345678901234567890, "text":"\u00e9<>&'=\/", "none":null}`;
    expectEmpty(await store('PUT', '', { body }));
    expect(await kept(store)).toBe(
      `{"id":"","property":{"b":512,"a":512.0,"e":1e3,"big":12345678901234567890,"text":"é<>&'=/","none":null}}`,
    );
  });

  it('has no guard against two clients that read, merge and write at once', async ({ store }) => {
    const read = async (): Promise<object> => json<{ property: object }>(await store('GET', '')).property;
    const [first, second] = [await read(), await read()];
    expectEmpty(await store('PUT', '', { body: { ...first, mine: 1 } }));
    expectEmpty(await store('PUT', '', { body: { ...second, yours: 2 } }));
    expect(await read()).toEqual({ yours: 2 });
  });

  it.for([
    ['an array', '[]', '[]'],
    ['null', 'null', 'null'],
    ['no body', undefined, 'null'],
    ['a string', '"x"', '"x"'],
  ] as const)('is destroyed by %s, with 200', async ([, body, property], { store }) => {
    await store('PUT', '', { body: { draft: 1 } });
    expectEmpty(await store('PUT', '', { body }));
    expect(await kept(store)).toBe(`{"id":"","property":${property}}`);
  });

  it('refuses what is no JSON, and stays as it was', async ({ store }) => {
    await store('PUT', '', { body: { draft: 1 } });
    expect(await store('PUT', '', { body: '{bad' })).toEqual({
      status: 400,
      type: JSON_TYPE,
      text: 'Invalid JSON in body',
    });
    expect(await kept(store)).toBe('{"id":"","property":{"draft":1}}');
  });

  it('is emptied by DELETE, again and again', async ({ store }) => {
    await store('PUT', '', { body: { draft: 1 } });
    expectEmpty(await store('DELETE', ''));
    expectEmpty(await store('DELETE', ''));
    expect(await kept(store)).toBe('{"id":"","property":{}}');
  });
});
