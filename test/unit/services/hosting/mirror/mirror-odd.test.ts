import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readManifest } from '../../../../../src/services/hosting/mirror/bundle/manifest.js';
import { atMirror, plugin, treeOf } from '../../../../support/sites/mirror-site.js';

const ODD = ['', '.', '..', '../up', 'a/b', 'a\\b', '%2e%2e', 'a\u0007b', 'a\nb', '\u001b[31mred', 'CON', '.git'];
const LONG = ['x'.repeat(201), '中'.repeat(100), 'y'.repeat(100_000)];

describe('the icon of a category with an odd name', () => {
  it('is left out, with a short warning, and those of others are mirrored', () =>
    atMirror(
      async ({ home, files, mirror, tree }) => {
        const names = [...ODD, ...LONG, 'fine'];
        files.set('categories.json', Buffer.from(JSON.stringify(names.map((name) => ({ name, hasIcon: true })))));
        files.set('categories/fine/icon.png', Buffer.from('an icon'));
        const { error, terminal } = await mirror('--verify', 'off');
        expect(error).toBeUndefined();
        const warnings = terminal.warnings.filter(({ code }) => code === 'BAD_NAME');
        expect(warnings.map(({ message }) => message.length > 400)).toEqual(names.slice(1).map(() => false));
        expect(warnings.filter(({ message }) => /[\u0000-\u001f]/u.test(message))).toEqual([]);
        expect(warnings[1]?.message).toBe('the icon of a category cannot be mirrored: the name "." begins with a dot');
        expect([...tree().keys()].filter((path) => path.startsWith('categories/'))).toEqual([
          'categories/fine/icon.png',
        ]);
        expect(readdirSync(home)).not.toContain('up');
      },
      { index: false, trusted: false },
    ));
});

describe('the manifest of a bundle', () => {
  const manifest = (path: string) =>
    Buffer.from(
      JSON.stringify({
        ...{ format: 1, base: 'https://hub.example.com/v2', created: '2026-01-01T00:00:00Z', whole: true },
        files: [{ path, size: 1, sha256: 'a'.repeat(64) }],
      }),
    );
  const places = (name: string): readonly string[] => [
    name,
    `packages/${name}/1.0.0/spec.json`,
    `packages/one/${name}/spec.json`,
    `packages/one/1.0.0/${name}`,
    `categories/${name}/icon.png`,
    `categories/example/${name}`,
  ];

  it('lists no file with an odd name, wherever it is', () => {
    for (const path of [...ODD, ...LONG].flatMap(places)) {
      let message = 'it was read';
      try {
        readManifest(manifest(path), 'hub.tar');
      } catch (error) {
        message = String(error);
      }
      expect([path.slice(0, 300), message]).toEqual([
        path.slice(0, 300),
        `CliError: hub.tar is not a valid bundle: ${JSON.stringify(path.slice(0, 200))} is not a file of a hub`,
      ]);
      expect(message).not.toMatch(/[\u0000-\u001f]/u);
    }
  });

  it('lists files with names as hubs have them', () => {
    for (const path of [...places('x'.repeat(200)), ...places('Größe 1.0+x')])
      expect(readManifest(manifest(path), 'hub.tar').files.map((file) => file.path)).toEqual([path]);
  });
});

describe('a hub that publishes its catalogs and its index one by one', () => {
  const FRONT = ['categories.json', 'packages.json', 'index.json.asc', 'index.json'];

  it.each(FRONT)('is mirrored as it was or as it is, where %s is the last that has come', (last) =>
    atMirror(async ({ home, files, folder, publish, mirror, run, tree }) => {
      const verify = async () =>
        (await run('hub:verify', folder, '--all', '--strict', '--keyring', join(home, 'key.asc'))).error;
      expect((await mirror()).error).toBeUndefined();
      const [old, before] = [new Map(files), tree()];
      await publish([plugin('one'), plugin('three')]);
      const whole = new Map(files);
      for (const path of FRONT.slice(FRONT.indexOf(last) + 1)) files.set(path, old.get(path) ?? Buffer.of());
      const { error } = await mirror('--prune', '--confirm', '99');
      expect(await verify()).toBeUndefined();
      // Its categories are the same in both.
      const isWhole = last === 'categories.json' || last === 'index.json';
      expect([error?.exitCode, tree().has('packages/three/1.0.0/spec.json')]).toEqual([
        isWhole ? undefined : 9,
        last === 'index.json',
      ]);
      if (last !== 'index.json') expect([...tree()]).toEqual([...before]);
      files.clear();
      for (const [path, bytes] of whole) files.set(path, bytes);
      expect((await mirror('--prune', '--confirm', '99')).error).toBeUndefined();
      expect([...treeOf(folder)].length).toBe(whole.size);
      expect(existsSync(join(folder, 'packages/two'))).toBe(false);
    }),
  );
});
