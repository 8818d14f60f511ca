import { describe, expect } from 'vitest';
import { expectText, it, json } from './suite.js';

interface Namespace {
  readonly name: string;
  readonly description: string;
  readonly config: Readonly<Record<string, string>>;
}

describe('namespaces (6.11)', () => {
  it('creates a namespace once and says so when it is there already', async ({ call, space }) => {
    expectText(
      await call('PUT', `/v3/namespaces/${space.name}`, { body: {} }),
      200,
      `Namespace '${space.name}' already exists.`,
    );
  });

  it('tells one namespace', async ({ space }) => {
    const namespace = json<Namespace>(await space.call('GET', ''));
    expect(namespace).toMatchObject({ name: space.name, description: '', generation: expect.any(Number) as number });
    expect(namespace.config).toBeTypeOf('object');
  });

  it('lists the namespaces, the one named system excepted', async ({ call, space }) => {
    const names = json<Namespace[]>(await call('GET', '/v3/namespaces')).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['default', space.name]));
    expect(names).not.toContain('system');
  });

  it.for(['no_such_namespace', 'system'])('knows no namespace %s', async (name, { call }) => {
    const sentence = `'namespace:${name}' was not found.`;
    expectText(await call('GET', `/v3/namespaces/${name}`), 404, sentence);
    expectText(await call('GET', `/v3/namespaces/${name}/artifacts`), 404, sentence);
  });

  it('has no applications in an unknown namespace', async ({ call }) => {
    expectText(
      await call('GET', '/v3/namespaces/no_such_namespace/apps'),
      404,
      "'namespace:no_such_namespace' was not found.",
    );
  });

  it.for(['default', 'system', 'cdap'])('keeps the name %s to itself', async (name, { call }) => {
    expectText(
      await call('PUT', `/v3/namespaces/${name}`, { body: {} }),
      400,
      `Cannot create the namespace '${name}'. '${name}' is a reserved namespace.`,
    );
  });

  it.for(['a-b', 'a.b', 'a%20b'])('takes no namespace named %s', async (name, { call }) => {
    expectText(
      await call('PUT', `/v3/namespaces/${name}`, { body: {} }),
      400,
      "Namespace id can contain only alphanumeric characters or '_'.",
    );
  });
});
