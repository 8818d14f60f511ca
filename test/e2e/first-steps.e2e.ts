import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { hubKey } from '../support/sites/hub-tree.js';
import { runCli, withTempDir, type RunOptions, type RunResult } from '../support/processes/run-cli.js';

type Run = (line: string, options?: RunOptions) => Promise<RunResult>;

/** Runs command lines in a home of their own. */
const inHome = (use: (run: Run, home: string) => Promise<void>): Promise<void> =>
  withTempDir((home) => use((line, options) => runCli(line.split(' '), { home, ...options }), home));

describe.concurrent('before anything is configured', () => {
  it.each([
    ['context show', 5, 'cdapctl context add NAME --url'],
    ['context add x', 2, 'usage  cdapctl context add NAME --url URL [flags]'],
    ['context add x --url http://127.0.0.1:1 --hub nosuch', 5, 'hub "nosuch" not found'],
    ['hub key list', 0, 'no trusted keys. Add one: cdapctl hub key add FILE --hub NAME'],
    ['hub add x hub.example.com/v2', 2, 'https://hub.example.com/v2'],
    ['hub list --action-type nonsense', 2, 'one_step_deploy_plugin'],
    ['install x --detailed-exitcode', 2, '--detailed-exitcode needs --dry-run'],
    ['installed uninstall x --detailed-exitcode', 2, '--detailed-exitcode needs --dry-run'],
  ])('`%s` ends with %d and says what to do', async (line, exit, words) => {
    await inHome(async (run) => {
      const { code, stderr } = await run(line);
      expect(stderr).toContain(words);
      expect(code).toBe(exit);
    });
  });

  it('writes an error in YAML to those who read YAML', async () => {
    await inHome(async (run) => {
      const { code, stdout, stderr } = await run('context show -o yaml');
      expect([code, stderr]).toEqual([5, '']);
      expect(stdout).toMatch(/^schemaVersion: 1\nkind: Error\nerror:\n {2}code: NOT_FOUND\n/u);
      expect(parse(stdout)).toMatchObject({ error: { exitCode: 5 }, item: null });
    });
  });
});

describe('a hub in a folder', () => {
  it('is kept by its whole path, and its keys are listed until they are removed, too', async () => {
    await inHome(async (run, home) => {
      await mkdir(join(home, 'my-hub'));
      await writeFile(join(home, 'my-hub', 'packages.json'), '[]');
      const url = pathToFileURL(join(await realpath(home), 'my-hub')).href;
      expect((await run('hub add local ./my-hub')).stdout).toBe(`Added hub local (${url})\n`);
      expect((await run('context add here --url http://127.0.0.1:1 --hub ./my-hub')).code).toBe(0);
      expect((await run('context show here')).stdout).toContain(url);

      const { publicKey, fingerprint } = await hubKey();
      const line = `hub key add - --hub local --fingerprint ${fingerprint} --packages acme-*`;
      const added = await run(line, { stdin: publicKey });
      expect(added.stderr).toMatch(/^warning: this key verifies packages "acme-\*" of hub local only/u);
      expect(added.code).toBe(0);

      expect((await run(`hub add same ${url}/v2`)).code).toBe(0);
      const same = await run('hub remove same -y');
      expect(same.stderr).toBe('its trusted keys were kept: hub local has the same URL\n');

      const removed = await run('hub remove local -y');
      const remedy = `cdapctl hub key remove ${fingerprint} --hub ${url} -y`;
      expect(removed.stderr).toContain(`still trusted for ${url}: 1 key`);
      expect(removed.stderr).toContain(`  ${remedy}\n`);

      await run('context remove here -y');
      expect((await run('hub key list')).stdout).toContain(`${url}  ${fingerprint}  good`);
      expect((await run(remedy.replace('cdapctl ', ''))).code).toBe(0);
      expect((await run('hub key list --no-header')).stdout).toBe('');
    });
  });
});
