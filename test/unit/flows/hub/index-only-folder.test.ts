import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { InProcess } from '../../../support/processes/in-process.js';
import { atMirror, plugin, signIndexOnly, type MirrorSite } from '../../../support/sites/mirror-site.js';

const PACKAGE = 'one/1.0.0';

/** A package of a hub that signs only its index, downloaded. */
async function atDownload(test: (folder: string, site: MirrorSite) => Promise<void>): Promise<void> {
  await atMirror(async (site) => {
    await signIndexOnly(site);
    const out = join(site.home, 'out');
    const { error } = await site.run('hub:download', 'one', '--hub', site.url, '-D', out);
    expect(error).toBeUndefined();
    await test(join(out, PACKAGE), site);
  });
}

const verify = ({ run, url }: MirrorSite, folder: string, ...more: readonly string[]): Promise<InProcess> =>
  run('hub:verify', folder, '--hub', url, '--json', ...more);
const install = ({ run, url }: MirrorSite, folder: string, ...more: readonly string[]): Promise<InProcess> =>
  run('install', folder, '--hub', url, '--dry-run=offline', '--json', ...more);
const BOTH = [
  ['hub verify', verify],
  ['install', install],
] as const;
const faultOf = ({ error }: InProcess) => error && [error.code, error.exitCode];

describe.each(BOTH)('%s of a folder of a hub that signs only its index', (_, command) => {
  it('judges it by the index of the hub that --hub names', () =>
    atDownload(async (folder, site) => {
      const { error, terminal } = await command(site, folder);
      expect([error, terminal.warnings]).toEqual([undefined, []]);
    }));

  it.each(['spec.json', 'plug.json'])('refuses a changed file: %s', (file) =>
    atDownload(async (folder, site) => {
      writeFileSync(join(folder, file), '{"specVersion":"1.0","actions":[]} ');
      const result = await command(site, folder);
      expect(faultOf(result)).toEqual(['MIXED', 9]);
      const again = { next: 'download-again', package: 'one@1.0.0', folder: join(site.home, 'out') };
      expect(result.error?.details.hints).toEqual([again]);
    }),
  );

  it('refuses files of a version that the index does not list any more', () =>
    atDownload(async (folder, site) => {
      await site.publish([plugin('two')]);
      await signIndexOnly(site);
      expect(faultOf(await command(site, folder))).toEqual(['MIXED', 9]);
    }));

  it('refuses an index that is older than one seen before', () =>
    atDownload(async (folder, site) => {
      const old = new Map(site.files);
      await site.publish([plugin('one'), plugin('three')]);
      await signIndexOnly(site);
      expect((await site.run('hub:verify', '--all', '--hub', site.url)).error).toBeUndefined();
      for (const [name, bytes] of old) site.files.set(name, bytes);
      expect(faultOf(await command(site, folder))).toEqual(['ROLLBACK', 9]);
    }));

  it('says that the folder has no signatures where the index cannot be read', () =>
    atDownload(async (folder, site) => {
      site.files.delete('index.json');
      expect(faultOf(await command(site, folder))).toEqual(['DOWNGRADE', 9]);
      await site.close();
      const { error } = await command(site, folder, '--retries', '0');
      expect(error && [error.code, error.exitCode]).toEqual(['SIG_MISSING', 9]);
      expect(error?.message).toContain(
        `this folder has no signatures, and the signed index of ${site.url} cannot be read`,
      );
      expect(error?.details.hints).not.toContainEqual({ next: 'download-signatures' });
    }));
});

describe('a folder without signatures', () => {
  it('of a hub whose files have signatures is downloaded again', () =>
    atMirror(async (site) => {
      const out = join(site.home, 'out');
      await site.run('hub:download', 'one', '--hub', site.url, '-D', out, '--no-signatures');
      for (const [, command] of BOTH) {
        const { error } = await command(site, join(out, PACKAGE));
        expect(error && [error.code, error.exitCode]).toEqual(['SIG_MISSING', 9]);
        expect(error?.message).toBe('this folder has no signatures (downloaded without signatures?)');
        expect(error?.details.hints).toEqual([{ next: 'download-signatures' }]);
      }
    }));

  it('asks the hub for nothing where its files have signatures', () =>
    atMirror(async (site) => {
      const out = join(site.home, 'out');
      await site.run('hub:download', 'one', '--hub', site.url, '-D', out);
      await site.close();
      for (const [, command] of BOTH) expect((await command(site, join(out, PACKAGE))).error).toBeUndefined();
      rmSync(join(out, PACKAGE, 'plug.json.asc'));
      for (const [, command] of BOTH)
        expect((await command(site, join(out, PACKAGE))).error).toMatchObject({ exitCode: 9 });
    }));
});
