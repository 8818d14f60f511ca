import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stepArtifacts, verdictSeed } from '../../support/sites/upgrade-seed.js';
import { withUpgradeSite, type UpgradeSite } from '../../support/sites/upgrade-site.js';

interface IndexFile {
  readonly files: readonly {
    readonly file: string;
    readonly pipeline: string;
    readonly stage?: string;
    readonly message: string;
    readonly serverSaid?: string;
  }[];
}

const readJson = async <T>(site: UpgradeSite, ...path: readonly string[]): Promise<T> =>
  JSON.parse(await readFile(join(site.home, ...path), 'utf8')) as T;

const statesOf = (pipelines: readonly { readonly name: string; readonly state: string }[] = []): object =>
  Object.fromEntries(pipelines.map(({ name, state }) => [name, state]));

const SALT = 'new required property "salt" has no value';

describe.concurrent('what the pre-check says of three pipelines', () => {
  it.each(['6.11.0', '6.1.1'] as const)(
    'on %s: P17: P24: the blocked one is not sent and lies in -e with the verdict, the others are done; 10, also as JSON',
    async (platform) => {
      await withUpgradeSite({ platform, seed: verdictSeed(platform) }, async (site) => {
        const checked = await site.upgrade('-n', 'etl', '--check');
        expect(checked).toMatchObject({ code: 11, error: { code: 'BLOCKED' }, item: { state: 'planned' } });
        const verdicts = checked.item?.pipelines.map(({ name, verdict }) => [name, verdict]);
        expect(verdicts).toEqual([
          ['clicks', 'risky'],
          ['legacy', 'blocked'],
          ['orders', 'safe'],
        ]);
        expect(await site.writes()).toEqual([]);

        const run = await site.cdapctl(['upgrade', '-u', site.url, '-n', 'etl', '-e', 'failed', '--junit', 'u.xml']);
        expect(run.code, run.stderr).toBe(10);
        expect(run.stdout).toMatch(/^legacy .*BLOCKED\s+stage "step": new required property "salt" has no value$/mu);
        expect(run.stdout).toMatch(/^clicks .*upgraded\s+stage "step": property "old" is unknown in example-steps/mu);
        expect((await site.writes()).map((line) => line.split('/').at(-1))).toEqual(['clicks', 'orders']);
        const index = await readJson<IndexFile>(site, 'failed', 'index.json');
        expect(index.files).toMatchObject([
          { file: 'etl-legacy.json', pipeline: 'legacy', stage: 'step', message: `stage "step": ${SALT}` },
        ]);
        expect(await readFile(join(site.home, 'u.xml'), 'utf8')).toContain(`salt`);

        const again = await site.upgrade('-n', 'etl', '-e', 'failed');
        expect(again).toMatchObject({ code: 10, error: { code: 'PARTIAL' } });
        expect(statesOf(again.item?.pipelines)).toEqual({ clicks: 'current', legacy: 'blocked', orders: 'current' });
        const ignored = await site.upgrade('-n', 'etl', '--ignore-failures');
        expect(ignored).toMatchObject({ code: 0, item: { state: 'partial', summary: { failed: 1 } } });
      });
    },
  );

  it('--force sends what is blocked; the platform refuses it, and -e holds its sentence; a request that somebody mends can be sent as it is', async () => {
    await withUpgradeSite({ seed: verdictSeed('6.11.0') }, async (site) => {
      const before = await site.pipeline('etl', 'legacy');
      const forced = await site.upgrade('-n', 'etl', '-p', 'legacy', '--force', '-e', 'failed');
      expect(forced).toMatchObject({ code: 10, item: { pipelines: [{ state: 'failed', verdict: 'blocked' }] } });
      expect(await site.writes()).toEqual(['PUT /v3/namespaces/etl/apps/legacy']);
      const [entry] = (await readJson<IndexFile>(site, 'failed', 'index.json')).files;
      expect(entry?.serverSaid).toContain(`'salt'`);
      expect(await site.pipeline('etl', 'legacy')).toEqual(before);

      const file = join(site.home, 'failed', entry?.file ?? '');
      const request = (await readFile(file, 'utf8')).replace('\\"field\\":', '\\"salt\\":\\"s\\",\\"field\\":');
      await site.call('PUT', 'etl/apps/legacy', JSON.parse(request));
      expect((await site.pipeline('etl', 'legacy')).artifact.version).toBe('6.11.0');
      const retried = await site.upgrade('--only-failed', '-e', 'failed');
      expect(retried).toMatchObject({ code: 0, item: { summary: { total: 1, current: 1 } } });
      expect((await readJson<IndexFile>(site, 'failed', 'index.json')).files).toEqual([]);
    });
  });

  it('a pipeline whose plugin artifact was deleted is blocked before anything is sent', async () => {
    const [first, second] = stepArtifacts('6.11.0');
    const mine = [first, second].flatMap((one) => (one === undefined ? [] : [{ ...one, namespace: 'etl' }]));
    const seed = verdictSeed('6.11.0');
    const text = JSON.stringify(seed.applications).replaceAll(/"1\.0\.0","scope":"SYSTEM"/gu, '"1.0.0","scope":"USER"');
    const applications = JSON.parse(text) as typeof seed.applications;
    await withUpgradeSite({ seed: { ...seed, artifacts: mine, applications } }, async (site) => {
      for (const version of ['1.0.0', '2.0.0'])
        await site.call('DELETE', `etl/artifacts/example-steps/versions/${version}`);
      const run = await site.upgrade('-n', 'etl', '--exclude', 'c*', '-e', 'failed');
      expect(run.code).toBe(10);
      expect(statesOf(run.item?.pipelines)).toEqual({ legacy: 'blocked', orders: 'blocked' });
      expect(run.item?.pipelines[0]?.detail).toContain('it was removed or does not extend the target');
      expect(await site.writes()).toEqual([]);
    });
  });
});

describe.concurrent('the folder of -e', () => {
  it('P19: is tried before the first write, and a file in its place is a mistake of the line', async () => {
    await withUpgradeSite({ seed: verdictSeed('6.11.0') }, async (site) => {
      await writeFile(join(site.home, 'failed'), '');
      expect(await site.upgrade('-n', 'etl', '-e', 'failed')).toMatchObject({ code: 2, error: { code: 'USAGE' } });
      await mkdir(join(site.home, 'ours'));
      await writeFile(join(site.home, 'ours', 'index.json'), '{}');
      expect(await site.upgrade('-n', 'etl', '-e', 'ours')).toMatchObject({ code: 2, error: { code: 'USAGE' } });
      expect(await site.writes()).toEqual([]);
    });
  });

  it('P38: has a file of its own for every pipeline, also where names would collide', async () => {
    const seed = verdictSeed('6.11.0');
    const legacy = seed.applications?.find(({ name }) => name === 'legacy');
    const places = [
      ['a-b', 'c'],
      ['a', 'b-c'],
      ['a', 'X'],
      ['a', 'x'],
    ];
    const applications = places.map(([namespace, name = '']) => ({ ...legacy, namespace, name }));
    await withUpgradeSite({ seed: { ...seed, namespaces: ['a', 'a-b'], applications } }, async (site) => {
      expect((await site.upgrade('-e', 'failed')).code).toBe(10);
      const { files } = await readJson<IndexFile & { files: { namespace: string }[] }>(site, 'failed', 'index.json');
      expect(files).toHaveLength(4);
      expect(new Set(files.map(({ file }) => file.toLowerCase())).size).toBe(4);
      for (const { file } of files) expect(await readJson(site, 'failed', file)).toHaveProperty('artifact');
    });
  });
});
