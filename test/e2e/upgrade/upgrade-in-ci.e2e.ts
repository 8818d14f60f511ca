import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { environmentOf, ROOT, STARTER } from '../../support/processes/run-cli.js';
import { verdictSeed } from '../../support/sites/upgrade-seed.js';
import { openUpgradeSite, type UpgradeSite } from '../../support/sites/upgrade-site.js';

const TOKEN = 'AbCdEf0123456789';

/** The script of the page, as somebody would paste it; only the place of the token is another one here. */
async function recipe(site: UpgradeSite): Promise<string> {
  const page = await readFile(join(ROOT, 'docs', 'upgrade-in-ci.md'), 'utf8');
  const [, script = ''] = /^```bash\n(.*?)^```$/msu.exec(page) ?? [];
  expect(script).toContain('/run/secrets/token');
  return script.replace('/run/secrets/token', join(site.home, 'token'));
}

/** Runs the script, in a shell that stops at the first error unless told. */
async function nightly(site: UpgradeSite, flags: readonly string[] = ['-e', '-o', 'pipefail']): Promise<number | null> {
  const bin = join(site.home, 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'cdapctl'), `#!/bin/sh\nexec '${process.execPath}' '${STARTER}' "$@"\n`);
  await chmod(join(bin, 'cdapctl'), 0o755);
  const base = environmentOf(site.home, { CI: 'true', URL: site.url });
  const child = spawn('bash', [...flags, '-c', await recipe(site)], {
    cwd: site.home,
    env: { ...base, PATH: `${bin}${delimiter}${base['PATH'] ?? ''}` },
    stdio: 'ignore',
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return code;
}

async function withNight(pipelines: readonly string[], use: (site: UpgradeSite) => Promise<void>): Promise<void> {
  const seed = verdictSeed('6.11.0');
  const applications = seed.applications?.filter(({ name }) => pipelines.includes(name)) ?? [];
  const auth = [{ user: 'build', password: 'unused', token: TOKEN }];
  const site = await openUpgradeSite({ seed: { ...seed, applications }, auth });
  try {
    await writeFile(join(site.home, 'token'), `${TOKEN}\n`, { mode: 0o600 });
    await use(site);
  } finally {
    await site.close();
  }
}

const result = async (site: UpgradeSite, file: string): Promise<unknown> =>
  JSON.parse(await readFile(join(site.home, file), 'utf8'));

describe.concurrent('the script for a build server', () => {
  it('is green when all goes well', async () => {
    await withNight(['clicks', 'orders'], async (site) => {
      expect(await nightly(site)).toBe(0);
      expect(await result(site, 'check.json')).toMatchObject({ item: { summary: { planned: 2 } } });
      expect(await result(site, 'result.json')).toMatchObject({ item: { summary: { upgraded: 2 } } });
      expect(await readFile(join(site.home, 'upgrade.xml'), 'utf8')).toContain('tests="2"');
      await expect(result(site, 'second.json')).rejects.toThrow('ENOENT');
    });
  });

  it('ends with 10 when a pipeline needs a person, after a second attempt that sends nothing', async () => {
    await withNight(['legacy', 'orders'], async (site) => {
      expect(await nightly(site, [])).toBe(10);
      expect(await result(site, 'check.json')).toMatchObject({ kind: 'Error', error: { code: 'BLOCKED' } });
      expect(await result(site, 'result.json')).toMatchObject({ item: { summary: { upgraded: 1, failed: 1 } } });
      expect(await result(site, 'second.json')).toMatchObject({ item: { summary: { total: 1, failed: 1 } } });
      expect(await result(site, 'failed/index.json')).toMatchObject({ files: [{ file: 'etl-legacy.json' }] });
      expect(await site.writes()).toEqual(['PUT /v3/namespaces/etl/apps/orders']);
    });
  });

  it('is green when the second attempt mends what the platform refused at first', async () => {
    await withNight(['clicks', 'orders'], async (site) => {
      await site.fail({ match: { method: 'PUT', path: 'orders' }, kind: 'status', status: 500, when: 'before' });
      expect(await nightly(site)).toBe(0);
      expect(await result(site, 'result.json')).toMatchObject({ kind: 'Error', error: { code: 'PARTIAL' } });
      expect(await result(site, 'second.json')).toMatchObject({ item: { summary: { total: 1, upgraded: 1 } } });
      expect(await result(site, 'failed/index.json')).toEqual({ schemaVersion: 1, files: [] });
    });
  });

  it('hands on every other code and tries nothing again', async () => {
    await withNight(['orders'], async (site) => {
      await writeFile(join(site.home, 'token'), 'another\n', { mode: 0o600 });
      // The check has failed; without -e the script goes on to the upgrade.
      expect(await nightly(site, [])).toBe(3);
      expect(await site.writes()).toEqual([]);
      await expect(result(site, 'second.json')).rejects.toThrow('ENOENT');
    });
  });
});
