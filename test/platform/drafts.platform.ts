import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CONFIGURATION, draftPackage, NAME, settingsIn, STORE, textOf } from '../support/sites/draft-site.js';
import { signedHub, writeHubTree } from '../support/sites/hub-tree.js';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.js';
import { ROOT, runCli } from '../support/processes/run-cli.js';
import { callPlatform, installJson, trustHub, withNamespace, type Install } from './site.js';

/** Those that keep drafts in the studio. */
const CURRENT = ['CDAPCTL_CONTRACT_URL', 'CDAPCTL_CONTRACT_URL_6_4'].map((name) =>
  (process.env[name] ?? '').replace(/\/+$/u, ''),
);
const OLDER = {
  '6.1.1': process.env['CDAPCTL_CONTRACT_URL_6_1'],
  '4.3.5': process.env['CDAPCTL_CONTRACT_URL_4_3'],
};
const PUBLISHED = [
  'solution-bulk-data-transfer/1.2.0/pipeline.json',
  'solution-cdc-oracle-to-kudu/2.0.0/pipeline.json',
  'solution-incremental-data-ingest/1.0.0/pipeline.json',
  'solution-sms-spam-pipeline/1.3.0/classifier.json',
  'solution-sms-spam-pipeline/1.3.0/trainer.json',
];
const KINDS = ['cdap-data-pipeline', 'cdap-data-streams'];
const SETTINGS =
  '{"choice":512.0,"hydratorDrafts":{"other":{"x":{"n":1e3}},"mine":{"d1":{"name":"mine","big":12345678901234567890}}},"1":"é<>&\'="}';

/** A home of the tool with a hub of drafts: one odd configuration of ours and all published ones, for both kinds of pipelines. */
const it = test.extend<{ home: string }>({
  home: [
    // oxlint-disable-next-line no-empty-pattern -- the fixture depends on nothing, and vitest reads the pattern
    async ({}, use) => {
      const home = await mkdtemp(join(tmpdir(), 'cdapctl-drafts-'));
      try {
        const folder = join(ROOT, 'test/fixtures/hub/packages');
        const texts = await Promise.all(PUBLISHED.map((name) => readFile(join(folder, name), 'utf8')));
        const packages = [CONFIGURATION, ...texts].flatMap((text, at) =>
          KINDS.map((name, kind) =>
            draftPackage(`draft-${at}-${kind}`, '1.0.0', text, { name, version: '6.11.0', scope: 'system' }),
          ),
        );
        const { files, key } = await signedHub({ packages, now: Date.now() });
        const root = join(home, 'hub');
        await writeHubTree(root, files);
        const keyFile = join(home, 'key.asc');
        await writeFile(keyFile, key.publicKey);
        await trustHub(home, 'drafts', root, { keyFile, fingerprint: key.fingerprint });
        await use(home);
      } finally {
        await rm(home, { recursive: true, force: true });
      }
    },
    { scope: 'file' },
  ],
});

async function through<T>(url: string, use: (proxy: RecordingProxy) => Promise<T>): Promise<T> {
  const proxy = await startRecordingProxy(url);
  try {
    return await use(proxy);
  } finally {
    await proxy.close();
  }
}

async function install(home: string, url: string, namespace: string, name: string): Promise<Install> {
  const { run, document } = await installJson(home, url, [`drafts/${name}`, '-n', namespace, '-y']);
  expect(run.code, run.stderr + run.stdout).toBe(0);
  return document;
}

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly artifact: object;
}

describe.each(CURRENT)('a draft on a real platform %s', (url) => {
  it
    .skipIf(url === '')
    .for(
      [CONFIGURATION, ...PUBLISHED].flatMap((text, at) =>
        KINDS.map((kind, of) => [at === 0 ? 'an odd one' : text, kind, `draft-${at}-${of}`] as const),
      ),
    )('is listed by the studio, and a second run writes nothing: %s, %s', async ([, kind, name], { home }) => {
    await withNamespace(url, (namespace) =>
      through(url, async (proxy) => {
        expect((await install(home, proxy.url, namespace, name)).item?.state).toBe('installed');
        const studio = `/v3/namespaces/system/apps/pipeline/services/studio/methods/v1/contexts/${namespace}/drafts`;
        const [draft, ...more] = await callPlatform<Listed[]>(url + studio, 'GET');
        expect(more).toEqual([]);
        expect(draft).toMatchObject({ name: NAME, artifact: { name: kind, version: '6.11.0', scope: 'SYSTEM' } });
        expect(proxy.writes()).toEqual([`PUT ${studio}/${draft?.id ?? ''}`]);
        proxy.forget();
        expect((await install(home, proxy.url, namespace, name)).item?.state).toBe('already-present');
        expect(proxy.writes()).toEqual([]);
      }),
    );
  });
});

describe.each(Object.entries(OLDER))('a draft on a real platform %s', (platform, address) => {
  const url = (address ?? '').replace(/\/+$/u, '');
  const settings = async (): Promise<string> => settingsIn(await textOf(url + STORE));
  const put = (text: string): Promise<string> => textOf(url + STORE, 'PUT', text);

  /** There is one store for everybody who is not logged in: what stood in it is put back. */
  async function withSettings(text: string, use: (namespace: string) => Promise<void>): Promise<void> {
    const before = await settings();
    await put(text);
    try {
      await withNamespace(url, use);
    } finally {
      await put(before);
    }
  }

  it.skipIf(url === '')('is added to the user store, in which all else stays to the character', async ({ home }) => {
    await withSettings(SETTINGS, (namespace) =>
      through(url, async (proxy) => {
        const before = await settings();
        expect((await install(home, proxy.url, namespace, 'draft-0-0')).item?.state).toBe('installed');
        expect(proxy.writes()).toEqual([`PUT ${STORE}`]);
        const after = await settings();
        const own = new RegExp(`,"${namespace}":(\\{.*?\\})(?=\\},"1":)`, 'u').exec(after);
        expect(after.replace(own?.[0] ?? '?', '')).toBe(before);
        expect(own?.[1]).toContain('"memoryMB":512.0');
        expect(own?.[1]).toContain('"big":12345678901234567890');
        expect(own?.[1]?.includes('"none":null')).toBe(platform === '6.1.1');
        proxy.forget();
        expect((await install(home, proxy.url, namespace, 'draft-0-0')).item?.state).toBe('already-present');
        expect(proxy.writes()).toEqual([]);
        expect(await settings()).toBe(after);
      }),
    );
  });

  it.skipIf(url === '')('stays when others are installed at the same moment', async ({ home }) => {
    await withSettings(SETTINGS, async (namespace) => {
      const names = ['a', 'b', 'c', 'd'];
      const before = await settings();
      // One run at a time is at work in a home, so that each needs one of its own.
      const codes = await Promise.all(
        names.map(async (name) => {
          const own = `${home}-${name}`;
          await cp(home, own, { recursive: true });
          const words = ['install', 'drafts/draft-1-0', '-n', namespace, '-y', '--set', `1.name=${name}`];
          const { code } = await runCli(words, { home: own, env: { CDAPCTL_URL: url }, timeout: 300_000 });
          await rm(own, { recursive: true });
          return code;
        }),
      );
      expect(codes).toEqual(names.map(() => 0));
      const after = await settings();
      for (const name of names) expect(after).toContain(`"name":"${name}"`);
      for (const part of before.slice(1, -1).split('},"1":')) expect(after).toContain(part.replace(/\}+$/u, ''));
    });
  });

  it.skipIf(url === '')(
    'of each published configuration is there, and a second run writes nothing',
    async ({ home }) => {
      await withSettings('{}', (namespace) =>
        through(url, async (proxy) => {
          for (const at of PUBLISHED.keys()) {
            const words = [`drafts/draft-${at + 1}-0`, '-n', namespace, '-y', '--set', `1.name=draft ${at}`];
            for (const state of ['installed', 'already-present'])
              expect((await installJson(home, proxy.url, words)).document.item?.state).toBe(state);
          }
          expect(proxy.writes()).toHaveLength(PUBLISHED.length);
        }),
      );
    },
  );
});
