import { chmodSync, copyFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hubPackage, pluginSpec } from '../../../../support/sites/hub-tree.js';
import { ROOT } from '../../../../support/processes/run-cli.js';
import { atMirror, plugin } from '../../../../support/sites/mirror-site.js';

const KEYS = join(ROOT, 'test/fixtures/keys/signing');

const one = (resources: Readonly<Record<string, string>>) =>
  hubPackage({ name: 'one', version: '1.0.0', spec: pluginSpec(), resources: { 'plug.json': '{}', ...resources } });

const CHANGES = [
  ['changed', one({ 'plug.jar': 'another jar' }), 'plug.jar'],
  ['added', one({ 'plug.jar': 'jar of one', 'more.txt': 'more' }), 'more.txt'],
] as const;

describe('a version of a mirror with a key of its own', () => {
  it.each(CHANGES)(
    'V12: keeps its good copy where a file of it was %s in the hub, and others are mirrored',
    (...change) =>
      atMirror(
        async ({ home, publish, mirror, item, run, folder, tree }) => {
          const [how, changed, file] = change;
          const key = join(home, 'own.key');
          copyFileSync(join(KEYS, 'ed25519.secret.asc'), key);
          chmodSync(key, 0o600);
          const signed = (...names: readonly string[]) => mirror(...names, '--key', key, '--verify', 'off');
          expect((await signed('one', 'two')).error).toBeUndefined();
          const before = [...tree()].filter(([path]) => path.startsWith('packages/one/'));
          await publish([changed, plugin('two'), plugin('three')]);
          for (const state of ['added', 'unchanged']) {
            const result = await signed('one', 'two', 'three');
            expect(result.error).toMatchObject({ code: 'PARTIAL', exitCode: 10 });
            expect(result.error?.details.hints).toEqual(['a published version must never change; ask the publisher']);
            expect(item(result)).toMatchObject({ folder, failed: 1, added: state === 'added' ? 1 : 0 });
            expect(item(result)).toHaveProperty('signed.sequence', 2);
            expect(item(result).failures).toEqual([
              {
                package: 'one',
                version: '1.0.0',
                file,
                code: 'CHANGED',
                message: `${file} was ${how} since the mirror published the version`,
              },
            ]);
            expect([...tree()].filter(([path]) => path.startsWith('packages/one/'))).toEqual(before);
            const verify = [folder, '--all', '--strict', '--keyring', join(KEYS, 'ed25519.public.asc')];
            expect((await run('hub:verify', ...verify)).error).toBeUndefined();
            expect(tree().has('packages/three/1.0.0/plug.jar')).toBe(true);
          }
          expect((await signed('one')).error).toMatchObject({ code: 'CHANGED', exitCode: 9 });
          await publish([plugin('one'), plugin('two'), plugin('three')]);
          expect(item(await signed('one', 'two', 'three'))).toMatchObject({ failed: 0, unchanged: 3 });
        },
        { trusted: false },
      ),
  );

  it.each([true, false])('is previewed as it would be mirrored, without its key (with an index: %s)', (index) =>
    atMirror(
      async ({ home, url, publish, mirror, run, item, folder, tree }) => {
        const key = join(home, 'own.key');
        copyFileSync(join(KEYS, 'ed25519.secret.asc'), key);
        chmodSync(key, 0o600);
        const signed = (...more: readonly string[]) => mirror(...more, '--key', key, '--verify', 'off');
        const preview = (...names: readonly string[]) =>
          mirror(...names, '--key', 'none', '--verify', 'off', '--dry-run');
        expect(item(await preview('one', 'two'))).toMatchObject({
          folder,
          added: 2,
          dryRun: true,
          catalog: 'outdated',
        });
        expect(existsSync(folder)).toBe(false);
        expect((await signed('one', 'two')).error).toBeUndefined();
        const before = [...tree()];
        expect(item(await preview('one', 'two'))).toMatchObject({ folder, unchanged: 2, catalog: 'unchanged' });
        await publish([one({ 'plug.jar': 'another jar' }), plugin('two'), plugin('three')]);
        const result = item(await preview('one', 'two', 'three', '--prune'));
        const failed = { package: 'one', file: 'plug.jar', code: 'CHANGED' };
        // Without an index its content is not known before it was fetched.
        const told = index ? { updated: 0, failures: [failed] } : { updated: 1, failures: [] };
        expect(result).toMatchObject({ folder, added: 1, unchanged: 1, ...told });
        expect([...tree()]).toEqual(before);
        const other = ['one', '--hub', url, '-D', join(home, 'other'), '--verify', 'off'];
        expect((await run('hub:mirror', ...other)).error).toBeUndefined();
        const { error } = await run('hub:mirror', ...other, '--key', 'none', '--dry-run');
        expect(error?.message).toMatch(/has a hub that this command did not sign/u);
      },
      { trusted: false, index },
    ),
  );

  it('is mended where it is damaged, with a file that is called like a signature', () =>
    atMirror(
      async ({ home, folder, publish, mirror, item, read }) => {
        const key = join(home, 'own.key');
        copyFileSync(join(KEYS, 'ed25519.secret.asc'), key);
        chmodSync(key, 0o600);
        const signed = () => mirror('one', '--key', key, '--verify', 'off');
        const spec = { ...pluginSpec(), license: 'note.asc' };
        const resources = { 'plug.jar': 'jar of one', 'plug.json': '{}', 'note.asc': 'a note' };
        await publish([hubPackage({ name: 'one', version: '1.0.0', spec, resources })]);
        expect((await signed()).error).toBeUndefined();
        expect(read('packages/one/1.0.0/note.asc')).toBe('a note');
        writeFileSync(join(folder, '.cdapctl-mirror/signed/packages/one/1.0.0/plug.jar'), 'damaged');
        expect(item(await signed())).toMatchObject({ failed: 0, updated: 1, files: 1 });
      },
      { trusted: false },
    ));

  it('V12: keeps a file that the hub no longer has, and may change where it is a snapshot', () =>
    atMirror(
      async ({ home, publish, mirror, item, tree }) => {
        const key = join(home, 'own.key');
        copyFileSync(join(KEYS, 'ed25519.secret.asc'), key);
        chmodSync(key, 0o600);
        const signed = () => mirror('one', 'two', '--key', key, '--verify', 'off');
        const full = one({ 'plug.jar': 'jar of one', 'more.txt': 'more' });
        await publish([full, plugin('two', 'jar', '1.0.0-SNAPSHOT')]);
        expect((await signed()).error).toBeUndefined();
        await publish([plugin('one'), plugin('two', 'another jar', '1.0.0-SNAPSHOT')]);
        const refused = await signed();
        expect(refused.error?.details.lines).toEqual([
          'one/1.0.0/more.txt was removed since the mirror published the version',
        ]);
        const result = item(refused);
        expect(result).toMatchObject({ failed: 1, updated: 1, failures: [{ file: 'more.txt', code: 'CHANGED' }] });
        expect(String(tree().get('packages/one/1.0.0/more.txt'))).toBe('more');
        expect(String(tree().get('packages/two/1.0.0-SNAPSHOT/plug.jar'))).toBe('another jar');
      },
      { trusted: false },
    ));
});
