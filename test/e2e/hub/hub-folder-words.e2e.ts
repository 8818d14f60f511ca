import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, withTempDir } from '../../support/processes/run-cli.js';

/** A folder with a hub in `site/hub`, a tree without a catalog in `tree`, and one with neither. */
async function atFolder(test: (run: (...line: readonly string[]) => Promise<Shown>) => Promise<void>): Promise<void> {
  await withTempDir(async (home) => {
    for (const folder of ['site/hub', 'tree/packages', 'empty']) mkdirSync(join(home, folder), { recursive: true });
    for (const file of ['site/hub/packages.json', 'file']) writeFileSync(join(home, file), '[]');
    await test(async (...line) => {
      const { code, stderr } = await runCli(line, { home, cwd: home });
      const [message = '', ...more] = stderr.trimEnd().split('\n');
      return { code, message, tries: more.map((text) => text.replace(/^ *(?:try)? */u, '')) };
    });
  });
}

interface Shown {
  readonly code: number | undefined;
  readonly message: string;
  readonly tries: readonly string[];
}

const MIRROR = 'to copy a hub that is served: cdapctl hub mirror --hub NAME -D DIR';

describe('hub publish', () => {
  it.each([
    ['hub', 5, 'no folder at hub  [HUB_NOT_FOUND]', 'to create one: cdapctl hub init hub', MIRROR],
    ['file', 5, 'file is a file, not a folder  [HUB_NOT_FOUND]', MIRROR],
    ['https://hub.example.com/v2', 5, 'no folder at https://hub.example.com/v2  [HUB_NOT_FOUND]', MIRROR],
    [
      'tree',
      12,
      'tree has no packages.json, the catalog of a hub; nothing was published  [BAD_SOURCE]',
      'cdapctl hub build ./tree',
    ],
    [
      'site',
      12,
      'site has no packages.json, the catalog of a hub; nothing was published  [BAD_SOURCE]',
      'for the hub in it: ./site/hub',
    ],
    [
      'empty',
      12,
      'empty has no packages.json, the catalog of a hub; nothing was published  [BAD_SOURCE]',
      'a hub has packages.json and packages/NAME/VERSION/spec.json',
    ],
  ])('says of %s what it looked for, and what to do', (folder, code, message, ...tries) =>
    atFolder(async (run) => {
      const shown = await run('hub', 'publish', folder, './out');
      expect(shown).toEqual({ code, message: `Error: ${message}`, tries });
    }),
  );

  it('knows a target that was named in place of the folder of the hub', () =>
    withTempDir(async (home) => {
      writeFileSync(join(home, 'packages.json'), '[]');
      const { stderr } = await runCli(['hub', 'publish', 'public'], { home, cwd: home });
      expect(stderr).toContain('cdapctl hub publish . ./public');
      expect(stderr).not.toContain('hub init');
      const command = await runCli(['hub', 'publish', 'public', '--command', 'put {path}'], { home, cwd: home });
      expect(command.stderr).toContain('to create one: cdapctl hub init public');
    }));
});

describe('hub verify', () => {
  it('tells of a folder that has the name of what cannot be used with --all', () =>
    atFolder(async (run) => {
      const shown = await run('hub', 'verify', 'tree', '--all');
      expect(shown).toEqual({
        code: 2,
        message: 'Error: a package and --all cannot be used together  [USAGE]',
        tries: ['for the folder: ./tree'],
      });
      expect((await run('hub', 'verify', 'none', '--all')).tries).toEqual([]);
    }));
});
