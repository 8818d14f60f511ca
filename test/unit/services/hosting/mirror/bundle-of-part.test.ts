import { writeFileSync, readFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  readTarHeader,
  tarHeader,
  tarPadding,
  TAR_BLOCK,
} from '../../../../../src/services/hosting/mirror/bundle/tar.js';
import { atMirror, plugin, treeOf, type MirrorSite } from '../../../../support/sites/mirror-site.js';

const VERSIONS = ['1.0.0', '1.1.0', '1.2.0'];

/** Bundles of one package, each of a later state of the hub, whose index this machine has seen each time. */
async function bundlesOf({ home, url, publish, run }: MirrorSite): Promise<readonly string[]> {
  const bundles: string[] = [];
  for (const [at] of VERSIONS.entries()) {
    await publish([plugin('two'), ...VERSIONS.slice(0, at + 1).map((version) => plugin('one', version, version))]);
    const bundle = join(home, `${at}.tar`);
    const since = at === 0 ? [] : ['--since', join(home, `${at - 1}.tar`)];
    const flags = ['--hub', url, '-D', join(home, 'part'), '--bundle', bundle, ...since];
    expect((await run('hub:mirror', 'one', ...flags)).error).toBeUndefined();
    bundles.push(bundle);
  }
  return bundles;
}

/** Changes the manifest of a bundle. */
function forge(file: string, change: Readonly<Record<string, unknown>>): void {
  const bytes = readFileSync(file);
  const header = readTarHeader(bytes.subarray(0, TAR_BLOCK));
  if (header === undefined || typeof header === 'string') throw new Error('no tar file');
  const end = TAR_BLOCK + header.size;
  const manifest = JSON.parse(bytes.subarray(TAR_BLOCK, end).toString()) as object;
  const forged = Buffer.from(JSON.stringify({ ...manifest, ...change }));
  const rest = bytes.subarray(end + tarPadding(header.size));
  const padding = Buffer.alloc(tarPadding(forged.length));
  writeFileSync(file, Buffer.concat([tarHeader(header.name, forged.length), forged, padding, rest]));
}

describe('bundles of a part of a hub whose index this machine has seen', () => {
  it('V26: lead to the part in any order', () =>
    atMirror(async (site) => {
      const bundles = await bundlesOf(site);
      const [a, b, c] = bundles;
      for (const order of [bundles, [c, a, b], [b, c, a, c], [c, b, a, c]]) {
        const folder = join(site.home, order.map((one) => bundles.indexOf(one ?? '')).join('-'));
        for (const bundle of order) {
          const { error } = await site.load(bundle ?? '', folder);
          expect([undefined, 'PARTIAL']).toContain(error?.code);
        }
        expect([...treeOf(folder)]).toEqual([...treeOf(join(site.home, 'part'))]);
        expect(existsSync(join(folder, 'index.json'))).toBe(false);
      }
    }));

  it('take the index from no mirror of the whole hub, nor from what is known of it', () =>
    atMirror(async (site) => {
      const { home, url, files, mirror, load, run } = site;
      const [bundle = ''] = await bundlesOf(site);
      expect((await mirror()).error).toBeUndefined();
      const before = [...site.tree()];
      const refused = await load(bundle, site.folder);
      expect([refused.error?.exitCode, [...site.tree()]]).toEqual([2, before]);
      expect((await load(bundle, join(home, 'closed'))).error).toBeUndefined();
      for (const name of ['index.json', 'index.json.asc']) files.delete(name);
      expect((await run('hub:mirror', '--hub', url, '-D', join(home, 'new'))).error?.code).toBe('DOWNGRADE');
    }));

  it('V14: bring no index of an earlier state of the whole hub back, whatever they say to be', () =>
    atMirror(async ({ home, publish, mirror, load }) => {
      const [old, closed] = [join(home, 'old.tar'), join(home, 'closed')];
      expect((await mirror('--bundle', old)).error).toBeUndefined();
      await publish([plugin('one')]);
      expect((await mirror()).error).toBeUndefined();
      expect((await load(old, closed)).error?.code).toBe('ROLLBACK');
      forge(old, { whole: false });
      const { error } = await load(old, closed);
      expect([error?.code, existsSync(join(closed, 'packages.json'))]).toEqual(['BAD_BUNDLE', false]);
      forge(old, { whole: false, index: undefined });
      const { error: none, terminal } = await load(old, closed);
      expect([none, terminal.notes.join('')]).toEqual([
        undefined,
        expect.stringContaining('not whether they are the latest'),
      ]);
      expect(existsSync(join(closed, 'index.json'))).toBe(false);
    }));

  it('are refused with a file that no key has signed', () =>
    atMirror(async (site) => {
      const [bundle = ''] = await bundlesOf(site);
      const text = readFileSync(bundle, 'latin1');
      writeFileSync(bundle, text.replaceAll('.json.asc"', '.json.abc"'), 'latin1');
      const { error } = await site.load(bundle, join(site.home, 'closed'));
      expect(error?.exitCode).toBe(9);
      expect(existsSync(join(site.home, 'closed/packages.json'))).toBe(false);
    }));
});
