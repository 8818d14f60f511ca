import { createHash } from 'node:crypto';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hubPackage, pluginSpec } from '../../../../support/sites/hub-tree.js';
import { ROOT } from '../../../../support/processes/run-cli.js';
import { atMirror, plugin } from '../../../../support/sites/mirror-site.js';

const KEYS = join(ROOT, 'test/fixtures/keys/signing');

const named = (file: string) =>
  hubPackage({
    name: 'odd',
    version: '1.0.0',
    spec: pluginSpec(file),
    resources: { [file]: 'jar', 'plug.json': '{}' },
  });

const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

function copyKey(path: string): void {
  copyFileSync(join(KEYS, 'ed25519.secret.asc'), path);
  chmodSync(path, 0o600);
}

const LONG = ['中'.repeat(100), 'x'.repeat(253)];

describe('a name that a mirror cannot have', () => {
  it.each([
    ['.hidden', '1.0.0'],
    ['CON', '1.0.0'],
    ['a:b', '1.0.0'],
    ['x.', '1.0.0'],
    ['odd', `1.0.0-${'x'.repeat(300)}`],
  ])('is refused of the package %s alone', (name, version) =>
    atMirror(async ({ publish, mirror, item, folder }) => {
      await publish([plugin('one'), plugin(name, 'jar', version), plugin('two')], { index: false });
      const result = await mirror();
      expect(result.error?.code).toBe('PARTIAL');
      expect(item(result)).toMatchObject({ added: 2, failed: 1, failures: [{ package: name, code: 'BAD_NAME' }] });
      expect(readdirSync(join(folder, 'packages')).sort()).toEqual(['one', 'two']);
    }),
  );

  it.each(['.htaccess', ...LONG])('is refused of the file %s and its version alone', (file) =>
    atMirror(async ({ publish, mirror, item, folder }) => {
      await publish([plugin('one'), named(file)]);
      const result = await mirror();
      expect(result.error?.code).toBe('PARTIAL');
      expect(item(result)).toMatchObject({ added: 1, failed: 1, failures: [{ package: 'odd', code: 'BAD_NAME' }] });
      expect(existsSync(join(folder, 'packages/odd'))).toBe(false);
    }),
  );
});

describe('a file at the root of a hub that nobody needs', () => {
  it.each(['index.html', 'index.php', 'README.md'])('is not chosen by an index: %s', (name) =>
    atMirror(
      async ({ files, mirror, folder }) => {
        const index = JSON.parse(String(files.get('index.json'))) as { files: object[] };
        const bytes = Buffer.from('<script>');
        index.files.push({ name, size: bytes.length, sha256: sha256Of(bytes) });
        files.set('index.json', Buffer.from(JSON.stringify(index)));
        files.set(name, bytes);
        expect((await mirror()).error?.code).toBe('BAD_NAME');
        expect(existsSync(join(folder, name))).toBe(false);
      },
      { trusted: false },
    ),
  );
});

describe('--platform-version', () => {
  it.each(['six', 'latest'])('must be a version: %s', (text) =>
    atMirror(async ({ mirror, folder }) => {
      expect((await mirror('--platform-version', text)).error?.code).toBe('USAGE');
      expect(existsSync(folder)).toBe(false);
    }),
  );
});

describe('a mirror of a part that becomes one of the whole hub', () => {
  it('is told, once', () =>
    atMirror(async ({ mirror }) => {
      await mirror('one');
      const note = /now mirrors the whole hub/u;
      expect((await mirror('--dry-run')).terminal.notes.join()).toMatch(/would mirror the whole hub/u);
      expect((await mirror()).terminal.notes.join()).toMatch(note);
      expect((await mirror()).terminal.notes.join()).not.toMatch(note);
    }));
});

describe('hub mirror --key --prune', () => {
  it('removes the versions that are gone, and nothing that others have put there', () =>
    atMirror(async ({ home, mirror, item, folder }) => {
      const key = join(home, 'own.key');
      copyKey(key);
      await mirror('one', 'two', '--key', key);
      const others = ['publisher.asc', 'index.html', 'metadata.json', 'packages/mine/1.0.0/spec.json'];
      for (const path of others) {
        mkdirSync(dirname(join(folder, path)), { recursive: true });
        writeFileSync(join(folder, path), '{}');
      }
      const unsigned = await mirror('one');
      expect([unsigned.error?.code, unsigned.error?.message]).toEqual([
        'EXISTS',
        expect.stringMatching(/signed with/u),
      ]);
      const left = join(folder, '.cdapctl-mirror/removals.txt');
      // As if a killed run had come no further.
      mkdirSync(join(folder, 'packages/three/1.0.0'), { recursive: true });
      writeFileSync(join(folder, 'packages/three/1.0.0/spec.json'), '{}');
      writeFileSync(left, 'packages/three/1.0.0/spec.json');
      expect(item(await mirror('one', '--key', key, '--prune', '--confirm', '99'))).toMatchObject({
        failed: 0,
        removed: 1,
      });
      expect(others.filter((path) => !existsSync(join(folder, path)))).toEqual([]);
      expect(readdirSync(join(folder, 'packages')).sort()).toEqual(['mine', 'one']);
      expect(existsSync(left)).toBe(false);
    }));
});

describe('hub mirror --key', () => {
  it('tells key, number and validity of its index, and what to do with another key', () =>
    atMirror(async ({ home, mirror, item }) => {
      const [key, other] = [join(home, 'own.key'), join(home, 'other.key')];
      copyKey(key);
      copyFileSync(join(KEYS, 'rsa3072.secret.asc'), other);
      chmodSync(other, 0o600);
      const first = item(await mirror('one', '--key', key));
      const keys = [expect.stringMatching(/^[0-9A-F]{40}$/u)];
      expect(first).toMatchObject({ whole: false, signed: { keys, sequence: 1 } });
      expect(first).toHaveProperty('signed.expires', expect.stringMatching(/Z$/u));
      const { error } = await mirror('one', '--key', other);
      expect(error?.details.hints).toEqual(['also specify the key that signed this mirror, or use another folder']);
      expect((await mirror('one', '--key', key, '--key', other)).error).toBeUndefined();
    }));
});

describe('a new mirror on a machine that has seen a later state of the hub', () => {
  it('is told to begin with the latest bundle, which works', () =>
    atMirror(async ({ home, publish, mirror, load }) => {
      const [first, second, closed] = [join(home, 'b1.tar'), join(home, 'b2.tar'), join(home, 'closed')];
      await mirror('--bundle', first);
      await publish([plugin('one'), plugin('two'), plugin('three')]);
      await mirror('--bundle', second, '--since', first);
      const { error } = await load(first, closed);
      expect([error?.code, error?.details.hints]).toEqual([
        'ROLLBACK',
        [expect.stringMatching(/latest bundle first/u)],
      ]);
      expect((await load(second, closed)).error?.message).toMatch(/nothing is published until they are imported/u);
      expect((await load(first, closed)).error).toBeUndefined();
      expect(existsSync(join(closed, 'packages/three/1.0.0/spec.json'))).toBe(true);
    }));
});

describe('--dry-run', () => {
  it('says what would be done, not that it was', () =>
    atMirror(async ({ url, folder, run }) => {
      const text = (await run('hub:mirror', '--hub', url, '-D', folder, '--dry-run')).terminal.out.join('');
      expect(text).toMatch(/^to add one@1\.0\.0$/mu);
      expect(text).toMatch(/files? to fetch, /u);
    }));
});
