import { chmodSync, copyFileSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hubKey, hubPackage, serveHub, signedHub, writeHubTree } from '../../support/sites/hub-tree.js';
import { runInProcess } from '../../support/processes/in-process.js';
import { ROOT, runCli, withTempDir } from '../../support/processes/run-cli.js';

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
      const serve = 'next: cdapctl hub serve ./mirror\n';
      expect(await mirror()).toMatchObject({ code: 0, stderr: expect.stringContaining(serve) as string });
      expect((await mirror()).stderr).not.toContain(serve);
      symlinkSync('mirror', join(home, 'link'));
      for (const file of ['mirror/hub.tar', 'link/hub.tar']) {
        const { code, stderr } = await mirror('--bundle', file);
        expect([code, stderr]).toEqual([2, expect.stringContaining(`the bundle ${file} must be outside the mirror`)]);
      }
      expect((await mirror('--bundle', 'hub.tar')).code).toBe(0);
    }));

  it('takes the hub from a lock file where two are configured, unless the line names one', () =>
    withTempDir(async (home) => {
      const run = (...line: readonly string[]) => runCli(line, { home, cwd: home });
      const { files } = await signedHub({ packages: [hubPackage({ name: 'one' })] });
      for (const name of ['corp', 'lab']) {
        await writeHubTree(join(home, name), files);
        expect((await run('hub', 'add', name, `./${name}`)).code).toBe(0);
      }
      expect((await run('hub', 'lock', 'one', '--hub', 'lab')).code).toBe(0);
      const mirror = async (folder: string, ...more: readonly string[]) => {
        const line = ['hub', 'mirror', '--lock', 'packages.lock', '-D', folder, '--json', ...more];
        const { code, stdout } = await run(...line);
        return [code, (JSON.parse(stdout) as { item?: { hub: string } }).item?.hub];
      };
      expect(await mirror('./locked')).toEqual([0, 'lab']);
      expect(await mirror('./named', '--hub', 'corp')).toEqual([0, 'corp']);
    }));

  it('makes no unsigned mirror of a hub that signs its index only, where signatures are required', () =>
    withTempDir(async (home) => {
      const run = (...line: readonly string[]) => runCli(line, { home, cwd: home });
      const { files } = await signedHub({ packages: [hubPackage({ name: 'one' })] });
      const unsigned = [...files].filter(([name]) => !name.endsWith('.asc') && name !== 'index.json');
      await writeHubTree(join(home, 'hub'), new Map(unsigned));
      const key = join(home, 'key.asc');
      copyFileSync(join(ROOT, 'test/fixtures/keys/signing/ed25519.secret.asc'), key);
      chmodSync(key, 0o600);
      const signed = await run('hub', 'sign', './hub', '--index-only', '--key', key);
      expect([signed.code, signed.stderr]).toEqual([0, expect.anything()]);
      const pub = join(ROOT, 'test/fixtures/keys/signing/ed25519.public.asc');
      const fingerprint = (JSON.parse(readFileSync(join(home, 'hub/index.json'), 'utf8')) as { keys: string[] })
        .keys[0];
      const added = await run('hub', 'key', 'add', pub, '--hub', './hub', '--fingerprint', fingerprint ?? '');
      expect([added.code, added.stderr]).toEqual([0, expect.anything()]);
      const mirror = (folder: string, ...more: readonly string[]) =>
        run('hub', 'mirror', 'one', '--hub', './hub', '-D', folder, ...more);
      const refused = await mirror('./refused', '--verify', 'require');
      expect([refused.code, refused.stderr]).toEqual([9, expect.stringContaining('--key FILE')]);
      expect(existsSync(join(home, 'refused'))).toBe(false);
      const warned = await mirror('./warned', '--verify', 'warn');
      expect([warned.code, warned.stderr]).toEqual([0, expect.stringContaining('this mirror is unsigned')]);
      const own = await mirror('./signed', '--key', key);
      expect([own.code, own.stderr]).toEqual([0, expect.not.stringContaining('unsigned')]);
      expect(existsSync(join(home, 'signed/packages/one/1.0.0/spec.json.asc'))).toBe(true);
    }));
});
