import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../../src/core/errors.js';
import { VersionRecord } from '../../../../../src/services/hosting/mirror/folder/records.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';
import { atMirror, plugin } from '../../../../support/sites/mirror-site.js';

describe('the folder of a mirror', () => {
  it.each([
    'stage',
    'stage/packages',
    'stage/packages/two',
    'stage/packages/two/1.0.0',
    'first',
    'first/packages',
    'trash',
    'pending',
    'pending/files',
    'records/two',
  ])('V12: is not left by a link at .cdapctl-mirror/%s', (place) =>
    atMirror(async ({ home, folder, mirror }) => {
      const [victim, path] = [join(home, 'victim'), join(folder, '.cdapctl-mirror', place)];
      for (const name of ['mine', 'two/1.0.0/mine', 'packages/two/1.0.0/mine', '1.0.0/mine', 'files/mine']) {
        mkdirSync(dirname(join(victim, name)), { recursive: true });
        writeFileSync(join(victim, name), 'mine');
      }
      expect((await mirror('one')).error).toBeUndefined();
      const before = readdirSync(victim, { recursive: true });
      mkdirSync(dirname(path), { recursive: true });
      rmSync(path, { recursive: true, force: true });
      symlinkSync(victim, path);
      const { error } = await mirror('one', 'two');
      expect([place, error?.code]).toEqual([place, 'SYMLINK']);
      expect(readdirSync(victim, { recursive: true })).toEqual(before);
    }),
  );

  it.each(['packages/two', 'packages/two/1.0.0'])('V12: changes nothing behind a link at %s', (place) =>
    atMirror(async ({ home, folder, mirror, publish }) => {
      expect((await mirror('one', 'two')).error).toBeUndefined();
      const [victim, path] = [join(home, 'victim'), join(folder, place)];
      renameSync(path, victim);
      symlinkSync(victim, path);
      for (const name of ['mine', '1.0.0/mine']) {
        mkdirSync(dirname(join(victim, name)), { recursive: true });
        writeFileSync(join(victim, name), 'mine');
      }
      const before = readdirSync(victim, { recursive: true });
      const { error } = await mirror('one', 'two');
      expect([error?.code, error?.message]).toEqual(['SYMLINK', expect.stringContaining(place)]);
      await publish([plugin('one')]);
      await mirror('one', '--prune', '--confirm', '99');
      expect(readdirSync(victim, { recursive: true })).toEqual(before);
    }),
  );

  it('V12: has a record in place of a link to a file, which stays as it is', () =>
    withTempDir(async (home) => {
      const [path, victim] = [join(home, 'one.ndjson'), join(home, 'victim')];
      const record = await VersionRecord.read(path);
      record.note({ name: 'a', absent: true });
      writeFileSync(victim, 'mine');
      rmSync(path);
      symlinkSync(victim, path);
      expect(() => {
        record.note({ name: 'b', absent: true });
      }).toThrow(CliError);
      (await VersionRecord.read(path)).note({ name: 'c', absent: true });
      expect([lstatSync(path).isFile(), readFileSync(victim, 'utf8')]).toEqual([true, 'mine']);
    }));
});

describe('what is known of a version', () => {
  it('does not grow with each index of its hub', () =>
    withTempDir(async (home) => {
      const path = join(home, 'one.ndjson');
      const line = { name: 'plug.jar.asc', size: 1, mtime: 1, sha256: 'a'.repeat(64) };
      const other = { name: 'spec.json', size: 2, mtime: 2, sha256: 'b'.repeat(64) };
      (await VersionRecord.read(path)).note(other);
      for (let at = 0; at < 500; at++)
        (await VersionRecord.read(path)).note({ ...line, basis: `${at}`.padStart(64, '0') });
      expect(statSync(path).size).toBeLessThan(10_000);
      const found = await VersionRecord.read(path);
      expect([found.kept('spec.json'), found.kept('plug.jar.asc')?.basis]).toEqual([other, '499'.padStart(64, '0')]);
      writeFileSync(path, '\n'.repeat(5_000_000));
      (await VersionRecord.read(path)).note(other);
      expect(readFileSync(path, 'utf8').trim()).toBe(JSON.stringify(other));
    }));
});

describe('a hub that is published while it is mirrored', () => {
  it('V12: leaves the mirror with the state that its index tells of, and the next run has the new one', () =>
    atMirror(async ({ files, publish, mirror, item, tree, folder, run, home }) => {
      expect((await mirror()).error).toBeUndefined();
      const before = [...tree()];
      await publish([plugin('one'), plugin('two'), plugin('three')]);
      const old = new Map(files);
      await publish([plugin('two'), plugin('three', 'replaced', '1.0.1'), plugin('four')]);
      const fresh = new Map(files);
      // What clients read first is of the state before, all other files of the one after.
      for (const [path, bytes] of old) if (!path.includes('/')) files.set(path, bytes);
      const { error } = await mirror('--prune', '--confirm', '99');
      expect(error?.code).toBe('PARTIAL');
      expect(item(await mirror('--prune', '--confirm', '99'))).toMatchObject({ removed: 0 });
      // Its signatures are gone from the hub, and the index vouches for the files.
      const kept = before.map(([path]) => path).filter((path) => !/^packages\/one\/.*\.asc$/u.test(path));
      expect([...tree().keys()]).toEqual(expect.arrayContaining(kept));
      files.clear();
      for (const [path, bytes] of fresh) files.set(path, bytes);
      expect(item(await mirror('--prune', '--confirm', '99'))).toMatchObject({ failed: 0, added: 2, removed: 1 });
      const verified = await run('hub:verify', folder, '--all', '--strict', '--keyring', join(home, 'key.asc'));
      expect(verified.error).toBeUndefined();
    }));
});

describe('a signature that a hub no longer has', () => {
  it('V12: stays in the mirror of a hub whose files must be signed', () =>
    atMirror(
      async ({ files, mirror, item, tree }) => {
        expect((await mirror()).error).toBeUndefined();
        const before = [...tree()];
        files.delete('packages/one/1.0.0/plug.jar.asc');
        const stripped = item(await mirror());
        expect(stripped).toMatchObject({ failed: 1, failures: [{ package: 'one', file: 'plug.jar.asc' }] });
        expect(stripped.failures[0]?.code).toMatch(/^SIG_|^DOWNGRADE$/u);
        expect([...tree()]).toEqual(before);
        expect(item(await mirror('--verify', 'warn'))).toMatchObject({ failed: 1 });
        expect((await mirror('--verify', 'off')).error).toBeUndefined();
        expect(tree().has('packages/one/1.0.0/plug.jar.asc')).toBe(false);
      },
      { index: false },
    ));
});
