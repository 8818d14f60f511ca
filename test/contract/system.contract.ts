import { describe, expect } from 'vitest';
import { it, json, JSON_TYPE, NO_TYPE, TEXT_TYPE } from './suite.js';

interface Setting {
  readonly name: string;
  readonly value: string;
  readonly source: string;
}

describe('system endpoints (6.11)', () => {
  it('tells the version of the platform', async ({ call }) => {
    const version = json<Record<string, string>>(await call('GET', '/v3/version'));
    expect(version).toEqual({ version: expect.stringMatching(/^\d+\.\d+\.\d+$/u) as string });
  });

  it('answers the probe of a load balancer with a word', async ({ call }) => {
    expect(await call('GET', '/status')).toEqual({ status: 200, type: TEXT_TYPE, text: 'OK' });
    expect(await call('GET', '/ping')).toEqual({ status: 200, type: TEXT_TYPE, text: 'OK.\n' });
  });

  it('announces its hub among its settings', async ({ call, target }) => {
    const settings = json<Setting[]>(await call('GET', '/v3/config/cdap?format=json'));
    const announced = settings.filter(({ name }) => name === 'market.base.url');
    expect(announced).toHaveLength(1);
    for (const setting of settings) expect(Object.keys(setting).sort()).toEqual(['name', 'source', 'value']);
    const url = announced[0]?.value ?? '';
    expect(url).toMatch(/^https?:\/\/[^/]+\/v2$/u);
    if (target.hub !== undefined) expect(new URL(url).origin).toBe(new URL(target.hub).origin);
  });

  it('refuses settings in another format with a sentence', async ({ call }) => {
    expect(await call('GET', '/v3/config/cdap?format=yaml')).toEqual({
      status: 400,
      type: TEXT_TYPE,
      text: 'Invalid format: yaml. Valid formats: json, xml',
    });
  });

  it.for([
    '/v3/nope',
    '/nope',
    '/v3/config/nope?format=json',
    '/v3/namespaces/default/nope',
    '/v3/namespaces/default/artifacts/a%2Fb',
  ])('answers the unknown path %s without a content type', async (path, { call }) => {
    expect(await call('GET', path)).toEqual({
      status: 404,
      type: NO_TYPE,
      text: `Problem accessing: ${path}. Reason: Not Found`,
    });
  });

  it('answers another method on a known path with the path', async ({ call }) => {
    expect(await call('DELETE', '/v3/version')).toEqual({ status: 405, type: NO_TYPE, text: '/v3/version' });
    expect(await call('HEAD', '/v3/version')).toEqual({ status: 405, type: NO_TYPE, text: '' });
  });

  it('ignores a slash at the end and query parameters that it does not know', async ({ call }) => {
    expect(await call('GET', '/v3/version/')).toMatchObject({ status: 200, type: JSON_TYPE });
    expect(await call('GET', '/v3/version?nothing=1')).toMatchObject({ status: 200, type: JSON_TYPE });
  });
});
