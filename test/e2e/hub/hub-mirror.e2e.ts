import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hubKey, hubPackage, serveHub, signedHub, writeHubTree } from '../../support/sites/hub-tree.js';
import { runInProcess } from '../../support/processes/in-process.js';
import { runCli, withTempDir } from '../../support/processes/run-cli.js';

const NOW = Date.now();

describe('hub mirror', () => {
  it('shows a reader of the folder the old hub or the new one, never a part, and says what it did', () =>
    withTempDir(async (home) => {
      const key = await hubKey({ now: NOW - 1000 });
      writeFileSync(join(home, 'key.asc'), key.publicKey);
      const files = new Map<string, Buffer>();
      const hub = await serveHub(files);
      try {
        const run = (...line: readonly string[]) => runCli(line, { home, cwd: home });
        const pinned = await run('hub', 'key', 'add', 'key.asc', '--hub', hub.url, '--fingerprint', key.fingerprint);
        expect(pinned.code).toBe(0);
        const seen = new Set<string>();
        for (const sequence of [1, 2, 3, 4]) {
          const packages = Array.from({ length: sequence * 3 }, (_, at) => hubPackage({ name: `package-${at}` }));
          const made = await signedHub({ packages: packages.slice(sequence - 1), key, now: NOW, sequence });
          files.clear();
          for (const [name, bytes] of made.files) files.set(name, bytes);
          const over = new AbortController();
          const mirrored = run('hub', 'mirror', '--hub', hub.url, '-D', './mirror').finally(() => {
            over.abort();
          });
          while (!over.signal.aborted) {
            const line = [join(home, 'mirror'), '--all', '--strict', '--keyring', join(home, 'key.asc')];
            const { error } = await runInProcess('hub:verify', line, home);
            seen.add(error === undefined ? 'whole' : `${error.code}: ${error.message}`);
          }
          const { code, stdout, stderr } = await mirrored;
          expect([code, stderr]).toEqual([0, expect.not.stringContaining('warning')]);
          expect(stdout).toContain(`index ${sequence} of the hub`);
          for (const name of ['packages.json', 'categories.json', 'index.json', 'index.json.asc'])
            expect(readFileSync(join(home, 'mirror', name))).toEqual(files.get(name));
        }
        const none = `HUB_NOT_FOUND: `;
        expect([...seen].filter((state) => state !== 'whole' && !state.startsWith(none))).toEqual([]);
        expect(seen).toContain('whole');
      } finally {
        await hub.close();
      }
    }));

  it('writes no bundle into the mirror, by whatever path it is named', () =>
    withTempDir(async (home) => {
      const { files } = await signedHub({ packages: [hubPackage({ name: 'one' })] });
      await writeHubTree(join(home, 'hub'), files);
      const mirror = (...more: readonly string[]) =>
        runCli(['hub', 'mirror', '--hub', './hub', '-D', './mirror', ...more], { home, cwd: home });
      expect((await mirror()).code).toBe(0);
      symlinkSync('mirror', join(home, 'link'));
      for (const file of ['mirror/hub.tar', 'link/hub.tar']) {
        const { code, stderr } = await mirror('--bundle', file);
        expect([code, stderr]).toEqual([2, expect.stringContaining(`the bundle ${file} must be outside the mirror`)]);
      }
      expect((await mirror('--bundle', 'hub.tar')).code).toBe(0);
    }));
});
