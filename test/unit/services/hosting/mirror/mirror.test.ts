import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { flipByte } from '../../../../support/sites/hub-tree.js';
import { atMirror, plugin, treeOf } from '../../../../support/sites/mirror-site.js';

const KEYS = resolve(import.meta.dirname, '../../../../fixtures/keys/signing');

const FILES = ['icon.png', 'plug.jar', 'plug.json', 'spec.json'];
const filesOf = (...names: readonly string[]): readonly string[] =>
  names.flatMap((name) => FILES.map((file) => `packages/${name}/1.0.0/${file}`));

const inOrder = (files: ReadonlyMap<string, Buffer>) => [...files].sort(([one], [other]) => (one < other ? -1 : 1));

describe('the mirror of a whole hub', () => {
  it('is the hub byte for byte, fetches only what is new, and verifies like it', () =>
    atMirror(async ({ files, publish, mirror, item, fetched, tree, run, folder }) => {
      expect(item(await mirror())).toMatchObject({ added: 2, files: 8, whole: true, catalog: 'written', failures: [] });
      expect(fetched()).toEqual(filesOf('one', 'two'));
      expect([...tree()]).toEqual(inOrder(files));
      expect(item(await mirror())).toMatchObject({ unchanged: 2, files: 0, catalog: 'unchanged' });
      expect(fetched()).toEqual([]);
      await publish([plugin('one'), plugin('two'), plugin('three')]);
      expect(item(await mirror())).toMatchObject({ added: 1, updated: 2, files: 4, catalog: 'written' });
      expect(fetched()).toEqual(filesOf('three'));
      expect([...tree()]).toEqual(inOrder(files));
      const { error } = await run('hub:verify', folder, '--all', '--keyring', join(folder, '../key.asc'));
      expect(error).toBeUndefined();
    }));

  it('asks a hub without an index only for what has changed', () =>
    atMirror(
      async ({ files, publish, mirror, item, fetched, tree }) => {
        const unverified = () => mirror('--verify', 'off');
        expect(item(await unverified())).toMatchObject({ added: 2, files: 8, catalog: 'written' });
        expect(fetched()).toEqual(filesOf('one', 'two'));
        expect(item(await unverified())).toMatchObject({ unchanged: 2, files: 0, catalog: 'unchanged' });
        expect(fetched()).toEqual([]);
        await publish([plugin('one'), plugin('two', 'a new jar')]);
        expect(item(await unverified())).toMatchObject({ updated: 2, files: 1, failed: 0 });
        files.delete('packages/one/1.0.0/icon.png');
        expect(item(await unverified())).toMatchObject({ updated: 1, files: 0 });
        const preview = await mirror('--verify', 'off', '--dry-run', '--detailed-exitcode');
        expect(preview.error).toBeUndefined();
        expect([...tree()]).toEqual(inOrder(files));
      },
      { index: false, trusted: false },
    ));

  it.each([true, false])('takes no file for good that other keys or no keys have judged (with an index: %s)', (index) =>
    atMirror(
      async ({ home, url, files, mirror, run, item, signer }) => {
        const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
        files.set('packages/one/1.0.0/plug.jar', Buffer.from('JAR of one'));
        const unsigned = files.get('index.json')?.toString().replace(sha256('jar of one'), sha256('JAR of one'));
        if (unsigned !== undefined) files.set('index.json', Buffer.from(unsigned));
        files.delete('index.json.asc');
        expect(item(await mirror('--verify', 'off'))).toMatchObject({ added: 2 });
        expect((await mirror('--verify', 'warn')).error).toBeUndefined();
        writeFileSync(join(home, 'key.asc'), signer.publicKey);
        const pin = ['--hub', url, '--fingerprint', signer.fingerprint];
        expect((await run('hub:key:add', join(home, 'key.asc'), ...pin)).error).toBeUndefined();
        const refused = await mirror('--verify', 'require');
        expect(refused.error?.code).toBe('PARTIAL');
        expect(item(refused)).toMatchObject({ unchanged: 1, failed: 1 });
        expect(item(refused).failures).toEqual([expect.objectContaining({ file: 'plug.jar', code: 'SIG_BAD' })]);
      },
      { index, trusted: false },
    ),
  );

  it('V12: keeps a version as it is whose file fails, and mirrors the others', () =>
    atMirror(async ({ files, publish, mirror, item, read, tree }) => {
      expect((await mirror()).error).toBeUndefined();
      await publish([plugin('one', 'a new jar'), plugin('two'), plugin('three')], {
        tamper: { 'packages/one/1.0.0/plug.jar': flipByte },
      });
      const broken = await mirror();
      expect(broken.error?.code).toBe('PARTIAL');
      expect(broken.error?.details.lines?.[0]).toMatch(/^one\/1\.0\.0\/plug\.jar does not match /u);
      expect(item(broken)).toMatchObject({ added: 1, updated: 1, failed: 1 });
      expect(item(broken).failures).toEqual([
        expect.objectContaining({ package: 'one', version: '1.0.0', file: 'plug.jar', code: 'SIG_BAD' }),
      ]);
      expect(read('packages/one/1.0.0/plug.jar')).toBe('jar of one');
      expect(tree().get('index.json')).toEqual(files.get('index.json'));
      expect(read('packages/three/1.0.0/plug.jar')).toBe('jar of three');
      await publish([plugin('one', 'a new jar'), plugin('two'), plugin('three')]);
      expect(item(await mirror()).failures).toEqual([expect.objectContaining({ file: 'plug.jar', code: 'CHANGED' })]);
      await publish([plugin('one'), plugin('two'), plugin('three')]);
      expect(item(await mirror())).toMatchObject({ files: 0, failed: 0 });
      expect([...tree()]).toEqual(inOrder(files));
    }));

  it('V14: refuses a hub that went back, or lost its index', () =>
    atMirror(async ({ publish, mirror, tree }) => {
      const unverified = () => mirror('--verify', 'off');
      await publish([plugin('one')], { sequence: 7 });
      expect((await mirror()).error).toBeUndefined();
      const before = [...tree()];
      await publish([plugin('one'), plugin('two')], { sequence: 6 });
      expect((await mirror()).error).toMatchObject({ code: 'ROLLBACK', exitCode: 9 });
      expect((await unverified()).error).toMatchObject({ code: 'ROLLBACK', exitCode: 9 });
      await publish([plugin('one'), plugin('two')], { sequence: 7 });
      expect((await unverified()).error?.message).toContain('another index 7');
      await publish([plugin('one'), plugin('two')], { index: false });
      expect((await unverified()).error?.message).toContain('has no index');
      expect([...tree()]).toEqual(before);
    }));

  it('removes what the hub no longer has only when it is told to, and much of it only if as much is confirmed', () =>
    atMirror(async ({ publish, mirror, item, folder }) => {
      const many = Array.from({ length: 11 }, (_, at) => plugin(`p${at}`));
      await publish(many);
      expect((await mirror()).error).toBeUndefined();
      await publish(many.slice(1));
      expect(item(await mirror())).toMatchObject({ added: 0, files: 0, removed: 0 });
      expect(existsSync(join(folder, 'packages/p0/1.0.0/spec.json'))).toBe(true);
      expect(item(await mirror('--prune', '--dry-run'))).toMatchObject({ removed: 1 });
      expect(item(await mirror('--prune'))).toMatchObject({ removed: 1 });
      expect(existsSync(join(folder, 'packages/p0'))).toBe(false);
      await publish(many.slice(3));
      const asking = await mirror('--prune');
      expect(asking.error?.code).toBe('CONSENT_MISSING');
      expect(asking.error?.message).toContain('p1@1.0.0, p2@1.0.0');
      expect(existsSync(join(folder, 'packages/p1'))).toBe(true);
      const unattended = await mirror('--prune', '-y');
      expect(unattended.error).toMatchObject({
        code: 'CONSENT_MISSING',
        exitCode: 13,
        message: expect.stringMatching(/; -y is not enough$/u) as string,
        details: { hints: [expect.stringMatching(/ --prune -y --confirm 2$/u) as string] },
      });
      const few = await mirror('--prune', '--confirm', '1');
      expect([few.error?.exitCode, few.error?.details.hints]).toEqual([13, [expect.stringMatching(/ --confirm 2$/u)]]);
      expect(existsSync(join(folder, 'packages/p1'))).toBe(true);
      expect(item(await mirror('--prune', '--confirm', '2'))).toMatchObject({ removed: 2 });
      expect(existsSync(join(folder, 'packages/p2'))).toBe(false);
      await publish(many.slice(10));
      const asked = await mirror('--prune');
      expect(asked.error?.message).toMatch(/(?:p\d@1\.0\.0, ){4}p\d@1\.0\.0 and 2 more/u);
    }));

  it('writes and removes nothing where nothing is selected', () =>
    atMirror(async ({ mirror, folder, tree }) => {
      expect((await mirror('--category', 'nosuch')).error).toMatchObject({ code: 'PACKAGE_NOT_FOUND', exitCode: 5 });
      expect(existsSync(folder)).toBe(false);
      const { error } = await mirror('--category', 'example', '--category', 'nosuch');
      expect([error?.code, error?.message, error?.details.lines, existsSync(folder)]).toEqual([
        'PACKAGE_NOT_FOUND',
        'no package has the category nosuch',
        ['categories of the hub: example'],
        false,
      ]);
      await mirror('one');
      const before = [...tree()];
      expect((await mirror('--category', 'nosuch', '--prune', '--confirm', '99')).error?.code).toBe(
        'PACKAGE_NOT_FOUND',
      );
      expect([...tree()]).toEqual(before);
    }));

  it('lists in a preview what it would add and remove', () =>
    atMirror(async ({ run, url, publish, mirror, item, folder }) => {
      const preview = async () =>
        (await run('hub:mirror', '--hub', url, '-D', folder, '--prune', '--dry-run')).terminal.out.join('');
      expect(await preview()).toMatch(/^to add one@1\.0\.0\nto add two@1\.0\.0\n[^]*\nnothing was changed\n$/u);
      await mirror();
      await publish([plugin('two')]);
      expect(await preview()).toMatch(/^(?:to update two@1\.0\.0\n)?to remove one@1\.0\.0\n/u);
      expect(item(await mirror('--prune', '--dry-run'))).toMatchObject({
        dryRun: true,
        versions: { removed: ['one@1.0.0'] },
      });
    }));

  it('removes nothing where an entry of the catalog cannot be read, or a version fails', () =>
    atMirror(
      async ({ files, folder, publish, mirror, item }) => {
        const prune = () => mirror('--verify', 'off', '--prune', '--confirm', '99');
        await publish([plugin('one'), plugin('two')]);
        expect((await prune()).error).toBeUndefined();
        mkdirSync(join(folder, '.cdapctl-mirror/trash/one'), { recursive: true });
        const listed = JSON.parse(files.get('packages.json')?.toString() ?? '') as { name: string; version?: string }[];
        const damaged = listed.map(({ version, ...rest }) => (rest.name === 'two' ? rest : { ...rest, version }));
        files.set('packages.json', Buffer.from(JSON.stringify(damaged)));
        const kept = await prune();
        expect(item(kept)).toMatchObject({ removed: 0 });
        expect(kept.terminal.warnings.map(({ message }) => message)).toEqual(
          expect.arrayContaining([expect.stringMatching(/^entry 1 of the catalog of .* is skipped: /u)]),
        );
        expect(existsSync(join(folder, 'packages/two/1.0.0/spec.json'))).toBe(true);
        expect(existsSync(join(folder, '.cdapctl-mirror/trash'))).toBe(false);
        await publish([plugin('one'), plugin('three')]);
        files.delete('packages/three/1.0.0/plug.jar');
        expect(item(await prune())).toMatchObject({ failed: 1, removed: 0 });
        expect(existsSync(join(folder, 'packages/two/1.0.0/spec.json'))).toBe(true);
        await publish([plugin('one'), plugin('ONE')]);
        const { error } = await prune();
        expect([error?.code, error?.message]).toEqual(['BAD_CATALOG', expect.stringContaining('case only')]);
      },
      { index: false, trusted: false },
    ));

  it('is only told of with --dry-run, which ends with 14 where that is wanted', () =>
    atMirror(async ({ mirror, item, folder }) => {
      expect(item(await mirror('--dry-run'))).toMatchObject({ added: 2, files: 8, catalog: 'outdated' });
      expect((await mirror('--dry-run', '--detailed-exitcode')).error?.code).toBe('CHANGES');
      expect(existsSync(folder)).toBe(false);
      expect((await mirror('--detailed-exitcode')).error?.code).toBe('USAGE');
      for (const rate of ['5', '0MB/s', '5mb/s', '-1MB/s'])
        expect((await mirror(`--rate=${rate}`)).error?.code).toBe('USAGE');
      expect((await mirror('--rate', '50MB/s')).error).toBeUndefined();
      expect((await mirror('--dry-run', '--detailed-exitcode')).error).toBeUndefined();
    }));
});

describe('the mirror of a part of a hub', () => {
  it('has a catalog of its own and no index, grows, and shrinks only with --prune', () =>
    atMirror(async ({ publish, mirror, item, read, folder, run }) => {
      const names = (): readonly string[] =>
        (JSON.parse(read('packages.json')) as { name: string; version: string }[]).map(
          ({ name, version }) => `${name}@${version}`,
        );
      await publish([plugin('one'), plugin('two'), plugin('two', 'newer', '1.10.0'), plugin('two', 'new', '1.9.0')]);
      expect(item(await mirror('one'))).toMatchObject({ added: 1, whole: false });
      expect(names()).toEqual(['one@1.0.0']);
      expect(existsSync(join(folder, 'index.json'))).toBe(false);
      expect(item(await mirror('two', '--versions', '2'))).toMatchObject({ added: 2 });
      expect(names()).toEqual(['one@1.0.0', 'two@1.10.0', 'two@1.9.0']);
      expect(item(await mirror('two@1.9.0', '--prune', '--confirm', '99'))).toMatchObject({ unchanged: 1, removed: 2 });
      expect(names()).toEqual(['two@1.9.0']);
      expect((await mirror('--category', 'none', '--prune', '--confirm', '99')).error?.code).toBe('PACKAGE_NOT_FOUND');
      expect(names()).toEqual(['two@1.9.0']);
      expect((await mirror('nosuch')).error?.code).toBe('PACKAGE_NOT_FOUND');
      expect((await mirror('corp/one')).error?.code).toBe('USAGE');
      const hidden = (await mirror('--platform-version', '9.0.0')).error;
      expect([hidden?.code, hidden?.details.lines]).toEqual(['PACKAGE_NOT_FOUND', []]);
      expect((await mirror('one')).error).toBeUndefined();
      const listed = await run('hub:list', '--hub', folder, '-o', 'name');
      expect([listed.error, listed.terminal.out.join('')]).toEqual([undefined, expect.stringContaining('one')]);
    }));

  it('is signed by a key of its own, and published whole', () =>
    atMirror(async ({ home, publish, mirror, item, fetched, run, folder }) => {
      const key = join(home, 'own.key');
      copyFileSync(join(KEYS, 'ed25519.secret.asc'), key);
      chmodSync(key, 0o600);
      const verify = async () =>
        (await run('hub:verify', folder, '--all', '--strict', '--keyring', join(KEYS, 'ed25519.public.asc'))).error;
      expect(item(await mirror('one', '--key', key))).toMatchObject({ added: 1, whole: false, folder });
      expect(await verify()).toBeUndefined();
      fetched();
      expect(item(await mirror('one', 'two', '--key', key))).toMatchObject({ added: 1, unchanged: 1 });
      expect(fetched()).toEqual(filesOf('two'));
      expect(await verify()).toBeUndefined();
      const index = treeOf(folder).get('index.json');
      expect(item(await mirror('one', 'two', '--key', key))).toMatchObject({ unchanged: 2, catalog: 'unchanged' });
      expect(treeOf(folder).get('index.json')).toEqual(index);
      await publish([plugin('one'), plugin('two'), plugin('three')], {
        tamper: { 'packages/two/1.0.0/plug.json': flipByte, 'packages/three/1.0.0/plug.jar': flipByte },
      });
      expect(item(await mirror('one', 'three', '--prune', '--confirm', '99', '--key', key))).toMatchObject({
        failed: 1,
        removed: 0,
      });
      expect(await verify()).toBeUndefined();
      expect(existsSync(join(folder, 'packages/two/1.0.0/spec.json'))).toBe(true);
      expect(item(await mirror('one', '--prune', '--confirm', '99', '--key', key))).toMatchObject({
        failed: 0,
        removed: 1,
      });
      expect(await verify()).toBeUndefined();
      expect([...treeOf(folder).keys()].filter((path) => path.endsWith('spec.json'))).toEqual([
        'packages/one/1.0.0/spec.json',
      ]);
      expect((await mirror('--key', key)).error?.code).toBe('USAGE');
      expect((await mirror('one')).error?.code).toBe('EXISTS');
      rmSync(folder, { recursive: true });
      await mirror('one');
      expect((await mirror('one', '--key', key)).error?.code).toBe('EXISTS');
    }));

  it('is not signed where it is not verified, and asks nothing of the hub before the key is open', () =>
    atMirror(
      async ({ home, files, mirror, folder }) => {
        const key = join(home, 'own.key');
        copyFileSync(join(KEYS, 'ed25519.secret.asc'), key);
        chmodSync(key, 0o600);
        expect((await mirror('one', '--key', key)).error?.code).toBe('NO_TRUST');
        expect((await mirror('one', '--key', key, '--verify', 'warn')).error).toBeUndefined();
        rmSync(folder, { recursive: true });
        chmodSync(key, 0o644);
        files.clear();
        expect((await mirror('one', '--key', key, '--verify', 'warn')).error?.code).toBe('KEY_PERMS');
      },
      { trusted: false },
    ));

  it('takes what a lock file names, with its digests', () =>
    atMirror(async ({ home, url, publish, mirror, item, run, tree }) => {
      const lock = join(home, 'packages.lock');
      expect((await run('hub:lock', 'one@1.0.0', '--hub', url, '-O', lock)).error).toBeUndefined();
      expect(item(await mirror('--lock', lock))).toMatchObject({ added: 1, failed: 0 });
      expect([...tree().keys()].filter((path) => path.startsWith('packages/'))).toHaveLength(7);
      await publish([plugin('one', 'changed'), plugin('two')]);
      rmSync(join(home, 'mirror'), { recursive: true });
      const refused = await mirror('--lock', lock);
      expect(refused.error).toMatchObject({ code: 'LOCK_MISMATCH', exitCode: 9 });
      writeFileSync(lock, '{}');
      expect((await mirror('--lock', lock)).error?.code).toBe('BAD_FIELD');
      expect((await mirror('--lock', join(home, 'none'))).error?.code).toBe('LOCAL_IO');
    }));
});

describe('a folder', () => {
  it('is not taken where it has a hub of its own, the mirror of another one, or of more of it', () =>
    atMirror(async ({ home, url, mirror, run, folder, read }) => {
      expect((await mirror()).error).toBeUndefined();
      // Another spelling of the same address.
      expect((await run('hub:mirror', '--hub', `${url}/v2/`, '-D', folder)).error).toBeUndefined();
      expect((await mirror('one')).error?.message).toContain('is a mirror of the whole hub');
      const state = join(folder, '.cdapctl-mirror/state.json');
      writeFileSync(state, read('.cdapctl-mirror/state.json').replace('http:', 'https:'));
      expect((await mirror()).error?.message).toContain('is the mirror of https:');
      writeFileSync(state, '{}');
      expect((await mirror()).error?.code).toBe('LOCAL_IO');
      rmSync(state);
      expect((await mirror()).error).toMatchObject({ code: 'EXISTS' });
      const inside = await run('hub:mirror', '--hub', folder, '-D', join(folder, 'x'));
      expect(inside.error?.code).toBe('USAGE');
      const copy = await run('hub:mirror', '--hub', folder, '-D', join(home, 'copy'), '--verify', 'off');
      expect(copy.error).toBeUndefined();
    }));
});
