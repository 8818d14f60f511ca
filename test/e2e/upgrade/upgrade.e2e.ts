import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GENERATIONS } from '../../support/sites/upgrade-seed.js';
import { openUpgradeSite, sha256, type ShownPipeline, type UpgradeSite } from '../../support/sites/upgrade-site.js';

const COUNT = 12;
const NAMES = Array.from({ length: COUNT }, (_, at) => `pipeline-${String(at).padStart(5, '0')}`);
/** Of every ten generated pipelines these two are on the current artifacts. */
const OLDER = NAMES.filter((_, at) => at % 10 !== 6 && at % 10 !== 7);

type Before = ReadonlyMap<string, { readonly shown: ShownPipeline; readonly schedules: readonly string[] }>;

async function look(site: UpgradeSite): Promise<Before> {
  const entries = NAMES.map(async (name) => {
    const shown = await site.pipeline('default', name);
    return [name, { shown, schedules: await site.schedules('default', name) }] as const;
  });
  return new Map(await Promise.all(entries));
}

describe.each(['6.11.0', '6.1.1'] as const)('upgrade and its rollback on %s', (platform) => {
  const { pipeline, core } = GENERATIONS[platform];
  let site: UpgradeSite;
  let before: Before;
  beforeAll(async () => {
    site = await openUpgradeSite({ platform, seed: { pipelines: [{ count: COUNT }] } });
    before = await look(site);
  });
  afterAll(() => site.close());

  /** What a configuration has to become, made without any code of the tool: texts of versions occur nowhere else in it. */
  const rewritten = (configuration: string): string =>
    configuration
      .replaceAll(/("version"\s*:\s*)"1\.0\.0"/gu, '$1"1.1.0"')
      .replaceAll(JSON.stringify(core[0]), JSON.stringify(core[1]));

  const bodyOf = ({ artifact: { name, scope }, appVersion, configuration }: ShownPipeline): string => {
    const artifact = JSON.stringify({ name, version: pipeline[1], scope });
    const config = rewritten(configuration);
    return platform === '6.11.0'
      ? `{"artifact":${artifact},"app.deploy.update.schedules":false,"change":{"parentVersion":"${appVersion}"},"config":${JSON.stringify(config)}}`
      : `{"artifact":${artifact},"app.deploy.update.schedules":false,"config":${config}}`;
  };

  it('needs no more than the five short options: every pipeline goes to the current artifacts, nothing else changes', async () => {
    await writeFile(join(site.home, 'token.txt'), 'AbCdEf\n', { mode: 0o600 });
    await site.forget();
    const words = ['-u', site.url, '-n', 'default', '-e', './failed', '-a', 'token.txt'];
    const { code, stdout, stderr } = await site.cdapctl(['upgrade', ...words]);
    expect(code, stderr).toBe(0);
    expect(stdout.split('\n').filter((line) => /\supgraded\b/u.test(line))).toHaveLength(OLDER.length);
    expect(stderr).toContain(`${OLDER.length} upgraded, 2 current`);
    const sent = (await site.requests()).filter(({ method, path }) => method === 'PUT' && !path.endsWith('/status'));
    const digests = sent.map(({ path, bodySha256 }) => [path.split('/').at(-1), bodySha256]).sort();
    const expected = [...before].filter(([name]) => OLDER.includes(name));
    expect(digests).toEqual(expected.map(([name, { shown }]) => [name, sha256(bodyOf(shown))]).sort());
    const after = await look(site);
    for (const name of NAMES) {
      const [was, is] = [before.get(name), after.get(name)];
      expect(is?.shown.artifact.version).toBe(pipeline[1]);
      expect(is?.shown.configuration).toBe(rewritten(was?.shown.configuration ?? ''));
      expect(is?.schedules).toEqual(was?.schedules);
    }
    expect(await readdir(join(site.home, 'failed'))).toEqual(['index.json']);
  });

  it('P22: a second run finds nothing to do and sends nothing', async () => {
    await site.forget();
    const again = await site.upgrade();
    expect(again).toMatchObject({ code: 0, item: { state: 'done', summary: { total: COUNT, current: COUNT } } });
    expect(again.stderr).toContain(`nothing to upgrade: ${COUNT} current`);
    expect(await site.writes()).toEqual([]);
    expect((await site.requests()).every(({ method }) => method === 'GET')).toBe(true);
  });

  it('takes back one pipeline, then all but the one that somebody changed since', async () => {
    const [first = '', second = '', changed = ''] = OLDER;
    const one = await site.upgrade('rollback', '-y', '-p', first);
    expect(one.item).toMatchObject({ state: 'done', summary: { total: 1, upgraded: 1 } });
    expect((await site.pipeline('default', first)).artifact.version).toBe(pipeline[0]);
    expect((await site.pipeline('default', second)).artifact.version).toBe(pipeline[1]);

    const { artifact, configuration } = await site.pipeline('default', changed);
    const config = { ...(JSON.parse(configuration) as object), description: 'changed since' };
    await site.call('PUT', `default/apps/${changed}`, { artifact, config, 'app.deploy.update.schedules': false });
    const theirs = await site.pipeline('default', changed);
    const all = await site.upgrade('rollback', '-y');
    expect(all).toMatchObject({ code: 10, error: { code: 'PARTIAL' } });
    expect(all.item).toMatchObject({ summary: { upgraded: OLDER.length - 2, failed: 1, current: 1 } });
    expect(all.item?.pipelines.find(({ name }) => name === changed)).toMatchObject({
      state: 'failed',
      error: { code: 'CHANGED_MEANWHILE' },
    });
    const after = await look(site);
    expect(after.get(changed)?.shown).toEqual(theirs);
    for (const name of OLDER.filter((other) => other !== changed)) {
      expect(after.get(name)?.shown.configuration).toBe(before.get(name)?.shown.configuration);
      expect(after.get(name)?.shown.artifact).toEqual(before.get(name)?.shown.artifact);
      expect(after.get(name)?.schedules).toEqual(before.get(name)?.schedules);
    }
  });
});
