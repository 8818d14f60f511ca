import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { InProcess } from '../../../../support/processes/in-process.js';
import { flipByte } from '../../../../support/sites/hub-tree.js';
import { atMirror, plugin, signIndexOnly, type MirrorSite } from '../../../../support/sites/mirror-site.js';

const JAR = 'packages/one/1.0.0/plug.jar';
const bytesOf = ({ files }: MirrorSite): Buffer => files.get(JAR) ?? expect.fail('no JAR');
const warningsOf = ({ terminal }: InProcess) => terminal.warnings.map(({ message }) => message);
const COPY = 'the mirror has an earlier copy of 1 package version that does not pass verification: one@1.0.0';
const told = ({ folder }: MirrorSite): string => `${COPY} (do not use it: remove packages/one/1.0.0 from ${folder})`;

/** Trusts the key of the hub from now on. */
async function trust({ home, url, signer, run }: MirrorSite): Promise<void> {
  const file = join(home, 'key.asc');
  writeFileSync(file, signer.publicKey);
  const { error } = await run('hub:key:add', file, '--hub', url, '--fingerprint', signer.fingerprint);
  expect(error).toBeUndefined();
}

const namesIn = ({ read }: MirrorSite): readonly string[] =>
  (JSON.parse(read('packages.json')) as { name: string }[]).map(({ name }) => name);

describe('the earlier copy of a version that fails', () => {
  it('V12: is named where it does not pass verification either: it was mirrored without a key', () =>
    atMirror(
      async (site) => {
        site.files.set(JAR, flipByte(bytesOf(site)));
        expect(site.item(await site.mirror())).toMatchObject({ added: 2, unverified: [] });
        await trust(site);
        for (const run of [site.mirror, site.mirror]) {
          const again = await run();
          expect(again.error).toMatchObject({ code: 'PARTIAL', exitCode: 10 });
          expect(site.item(again)).toMatchObject({ failed: 1, unverified: ['one@1.0.0'] });
          expect(warningsOf(again)).toContain(told(site));
        }
        // The catalog of a whole hub is that of the hub.
        expect(namesIn(site)).toEqual(['one', 'two']);
      },
      { index: false, trusted: false },
    ));

  it('is not in the catalog of a part of a hub', () =>
    atMirror(
      async (site) => {
        site.files.set(JAR, flipByte(bytesOf(site)));
        await site.mirror('one', 'two');
        await trust(site);
        const again = await site.mirror('one', 'two');
        expect(site.item(again)).toMatchObject({ failed: 1, catalog: 'written', unverified: ['one@1.0.0'] });
        expect(warningsOf(again)).toContain(told(site));
        expect(namesIn(site)).toEqual(['two']);
        const only = await site.mirror('one');
        expect(only.error).toMatchObject({ code: 'SIG_BAD', exitCode: 9 });
        expect(site.item(only)).toMatchObject({ unverified: ['one@1.0.0'] });
      },
      { index: false, trusted: false },
    ));

  it.each([true, false])('is kept, and nothing is said, where it is good, with an index: %s', (index) =>
    atMirror(
      async (site) => {
        await site.mirror('one', 'two');
        site.files.set(JAR, flipByte(bytesOf(site)));
        site.files.set(`${JAR}.asc`, Buffer.from(await site.signer.sign(Buffer.from('another'))));
        const again = await site.mirror('one', 'two', '--recheck');
        expect(site.item(again).unverified).toEqual([]);
        expect(warningsOf(again)).toEqual([]);
        expect(namesIn(site)).toEqual(['one', 'two']);
      },
      { index },
    ),
  );

  it('is good by the index of a hub that signs only its index, and has kept some signatures', () =>
    atMirror(async (site) => {
      const [spec, ...others] = ['spec.json', 'plug.jar', 'plug.json'].map((name) => `packages/one/1.0.0/${name}.asc`);
      await signIndexOnly(site, 'one');
      for (const path of others) site.files.delete(path);
      expect(site.item(await site.mirror())).toMatchObject({ added: 2, failed: 0 });
      site.files.set(String(spec), Buffer.from(await site.signer.sign(Buffer.from('another'))));
      const again = await site.mirror('--recheck');
      expect(site.item(again)).toMatchObject({ failed: 1, unverified: [] });
      writeFileSync(join(site.folder, JAR), flipByte(bytesOf(site)));
      expect(site.item(await site.mirror('--recheck'))).toMatchObject({ failed: 1, unverified: ['one@1.0.0'] });
    }));

  it('is named where it was changed in the mirror', () =>
    atMirror(async (site) => {
      await site.mirror('one', 'two');
      writeFileSync(join(site.folder, JAR), flipByte(bytesOf(site)));
      site.files.delete(JAR);
      const again = await site.mirror('one', 'two');
      expect(site.item(again)).toMatchObject({ failed: 1, unverified: ['one@1.0.0'] });
      expect(namesIn(site)).toEqual(['two']);
    }));
});

describe('a preview with an earlier copy that does not pass verification', () => {
  it.each([
    ['is verified where the catalog would not list it any more', ['one', 'two'], ['one@1.0.0'], 'outdated'],
    ['is not verified where the catalog is that of the hub', [], [], 'outdated'],
    ['is not verified where all versions fail', ['one'], [], 'unchanged'],
  ])('%s', (_, names, unverified, catalog) =>
    atMirror(async (site) => {
      await site.mirror(...names);
      writeFileSync(join(site.folder, JAR), flipByte(bytesOf(site)));
      await site.publish([plugin('one', 'a new jar'), plugin('two')]);
      const preview = await site.mirror(...names, '--dry-run');
      expect(site.item(preview)).toMatchObject({ failed: 1, unverified, catalog });
      expect(warningsOf(preview).includes(told(site))).toBe(unverified.length > 0);
    }),
  );
});

describe('a mirror without a trusted key', () => {
  it.each([
    ['warn', 'nothing was verified: no key is trusted for this hub'],
    ['off', 'NOTHING IS VERIFIED: verification is turned off'],
  ])('says each time that nothing was verified (--verify %s)', (policy, warning) =>
    atMirror(
      async (site) => {
        for (const files of [8, 0]) {
          const result = await site.mirror('--verify', policy);
          expect([result.error, site.item(result).files]).toEqual([undefined, files]);
          expect(warningsOf(result)).toEqual([warning]);
        }
      },
      { trusted: false },
    ),
  );
});
