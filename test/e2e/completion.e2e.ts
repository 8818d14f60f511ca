import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { delimiter, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { shellWord } from '../../src/core/shell-word.js';
import { environmentOf, runCli, STARTER, withTempDir } from '../support/run-cli.js';
import { withUpgradeSite, type UpgradeSite } from '../support/upgrade-site.js';

const SEED = { namespaces: ['etl', 'sales'], pipelines: [{ count: 3 }] };
const complete = async (site: UpgradeSite, ...words: readonly string[]): Promise<readonly string[]> =>
  (await site.cdapctl(['complete', '--', ...words])).stdout.split('\n').slice(0, -1);

describe('completion', () => {
  it.each([
    ['a command', ['cont'], ['context']],
    ['a command of a group', ['context', 're'], ['remove', 'rename']],
    ['a command below a command', ['upgrade', 'ro'], ['rollback']],
    ['a flag', ['install', '--insec'], ['--insecure-skip-tls-verify']],
    ['a flag that can be taken back', ['context', 'set', 'x', '--no-p'], ['--no-progress', '--no-protected']],
    ['a value from a list', ['namespace', 'list', '-o', 'js'], ['json']],
    ['a value behind =', ['namespace', 'list', '--output=nd'], ['--output=ndjson']],
    ['a value behind = as bash splits it', ['namespace', 'list', '--output', '=', 'nd'], ['ndjson']],
    ['a file', ['upgrade', '-a', ''], [':files']],
    ['a shell', ['completion', 'po'], ['powershell']],
    ['nothing where a text stands', ['install', '--set', ''], []],
    ['nothing of an unknown command', ['nonsense', 'x', ''], []],
    ['no hidden command', ['comple'], ['completion']],
  ])('knows %s', (_, words, expected) =>
    withTempDir(async (home) => {
      const { stdout, stderr, code } = await runCli(['complete', '--', ...words], { home });
      expect([code, stderr, stdout.split('\n').slice(0, -1)]).toEqual([0, '', expected]);
    }),
  );

  it('knows names of contexts, hubs, namespaces and pipelines, and keeps those of the platform', () =>
    withUpgradeSite({ seed: SEED }, async (site) => {
      await site.cdapctl(['context', 'add', 'prod', '-u', site.url]);
      await site.cdapctl(['hub', 'add', 'corp', 'http://127.0.0.1:1/v2']);
      expect(await complete(site, 'context', 'use', '')).toEqual(['prod']);
      expect(await complete(site, 'dashboard', '--context=p')).toEqual(['--context=prod']);
      expect(await complete(site, 'hub', 'remove', 'c')).toEqual(['corp']);
      const namespaces = ['default', 'etl', 'sales'];
      expect(await complete(site, 'dashboard', '-n', '')).toEqual(namespaces);
      const pipelines = await complete(site, 'pipeline', 'show', 'pipe');
      expect(pipelines.length).toBeGreaterThan(1);
      expect(await complete(site, 'pipeline', 'show', 'default/pipe')).toEqual(
        pipelines.map((name) => `default/${name}`),
      );
      await site.forget();
      expect(await complete(site, 'dashboard', '-n', '')).toEqual(namespaces);
      expect(await site.requests()).toEqual([]);
    }));

  it('never waits for a platform that does not answer, and asks no program for a token', () =>
    withTempDir(async (home) => {
      const silent = createServer().listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const address = silent.address();
      const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
      const line = ['complete', '--', 'dashboard', '-u', url, '-n', ''];
      await runCli(line, { home });
      const started = performance.now();
      const { stdout, code } = await runCli(line, { home });
      expect([code, stdout]).toEqual([0, '']);
      expect(performance.now() - started).toBeLessThan(5000);
      let connections = 0;
      silent.on('connection', () => (connections += 1));
      await runCli(line, { home, env: { CDAPCTL_TOKEN_COMMAND: `touch ${join(home, 'asked')}` } });
      expect(connections).toBe(0);
      silent.close();
    }));

  it('works in bash', () =>
    withTempDir(async (home) => {
      mkdirSync(join(home, 'bin'));
      const starter = join(home, 'bin', 'cdapctl');
      writeFileSync(starter, `#!/bin/sh\nexec '${process.execPath}' '${STARTER}' "$@"\n`);
      chmodSync(starter, 0o755);
      await runCli(['context', 'add', 'prod', '-u', 'http://127.0.0.1:1'], { home });
      const words = (...line: readonly string[]): string => line.map(shellWord).join(' ');
      const ask = (...line: readonly string[]): string =>
        `COMP_WORDS=(cdapctl ${words(...line)}); COMP_CWORD=${line.length}; _cdapctl; echo "\${COMPREPLY[@]}"`;
      const script = [
        'source <(cdapctl completion bash)',
        ask('context', 'u'),
        ask('context', 'use', ''),
        ask('dashboard', '--context', '=', 'p'),
        'complete -p cdapctl',
      ].join('\n');
      const env = environmentOf(home);
      const path = `${join(home, 'bin')}${delimiter}${env['PATH'] ?? ''}`;
      const { stdout, stderr } = spawnSync('bash', ['-c', script], {
        cwd: home,
        env: { ...env, PATH: path },
        encoding: 'utf8',
      });
      expect([stdout.split('\n'), stderr]).toEqual([['use', 'prod', 'prod', 'complete -F _cdapctl cdapctl', ''], '']);
    }));

  it.each(['bash', 'zsh', 'fish', 'powershell'])('has a script for %s, which asks the tool', (shell) =>
    withTempDir(async (home) => {
      const { code, stdout } = await runCli(['completion', shell], { home });
      expect([code, stdout]).toEqual([0, expect.stringContaining('cdapctl complete -- ')]);
    }),
  );
});
