import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, withTempDir } from '../../support/processes/run-cli.js';

describe('hub init', () => {
  it('makes a tree that is checked and built at once, and overwrites nothing', () =>
    withTempDir(async (home) => {
      const run = (...line: readonly string[]) => runCli(['hub', ...line], { home, cwd: home });
      const made = await run('init', './new', '--name', 'acme-tools', '--json');
      const files = ['.gitignore', 'README.md', 'packages/acme-tools/1.0.0/spec.json'];
      expect(JSON.parse(made.stdout)).toMatchObject({ kind: 'HubTree', item: { files } });
      expect(made.stderr).toBe('');
      expect((await run('init', './people')).stderr).toBe('next: cdapctl hub pack FILE.jar -D ./people\n');
      for (const [text, isSafe] of [
        ['node_modules\n', false],
        ['dist\r\n*.key\r\n', true],
      ] as const) {
        rmSync(join(home, 'people/packages'), { recursive: true });
        writeFileSync(join(home, 'people/.gitignore'), text);
        const checkout = await run('init', './people');
        expect([checkout.code, checkout.stderr.includes('note: add the line *.key to .gitignore')]).toEqual([
          0,
          !isSafe,
        ]);
      }
      const linted = await run('lint', './new', '--json');
      const { items } = JSON.parse(linted.stdout) as { items: { rule: string; message: string }[] };
      expect([linted.code, items.map(({ rule, message }) => `${rule} ${message.split(' ')[0]}`)]).toEqual([
        0,
        ['PLACEHOLDER description', 'PLACEHOLDER author', 'PLACEHOLDER org'],
      ]);
      expect((await run('build', './new', '--strict')).code).toBe(0);
      const list = await run('list', '--hub', './new', '-o', 'name');
      expect(list.stdout).toContain('acme-tools');
      const spec = readFileSync(join(home, 'new', files[2] ?? ''));
      const again = await run('init', './new', '--name', 'other');
      expect([again.code, again.stderr]).toEqual([6, expect.stringContaining('./new is already a hub')]);
      expect(again.stderr).toContain('to add a package: cdapctl hub pack FILE.jar -D ./new');
      expect(existsSync(join(home, 'new/packages/other'))).toBe(false);
      expect(readFileSync(join(home, 'new', files[2] ?? ''))).toEqual(spec);
      for (const folder of ['./new/packages', 'new/packages/']) {
        const inside = await run('init', folder);
        expect([inside.code, inside.stderr]).toEqual([2, expect.stringContaining('use the folder that it is in')]);
      }
      expect(existsSync(join(home, 'new/packages/packages'))).toBe(false);
      for (const name of ['../x', 'bad name', '-x'])
        expect((await run('init', './two', `--name=${name}`)).code).toBe(2);
      expect(existsSync(join(home, 'two'))).toBe(false);
      expect(again.stderr).not.toContain('--clobber');
    }));

  it.each([
    ['init', 'file', 2],
    ['pack', 'a.jar', '-D', 'file', 2],
    ['build', 'file', 5],
    ['lint', 'file', 5],
    ['sign', 'file', '--key', 'x', 5],
    ['serve', 'file', 5],
  ] as const)('says that a file is no folder, as does hub %s', (...row) =>
    withTempDir(async (home) => {
      writeFileSync(join(home, 'file'), '');
      const line = row.filter((word) => typeof word === 'string');
      const { code, stderr } = await runCli(['hub', ...line], { home, cwd: home });
      expect([code, stderr]).toEqual([row.at(-1), expect.stringContaining('Error: file is a file, not a folder')]);
    }),
  );

  it.each([
    ['publish', './hub', 'http://me:secret@localhost:1/'],
    ['pack', 'a.jar', '-D', 'https://host/x'],
    ['init', 'https://host/x'],
    ['mirror', '-D', 's3://bucket/x'],
    ['build', './hub', '--out', 's3://bucket/x'],
  ])('makes no folder of a URL, nor does hub %s', (...line) =>
    withTempDir(async (home) => {
      const { code, stderr } = await runCli(['hub', ...line], { home, cwd: home });
      expect([code, stderr]).toEqual([2, expect.stringContaining('is a URL, not a folder')]);
      expect(stderr).not.toContain('secret');
      expect(readdirSync(home).filter((name) => name.endsWith(':'))).toEqual([]);
    }),
  );
});
