import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hubPackage, serveHub, signedHub, type ServedHub } from '../support/sites/hub-tree.js';
import { runCli, withTempDir } from '../support/processes/run-cli.js';

/** A hub with one package and a catalog of which so many bytes are blanks. */
async function served(blanks: number): Promise<{ hub: ServedHub; key: string }> {
  const { files, key } = await signedHub({ packages: [hubPackage()], index: false });
  const catalog = files.get('packages.json')?.toString() ?? '';
  files.set('packages.json', Buffer.from(catalog.padEnd(blanks)));
  return { hub: await serveHub(files), key: key.publicKey };
}

describe('compiled code that a run has kept', () => {
  it.each([
    {
      what: 'with a request of it',
      blanks: 0,
      line: ['hub', 'verify', 'test-package', '--keyring', 'key.asc'],
      kept: 2,
    },
    { what: 'with a large catalog', blanks: 8_100_000, line: ['hub', 'list'], kept: 1 },
    {
      what: 'with a large catalog before it',
      blanks: 8_100_000,
      line: ['hub', 'verify', 'test-package', '--keyring', 'key.asc'],
      kept: 2,
    },
  ])('is taken by the next one, also by one $what: $line.1', async ({ blanks, line, kept }) => {
    const { hub, key } = await served(blanks);
    try {
      await withTempDir(async (home) => {
        await writeFile(join(home, 'key.asc'), key);
        const folder = join(home, '.cache/cdapctl/code');
        const files = async (): Promise<unknown[]> => {
          const all = (await readdir(folder)).sort().map(async (name) => {
            const { ino, mtimeMs } = await stat(join(folder, name));
            return [name, ino, mtimeMs];
          });
          return Promise.all(all);
        };
        const run = () => runCli([...line, '--hub', hub.url], { home, cold: true });
        const { code } = await run();
        const first = await files();
        expect(first).toHaveLength(kept);
        expect((await run()).code).toBe(code);
        expect(await files()).toEqual(first);
      });
    } finally {
      await hub.close();
    }
  });
});
