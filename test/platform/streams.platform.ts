import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { dataHub, FIVE, linesOf, ODD_EVENTS, PROPERTIES, STREAM, type ShownEvent } from '../support/sites/data-site.js';
import { writeHubTree } from '../support/sites/hub-tree.js';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.js';
import { startStallingProxy } from '../support/stalling-proxy.js';
import { callPlatform, installJson, trustHub, withNamespace, type Install } from './site.js';

const URL_WITH = (process.env['CDAPCTL_CONTRACT_URL_4_3'] ?? '').replace(/\/+$/u, '');
const WITHOUT = {
  '6.1.1': (process.env['CDAPCTL_CONTRACT_URL_6_1'] ?? '').replace(/\/+$/u, ''),
  '6.11.0': (process.env['CDAPCTL_CONTRACT_URL'] ?? '').replace(/\/+$/u, ''),
};

interface Site {
  readonly namespace: string;
  readonly proxy: RecordingProxy;
  readonly install: (what: string, code: number, ...flags: readonly string[]) => Promise<Install>;
  readonly call: <T>(method: string, path: string, body?: unknown) => Promise<T>;
  readonly events: () => Promise<readonly ShownEvent[]>;
}

/** A namespace of a platform that one case owns, and a home that trusts the hub of data; `address` is of what stands before the platform. */
async function withSite(url: string, use: (site: Site) => Promise<void>, address?: string): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'cdapctl-data-'));
  const proxy = await startRecordingProxy(address ?? url);
  try {
    const { files, publicKey, fingerprint } = await dataHub('4.3.5');
    await writeHubTree(join(home, 'hub'), files);
    const keyFile = join(home, 'key.asc');
    await writeFile(keyFile, publicKey);
    await trustHub(home, 'data', join(home, 'hub'), { keyFile, fingerprint });
    await withNamespace(url, async (namespace) => {
      const call = <T>(method: string, path: string, body?: unknown): Promise<T> =>
        callPlatform(`${url}/v3/namespaces/${namespace}${path}`, method, body);
      const install = async (what: string, code: number, ...flags: readonly string[]): Promise<Install> => {
        const yes = code === 13 ? [] : ['-y'];
        const words = [`data/${what}`, '-n', namespace, ...yes, ...flags];
        const { run, document } = await installJson(home, proxy.url, words);
        expect(run.code, `${run.stderr}${run.stdout}`).toBe(code);
        return document;
      };
      await use({ namespace, proxy, install, call, events: () => call('GET', `/streams/${STREAM}/events`) });
    });
  } finally {
    await proxy.close();
    await rm(home, { recursive: true, force: true });
  }
}

const states = ({ item }: Install): unknown => [item?.state, ...(item?.actions ?? []).map(({ state }) => state)];
const bodies = async (site: Site): Promise<readonly string[]> => (await site.events()).map(({ body }) => body);

async function expectNothingToDo(site: Site, what: string): Promise<void> {
  site.proxy.forget();
  expect((await site.install(what, 0)).item?.state).toBe('already-present');
  expect(site.proxy.requests).not.toEqual([]);
  expect(site.proxy.writes()).toEqual([]);
}

vi.setConfig({ testTimeout: 900_000 });

describe.skipIf(URL_WITH === '')('data on a real platform 4.3.5', () => {
  test('are the events of a new stream, each line once; a second install writes nothing', () =>
    withSite(URL_WITH, async (site) => {
      expect(states(await site.install('clicks', 0))).toEqual(['installed', 'done', 'done']);
      const stream = `/v3/namespaces/${site.namespace}/streams/${STREAM}`;
      expect(site.proxy.writes()).toEqual([`PUT ${stream}`, `POST ${stream}/batch`]);
      const told = { description: 'Clicks of a day', ttl: PROPERTIES.ttl, format: PROPERTIES.format };
      expect(await site.call('GET', `/streams/${STREAM}`)).toMatchObject(told);
      const events = await site.events();
      expect(events.map(({ body }) => body)).toEqual(ODD_EVENTS);
      expect(new Set(events.map(({ headers }) => headers['content.type']))).toEqual(new Set(['text/csv']));
      await expectNothingToDo(site, 'clicks');
      expect(await site.events()).toEqual(events);
    }));

  test('P08: a stream that is there with the properties of the package is already there', () =>
    withSite(URL_WITH, async (site) => {
      await site.call('PUT', `/streams/${STREAM}`, PROPERTIES);
      expect(states(await site.install('stream', 0))).toEqual(['already-present', 'already-present']);
      expect(site.proxy.writes()).toEqual([]);
    }));

  test('of several files are loaded in their order, and their types are told', () =>
    withSite(URL_WITH, async (site) => {
      await site.install('five', 0);
      expect(await bodies(site)).toEqual(FIVE.flatMap(linesOf));
      await expectNothingToDo(site, 'five');
      await site.install('kinds', 13);
      await site.install('kinds', 0);
      expect((await site.events()).slice(15).map(({ headers }) => headers['content.type'])).toEqual([
        'text/accesslog',
        'text/TXT',
        'text/plain',
        'text/tsv',
      ]);
      expect((await bodies(site)).slice(0, 15)).toEqual(FIVE.flatMap(linesOf));
    }));

  test.for([
    ['an empty stream', []],
    ['a stream with data', ['mine', 'and yours']],
  ] as const)('whose answers are lost are in the stream once: %s', async ([, before]) => {
    const lost = new Set<number>();
    let loads = 0;
    // The second file is lost after its effect, the fourth before it.
    const isLoad = (method: string, path: string): boolean => method === 'POST' && path.endsWith('/batch');
    const lose = (at: number): void => {
      if (loads !== at || lost.has(at)) return;
      lost.add(at);
      throw new Error('lost');
    };
    const front = await startStallingProxy(
      URL_WITH,
      async (method, path) => {
        if (isLoad(method, path)) lose(2);
      },
      async (method, path) => {
        if (!isLoad(method, path)) return;
        loads += 1;
        lose(4);
      },
    );
    void front.arm();
    try {
      await withSite(
        URL_WITH,
        async (site) => {
          if (before.length > 0) await site.call('PUT', `/streams/${STREAM}`, {});
          for (const body of before) {
            const path = `${URL_WITH}/v3/namespaces/${site.namespace}/streams/${STREAM}`;
            expect((await fetch(path, { method: 'POST', body })).status).toBe(200);
          }
          await site.install('five', 0, '-y');
          expect([...lost]).toEqual([2, 4]);
          expect(loads).toBe(6);
          expect(await bodies(site)).toEqual([...before, ...FIVE.flatMap(linesOf)]);
          await expectNothingToDo(site, 'five');
        },
        front.url,
      );
    } finally {
      await front.close();
    }
  });

  test('come with an application in one package', () =>
    withSite(URL_WITH, async (site) => {
      expect(states(await site.install('all', 0))).toEqual(['installed', 'done', 'done', 'done']);
      expect(await bodies(site)).toEqual([...linesOf('part-1.csv'), ...ODD_EVENTS]);
      await expectNothingToDo(site, 'all');
    }));
});

describe.each(Object.entries(WITHOUT))('data on a real platform %s, which has no streams,', (_, url) => {
  test.skipIf(url === '')('are refused before anything is written', () =>
    withSite(url, async (site) => {
      for (const what of ['stream', 'five', 'all'])
        expect(await site.install(what, 6, '-y')).toMatchObject({ error: { code: 'INCOMPATIBLE' } });
      expect(site.proxy.requests).not.toEqual([]);
      expect(site.proxy.writes()).toEqual([]);
    }),
  );
});
