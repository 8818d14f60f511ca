import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { stampOf } from '../../../../../src/services/hosting/tree/file-stamp.js';
import { ROOT } from '../../../../support/processes/run-cli.js';
import { atMirror, plugin, treeOf } from '../../../../support/sites/mirror-site.js';

const KEYS = join(ROOT, 'test/fixtures/keys/signing');

/** Lets the mirror believe that a file which was changed is the one that it has verified. */
function forgeStamp(folder: string, [name, version, file]: readonly [string, string, string]): void {
  const record = join(folder, `.cdapctl-mirror/records/${name}/${version}.ndjson`);
  const line = readFileSync(record, 'utf8')
    .split('\n')
    .findLast((text) => text.includes(`"${file}"`));
  const stamp = stampOf(join(folder, 'packages', name, version, file))?.id;
  appendFileSync(record, `\n${JSON.stringify({ ...(JSON.parse(line ?? '') as object), stamp })}\n`);
}
const BOTH = [plugin('one'), plugin('two')];

describe('the number of an index', () => {
  it('V14: is kept only where a trusted key has signed it, and then holds without verification, too', () =>
    atMirror(async ({ folder, publish, mirror }) => {
      const state = () => JSON.parse(readFileSync(join(folder, '.cdapctl-mirror/state.json'), 'utf8')) as object;
      await publish(BOTH, { sequence: Number.MAX_SAFE_INTEGER - 1 });
      expect((await mirror('--verify', 'off')).error).toBeUndefined();
      expect(state()).not.toHaveProperty('index');
      await publish([...BOTH, plugin('three')], { sequence: 7 });
      expect((await mirror()).error).toBeUndefined();
      expect(state()).toMatchObject({ index: { sequence: 7 } });
      await publish(BOTH, { sequence: 6 });
      expect((await mirror('--verify', 'off')).error).toMatchObject({ code: 'ROLLBACK', exitCode: 9 });
      await publish(BOTH, { sequence: Number.MAX_SAFE_INTEGER - 1 });
      expect((await mirror('--verify', 'off')).error).toBeUndefined();
      expect(state()).toMatchObject({ index: { sequence: 7 } });
      await publish([...BOTH, plugin('three')], { sequence: 8 });
      expect((await mirror()).error).toBeUndefined();
      expect(state()).toMatchObject({ index: { sequence: 8 } });
    }));

  it('V26: of a bundle holds up no other where no key vouches for it', () =>
    atMirror(async ({ home, publish, mirror, load, tree }) => {
      const [bad, good] = [join(home, 'bad.tar'), join(home, 'good.tar')];
      await publish(BOTH, { sequence: Number.MAX_SAFE_INTEGER - 1 });
      await mirror('--verify', 'off', '--bundle', bad);
      await publish([...BOTH, plugin('three')], { sequence: 7 });
      expect((await mirror('--bundle', good)).error).toBeUndefined();
      for (const policy of ['off', 'require']) {
        const closed = join(home, policy);
        expect((await load(bad, closed, '--verify', 'off')).error).toBeUndefined();
        expect((await load(good, closed, '--verify', policy)).error).toBeUndefined();
        expect([...treeOf(closed)]).toEqual([...tree()]);
      }
    }));
});

describe('a mirror that could not begin', () => {
  it('leaves no folder behind where a key is refused', () =>
    atMirror(async ({ home, files, mirror }) => {
      const key = join(home, 'own.key');
      const refused = async (...more: readonly string[]) => {
        const { error } = await mirror('one', '--key', key, ...more);
        return [error?.code, existsSync(join(home, 'mirror'))];
      };
      expect(await refused()).toEqual(['LOCAL_IO', false]);
      copyFileSync(join(KEYS, 'locked.secret.asc'), key);
      chmodSync(key, 0o644);
      expect(await refused()).toEqual(['KEY_PERMS', false]);
      chmodSync(key, 0o600);
      writeFileSync(join(home, 'wrong.txt'), 'wrong', { mode: 0o600 });
      expect(await refused('--passphrase-file', join(home, 'wrong.txt'))).toEqual(['KEY_LOCKED', false]);
      expect(await refused()).toEqual(['INPUT_MISSING', false]);
      copyFileSync(join(KEYS, 'ed25519.secret.asc'), key);
      chmodSync(key, 0o600);
      files.clear();
      expect(await refused()).toEqual(['HUB_NOT_FOUND', false]);
    }));

  it('leaves none of the folders that it made, unless a file of it can be gone on with', () =>
    atMirror(async ({ home, url, files, run, load }) => {
      const key = join(home, 'own.key');
      copyFileSync(join(KEYS, 'ed25519.secret.asc'), key);
      chmodSync(key, 0o600);
      const deep = join(home, 'a/b/c');
      const into = async (folder: string, ...more: readonly string[]) =>
        (await run('hub:mirror', 'one', '--hub', url, '-D', folder, ...more)).error?.code;
      const specification = files.get('packages/one/1.0.0/spec.json') ?? Buffer.of();
      files.delete('packages/one/1.0.0/spec.json');
      expect([await into(deep), existsSync(join(home, 'a'))]).toEqual(['RESOURCE_MISSING', false]);
      expect([await into(deep, '--key', key), existsSync(join(home, 'a'))]).toEqual(['RESOURCE_MISSING', false]);
      mkdirSync(join(home, 'mine'));
      expect([await into(join(home, 'mine')), readdirSync(join(home, 'mine'))]).toEqual(['RESOURCE_MISSING', []]);
      writeFileSync(join(home, 'hub.tar'), 'x');
      expect((await load(join(home, 'hub.tar'), deep)).error?.code).toBe('BAD_BUNDLE');
      expect(existsSync(join(home, 'a'))).toBe(false);
      files.set('packages/one/1.0.0/spec.json', specification);
      files.delete('packages/one/1.0.0/plug.jar');
      const waiting = join(deep, '.cdapctl-mirror/stage/packages/one/1.0.0/spec.json');
      expect([await into(deep), existsSync(waiting)]).toEqual(['RESOURCE_MISSING', true]);
      files.delete('packages/one/1.0.0/spec.json');
      files.delete('packages.json');
      expect([await into(deep), existsSync(waiting)]).toEqual(['HUB_NOT_FOUND', true]);
    }));

  it('keeps what tells that an empty hub is mirrored where its bundle cannot be written', () =>
    atMirror(async ({ home, publish, mirror, item }) => {
      await publish([]);
      expect((await mirror('--bundle', join(home, 'none/hub.tar'))).error?.code).toBe('LOCAL_IO');
      expect(item(await mirror())).toMatchObject({ added: 0, catalog: 'unchanged' });
    }));

  it('is not made inside of the hub, by way of a link either', () =>
    atMirror(async ({ home, mirror, folder, run }) => {
      await mirror();
      symlinkSync(folder, join(home, 'link'));
      const inside = await run('hub:mirror', '--hub', folder, '-D', join(home, 'link/new/x'));
      expect([inside.error?.code, existsSync(join(folder, 'new'))]).toEqual(['USAGE', false]);
    }));

  it('leaves no folder behind where a bundle is refused', () =>
    atMirror(async ({ home, mirror, load }) => {
      const bundle = join(home, 'hub.tar');
      await mirror('--bundle', bundle);
      truncateSync(bundle, 20_000);
      expect((await load(bundle, join(home, 'closed'))).error?.code).toBe('BAD_BUNDLE');
      expect(existsSync(join(home, 'closed'))).toBe(false);
    }));
});

describe('the index of a signed part', () => {
  afterEach(() => vi.useRealTimers());

  it('is renewed when it has less than 15 days left, and not before', () =>
    atMirror(async ({ home, publish, mirror, run, item, folder, tree }) => {
      const [key, start] = [join(home, 'own.key'), Date.now()];
      copyFileSync(join(KEYS, 'ed25519.secret.asc'), key);
      chmodSync(key, 0o600);
      const at = (days: number) => vi.useFakeTimers({ toFake: ['Date'], now: start + days * 86_400_000 });
      const index = () => {
        const { sequence, expires } = JSON.parse(String(tree().get('index.json'))) as Record<string, unknown>;
        return { sequence, days: Math.round((Date.parse(String(expires)) - start) / 86_400_000) };
      };
      const signatures = () => [...tree()].filter(([path]) => path.startsWith('packages/') && path.endsWith('.asc'));
      expect((await mirror('one', '--key', key)).error).toBeUndefined();
      expect(index()).toEqual({ sequence: 1, days: 30 });
      const before = signatures();
      at(14.9);
      expect(item(await mirror('one', '--key', key))).toMatchObject({ unchanged: 1 });
      expect(index()).toEqual({ sequence: 1, days: 30 });
      at(15.1);
      expect(item(await mirror('one', '--key', key))).toMatchObject({ unchanged: 1 });
      expect(index()).toEqual({ sequence: 2, days: 45 });
      expect(signatures()).toEqual(before);
      at(44);
      await publish(BOTH, { now: Date.now() });
      expect(item(await mirror('one', 'two', '--key', key))).toMatchObject({ added: 1 });
      expect(index()).toEqual({ sequence: 3, days: 74 });
      const keyring = join(KEYS, 'ed25519.public.asc');
      expect((await run('hub:verify', folder, '--all', '--strict', '--keyring', keyring)).error).toBeUndefined();
    }));
});

describe('--prune --grace', () => {
  it('removes what readers with the old catalog still find only after a while, from a bundle and a signed part, too', () =>
    atMirror(async ({ home, folder, publish, mirror, item, load }) => {
      const note =
        /note: (?:files of 2 package versions|7 files) will be removed in .*; the (?:mirror|hub) is published/u;
      const [bundle, next, closed] = [join(home, 'hub.tar'), join(home, 'next.tar'), join(home, 'closed')];
      const grace = ['--prune', '--confirm', '99', '--grace', '1ms'];
      await publish([plugin('one'), plugin('two', 'newer', '1.0.0-SNAPSHOT')]);
      await mirror('--bundle', bundle);
      await load(bundle, closed);
      await publish([plugin('two')]);
      expect((await mirror('--grace', '1s')).error?.code).toBe('USAGE');
      for (const pruned of [await mirror(...grace, '--bundle', next), await load(next, closed, ...grace)]) {
        expect(item(pruned)).toMatchObject({ added: 1, removed: 2 });
        expect(pruned.terminal.notes.join()).toMatch(note);
      }
      expect((await mirror('--prune', '--grace', '1h')).terminal.notes.join()).not.toMatch(note);
      rmSync(folder, { recursive: true });
      const key = join(home, 'own.key');
      copyFileSync(join(KEYS, 'ed25519.secret.asc'), key);
      chmodSync(key, 0o600);
      await publish([plugin('one'), plugin('two')]);
      await mirror('one', 'two', '--key', key);
      const signed = await mirror('two', '--key', key, ...grace);
      expect([signed.error, signed.terminal.notes.filter((text) => note.test(text))]).toEqual([
        undefined,
        [expect.stringContaining('7 files')],
      ]);
    }));
});

describe('--recheck', () => {
  it('finds and mends a file that was changed without a trace, from a bundle, too', () =>
    atMirror(async ({ home, publish, mirror, load, item, tree }) => {
      const [bundle, next, closed] = [join(home, 'hub.tar'), join(home, 'next.tar'), join(home, 'closed')];
      await mirror('--bundle', bundle);
      await load(bundle, closed);
      writeFileSync(join(closed, 'packages/one/1.0.0/plug.jar'), 'JAR OF one');
      forgeStamp(closed, ['one', '1.0.0', 'plug.jar']);
      expect(item(await load(bundle, closed))).toMatchObject({ unchanged: 2, files: 0 });
      expect(item(await load(bundle, closed, '--recheck'))).toMatchObject({ updated: 1, files: 1 });
      expect([...treeOf(closed)]).toEqual([...tree()]);
      await publish([...BOTH, plugin('three')]);
      await mirror('--bundle', next, '--since', bundle);
      writeFileSync(join(closed, 'packages/one/1.0.0/plug.jar'), 'JAR OF one');
      forgeStamp(closed, ['one', '1.0.0', 'plug.jar']);
      const missing = await load(next, closed, '--recheck');
      expect(missing.error?.details.item).toEqual({ missing: ['packages/one/1.0.0/plug.jar'] });
      expect(item(await load(next, closed))).toMatchObject({ added: 1 });
    }));
});
