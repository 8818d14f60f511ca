import { describe, expect } from 'vitest';
import { type Install, it, recovers, sends, type Site } from '../../support/sites/install-site.js';
import { startStallingProxy } from '../../support/stalling-proxy.js';

const SPACE = '/v3/namespaces/default';
const UPLOAD = { method: 'POST', path: '/artifacts/example-trim-fields$' };
const PROPERTIES = { method: 'PUT', path: '/properties$' };
const DEPLOY = { method: 'PUT', path: '/apps/CsvCopy$' };
const ARTIFACT = `${SPACE}/artifacts/example-trim-fields`;

const trim = ['example-trim-fields@1.10.0', '-y'] as const;
const copy = ['example-csv-copy', '-y'] as const;

const TRIM_WRITES = [`POST ${ARTIFACT}`, `PUT ${ARTIFACT}/versions/1.10.0/properties`];

describe('an answer that is lost', () => {
  it.for([
    ['upload', 'reset', 'after', 1],
    ['upload', 'cut', 'after', 1],
    ['upload', 'length', 'after', 1],
    ['upload', 'reset', 'before', 2],
    ['upload', 'status', 'before', 2],
    ['upload', 'status', 'after', 1],
    ['properties', 'reset', 'after', 1],
    ['properties', 'reset', 'before', 2],
    ['properties', 'status', 'before', 2],
  ] as const)('%s, %s %s the effect: read back, sent %i time(s)', async ([what, kind, when, times], { site }) => {
    await site.fail({ match: what === 'upload' ? UPLOAD : PROPERTIES, kind, when });
    const { item, code } = await site.install(...trim);
    expect(code).toBe(0);
    expect(item?.state).toBe('installed');
    expect(await sends(site, what === 'upload' ? 'POST' : 'PUT')).toBe(times);
    const detail = await site.call<{ properties: object; classes: { plugins: object[] } }>(
      'GET',
      '/artifacts/example-trim-fields/versions/1.10.0',
    );
    expect(detail.classes.plugins).toHaveLength(2);
    expect(Object.keys(detail.properties)).toHaveLength(4);
  });

  it.for([
    ['reset', 'after', 1],
    ['cut', 'after', 1],
    ['status', 'after', 1],
    ['reset', 'before', 2],
    ['status', 'before', 2],
  ] as const)('deploy, %s %s the effect: one version, sent %i time(s)', async ([kind, when, times], { site }) => {
    await site.fail({ match: DEPLOY, kind, when });
    expect((await site.install(...copy)).code).toBe(0);
    expect(await sends(site, 'PUT')).toBe(times);
    expect(await site.call('GET', '/apps/CsvCopy/versions')).toHaveLength(1);
  });

  it.for([['upload'], ['deploy']] as const)(
    '%s and no way to read back: 16, and the next run looks before it sends',
    async ([what], { site }) => {
      const [words, match, all] =
        what === 'upload'
          ? ([trim, UPLOAD, TRIM_WRITES] as const)
          : ([copy, DEPLOY, [`PUT ${SPACE}/apps/CsvCopy`]] as const);
      const { error, item } = await lostFor(site, match.path, words, async () => {
        await site.fail({
          match: { method: 'GET', port: 'platform' },
          kind: 'status',
          status: 500,
          when: 'before',
          times: 99,
        });
      });
      expect(error).toMatchObject({ code: 'UNKNOWN_OUTCOME', exitCode: 16 });
      expect(item).toMatchObject({ state: 'partial', actions: [{ state: 'failed' }] });
      expect(error.hints.join('\n')).toContain('run the same command again');
      await recovers(site, words, all);
    },
  );

  it('of a replaced snapshot cannot be read back: 16', async ({ site }) => {
    await site.install('example-early-metrics', '-y');
    const { error } = await lostFor(
      site,
      '/artifacts/example-early-metrics$',
      ['example-early-metrics', '-y', '--again'],
      async () => undefined,
    );
    expect(error.code).toBe('UNKNOWN_OUTCOME');
  });

  it('twice, without an effect to be seen: 16, and nothing is said to be done', async ({ site }) => {
    await site.fail({ match: UPLOAD, kind: 'reset', when: 'before', times: 2 });
    const { error, item } = await site.install(...trim);
    expect(error).toMatchObject({ code: 'UNKNOWN_OUTCOME', exitCode: 16 });
    expect(item).toMatchObject({ state: 'partial', actions: [{ state: 'failed' }] });
    expect(await sends(site, 'POST')).toBe(2);
    await recovers(site, trim, TRIM_WRITES);
  });
});

/** Installs while the answer of the first write to that path is lost after its effect; `meanwhile` runs in between. */
async function lostFor(
  site: Site,
  path: string,
  words: readonly string[],
  meanwhile: () => Promise<void>,
): Promise<Install> {
  const pattern = new RegExp(path, 'u');
  let lost = false;
  const proxy = await startStallingProxy(site.url, async (method, requested) => {
    if (lost || method === 'GET' || !pattern.test(requested)) return;
    lost = true;
    await meanwhile();
    throw new Error('the answer is lost');
  });
  void proxy.arm();
  site.through = proxy.url;
  const result = await site.install(...words);
  await proxy.close();
  site.through = site.url;
  expect(lost).toBe(true);
  return result;
}
