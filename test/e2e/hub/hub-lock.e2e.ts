import { EventEmitter, once } from 'node:events';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/emulator/start.js';
import { hubKey, hubPackage, pluginSpec, signedHub, writeHubTree } from '../../support/sites/hub-tree.js';
import { runCli, withTempDir, type RunResult } from '../../support/processes/run-cli.js';

let platform: Awaited<ReturnType<typeof startEmulator>>;
beforeAll(async () => {
  platform = await startEmulator({ port: 0, hubPort: 0, seed: {} });
});
afterAll(() => platform.close());

const noted = (text: string) => ({
  spec: {
    actions: [{ type: 'informational', label: 'Note', arguments: [{ name: 'steps', value: [text] }] }],
  },
  resources: { 'data.txt': text },
});

interface Site {
  readonly home: string;
  readonly run: (...line: readonly string[]) => Promise<RunResult>;
  /** The hub serves these bytes in a file from now on. */
  readonly change: (file: string, text: string) => void;
  readonly read: () => string;
}

/** A hub in a folder with the packages `one` in two versions and `two`; nothing is signed. */
async function atSite(test: (site: Site) => Promise<void>): Promise<void> {
  await withTempDir(async (home) => {
    const packages = [
      hubPackage({ name: 'one', version: '1.0.0', ...noted('first') }),
      hubPackage({ name: 'one', version: '2.0.0', ...noted('second') }),
      hubPackage({ name: 'two', version: '1.0.0', ...noted('other') }),
    ];
    const { files } = await signedHub({ packages });
    await writeHubTree(join(home, 'hub'), files);
    const run: Site['run'] = (...line) => runCli(line, { home, cwd: home });
    expect((await run('context', 'add', 'here', '-u', platform.url)).code).toBe(0);
    expect((await run('hub', 'add', 'corp', join(home, 'hub'))).code).toBe(0);
    const change: Site['change'] = (file, text) => {
      writeFileSync(join(home, 'hub/packages', file), text);
    };
    await test({ home, run, change, read: () => readFileSync(join(home, 'packages.lock'), 'utf8') });
  });
}

describe('a lock file', () => {
  it('pins version and files, says with 14 when it would change, and stays as it is otherwise', () =>
    atSite(async ({ home, run, change, read }) => {
      expect((await run('hub', 'lock', 'one@1.0.0', '--check')).code).toBe(14);
      expect((await run('hub', 'lock', 'two@1.0.0', 'one@1.0.0')).code).toBe(0);
      const before = read();
      const { lockVersion, packages } = JSON.parse(before) as {
        lockVersion: number;
        packages: { name: string; version: string; hub: string; files: { name: string }[] }[];
      };
      expect([lockVersion, packages.map(({ name, version }) => `${name}@${version}`)]).toEqual([
        1,
        ['one@1.0.0', 'two@1.0.0'],
      ]);
      expect(packages[0]).toMatchObject({ hub: pathToFileURL(join(home, 'hub')).href });
      expect(packages[0]?.files.map(({ name }) => name)).toEqual(expect.arrayContaining(['data.txt', 'spec.json']));
      const again = await run('hub', 'lock', 'one@1.0.0', 'two@1.0.0', '--json');
      expect(JSON.parse(again.stdout)).toMatchObject({ item: { state: 'unchanged' } });
      expect([(await run('hub', 'lock', 'one@2.0.0', '--check')).code, read()]).toEqual([14, before]);
      // A release does not change: what was seen is remembered.
      change('one/1.0.0/data.txt', 'changed');
      expect([(await run('hub', 'lock', 'one@1.0.0', 'two@1.0.0')).code, read()]).toEqual([9, before]);
      expect((await run('hub', 'lock', './hub')).code).toBe(2);
    }));

  it('pins the highest version of every package with --all', () =>
    atSite(async ({ run, read }) => {
      expect((await run('hub', 'lock', '--all')).code).toBe(0);
      const { packages } = JSON.parse(read()) as { packages: { name: string; version: string }[] };
      expect(packages.map(({ name, version }) => `${name}@${version}`)).toEqual(['one@2.0.0', 'two@1.0.0']);
      expect((await run('hub', 'lock', '--all', '--check')).code).toBe(0);
      for (const wrong of [
        ['hub', 'lock'],
        ['hub', 'lock', 'one', '--all'],
      ])
        expect(await run(...wrong)).toMatchObject({ code: 2 });
    }));

  it('asks once for the catalog and the index, however many packages --all pins, and tells what it leaves out', () =>
    atSite(async ({ home, run, read }) => {
      const listed = JSON.parse(readFileSync(join(home, 'hub/packages.json'), 'utf8')) as object[];
      writeFileSync(join(home, 'hub/packages.json'), JSON.stringify([...listed, { name: 'bare' }]));
      const asked: string[] = [];
      const server = createServer((request, response) => {
        asked.push(request.url ?? '');
        const path = join(home, 'hub', (request.url ?? '').replace(/^\/v2\//u, ''));
        response.statusCode = existsSync(path) ? 200 : 404;
        response.end(existsSync(path) ? readFileSync(path) : '');
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`;
      const { code, stderr } = await run('hub', 'lock', '--all', '--hub', url);
      expect([code, stderr]).toEqual([0, expect.stringContaining('1 entry of the catalog')]);
      server.close();
      const { packages } = JSON.parse(read()) as { packages: { hub: string; name: string }[] };
      expect(packages.map(({ hub, name }) => [hub, name])).toEqual([
        [url, 'one'],
        [url, 'two'],
      ]);
      const count = (file: string): number => asked.filter((path) => path.endsWith(`/${file}`)).length;
      // Once for the packages, and once as a file of the hub.
      expect([count('packages.json'), count('index.json')]).toEqual([2, 1]);
    }));

  it('lets install take the pinned version only, and no file that is another one, whatever is signed', () =>
    atSite(async ({ run, change, home }) => {
      const none = await run('install', 'one', '--locked', '-y');
      expect([none.code, none.stderr]).toEqual([15, expect.stringContaining('cdapctl hub lock one')]);
      expect((await run('hub', 'lock', 'one@1.0.0')).code).toBe(0);
      const installed = await run('install', 'one', '--locked', '-y');
      expect([installed.code, installed.stderr]).toEqual([0, expect.stringContaining('one 1.0.0')]);
      const other = await run('install', 'one@2.0.0', '--locked', '-y');
      expect([other.code, other.stderr]).toEqual([9, expect.stringContaining('packages.lock does not pin one@2.0.0')]);
      expect((await run('install', './hub/packages/one/1.0.0', '--locked', '-y')).code).toBe(2);
      expect((await run('install', '-y')).code).toBe(2);
      const spec = readFileSync(join(home, 'hub/packages/one/1.0.0/spec.json'), 'utf8');
      change('one/1.0.0/spec.json', spec.replace('first', 'swapped'));
      for (const line of [
        ['one', '--locked'],
        ['one', '--locked', '--verify', 'off'],
        ['-f', 'packages.lock'],
      ]) {
        const { code, stderr } = await run('install', ...line, '-y');
        expect([code, stderr], line.join(' ')).toEqual([
          9,
          expect.stringContaining('spec.json is not the file that the lock file pins'),
        ]);
      }
      expect((await run('install', 'one@1.0.0', '--verify', 'off', '-y')).code).toBe(0);
      change('one/1.0.0/spec.json', spec);
      writeFileSync(join(home, 'packages.lock'), '{"lockVersion":2}');
      expect((await run('install', 'one', '--locked', '-y')).code).toBe(12);
    }));

  it('keeps what else it pins, and says what it adds and raises', () =>
    atSite(async ({ run, read }) => {
      const pins = () => (JSON.parse(read()) as { packages: { name: string; version: string }[] }).packages;
      expect((await run('hub', 'lock', 'one@1.0.0')).stdout).toContain('one: added 1.0.0');
      const second = await run('hub', 'lock', 'two');
      expect([second.code, second.stdout]).toEqual([0, expect.stringContaining('two: added 1.0.0')]);
      expect(second.stdout).not.toContain('one: ');
      const raised = await run('hub', 'lock', 'one', '--check');
      expect([raised.code, raised.stdout]).toEqual([14, expect.stringContaining('one: 1.0.0 -> 2.0.0')]);
      expect((await run('hub', 'lock', 'one')).code).toBe(0);
      expect(pins().map(({ name, version }) => `${name}@${version}`)).toEqual(['one@2.0.0', 'two@1.0.0']);
      const again = await run('hub', 'lock', 'one', 'two', '--json');
      expect(JSON.parse(again.stdout)).toMatchObject({ item: { state: 'unchanged', changes: [] } });
    }));

  it('is of the hub that the line names, else of the configured hub at its address', () =>
    atSite(async ({ home, run, change }) => {
      expect((await run('hub', 'lock', 'one@1.0.0')).code).toBe(0);
      cpSync(join(home, 'hub'), join(home, 'mirror'), { recursive: true });
      expect((await run('hub', 'add', 'mirror', join(home, 'mirror'))).code).toBe(0);
      const hubOf = async (...line: readonly string[]) => {
        const { code, stdout } = await run('install', ...line, '--dry-run', '--json');
        return [code, (JSON.parse(stdout) as { item?: { package: { hub: string } } }).item?.package.hub];
      };
      expect(await hubOf('one', '--locked')).toEqual([0, 'corp']);
      expect(await hubOf('one', '--locked', '--hub', 'mirror')).toEqual([0, 'mirror']);
      expect(await hubOf('-f', 'packages.lock', '--hub', 'mirror')).toEqual([0, 'mirror']);
      expect(await hubOf('mirror/one', '--locked')).toEqual([0, 'mirror']);
      change('../../mirror/packages/one/1.0.0/data.txt', 'other');
      const spec = readFileSync(join(home, 'mirror/packages/one/1.0.0/spec.json'), 'utf8');
      change('../../mirror/packages/one/1.0.0/spec.json', `${spec} `);
      expect((await run('install', 'one', '--locked', '--hub', 'mirror', '-y')).code).toBe(9);
    }));

  it('is recognised in place of a values file, and named in what helps', () =>
    atSite(async ({ home, run, change }) => {
      expect((await run('hub', 'lock', 'one@1.0.0', '-O', 'etl.lock')).code).toBe(0);
      const installed = await run('install', 'one', '-f', 'etl.lock', '-y');
      expect([installed.code, installed.stderr]).toEqual([0, expect.stringContaining('one 1.0.0')]);
      const other = await run('install', 'two', '-f', 'etl.lock', '-y');
      expect([other.code, other.stderr]).toEqual([9, expect.stringContaining('cdapctl hub lock two -O etl.lock')]);
      const spec = readFileSync(join(home, 'hub/packages/one/1.0.0/spec.json'), 'utf8');
      change('one/1.0.0/spec.json', `${spec} `);
      for (const line of [
        ['install', '-f', 'etl.lock', '-y'],
        ['hub', 'mirror', '--lock', 'etl.lock', '-D', 'copy', '-y'],
      ]) {
        const { code, stderr } = await run(...line);
        expect([code, stderr], line.join(' ')).toEqual([
          9,
          expect.stringContaining('cdapctl hub lock one@1.0.0 -O etl.lock'),
        ]);
      }
    }));

  it('keeps the pins that another run writes meanwhile', () =>
    atSite(async ({ home, run, read }) => {
      const [asked, answered] = [new EventEmitter(), new EventEmitter()];
      const server = createServer((request, response) => {
        const path = join(home, 'hub', (request.url ?? '').replace(/^\/v2\//u, ''));
        const answer = (): void => {
          response.statusCode = existsSync(path) ? 200 : 404;
          response.end(existsSync(path) ? readFileSync(path) : '');
        };
        if (!path.endsWith('one/1.0.0/spec.json')) {
          answer();
          return;
        }
        answered.once('go', answer);
        asked.emit('spec');
      });
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2`;
      const isAsked = once(asked, 'spec');
      const first = run('hub', 'lock', 'one@1.0.0', '--hub', url);
      await isAsked;
      expect((await run('hub', 'lock', 'two@1.0.0', '--hub', url)).code).toBe(0);
      answered.emit('go');
      expect((await first).code).toBe(0);
      server.close();
      const names = (): readonly string[] =>
        (JSON.parse(read()) as { packages: { name: string }[] }).packages.map(({ name }) => name);
      expect(names()).toEqual(['one', 'two']);
      for (const _ of Array(3)) {
        rmSync(join(home, 'packages.lock'));
        const both = await Promise.all(['one@1.0.0', 'two@1.0.0'].map((name) => run('hub', 'lock', name)));
        expect(both.map(({ code }) => code)).toEqual([0, 0]);
        expect(names()).toEqual(['one', 'two']);
      }
    }));

  it('is installed as a whole by -f, and nothing of it if one package is another one', () =>
    atSite(async ({ home, run, change }) => {
      expect((await run('hub', 'lock', 'one@1.0.0', 'two', '-O', 'etl.lock')).code).toBe(0);
      const { code, stderr } = await run('install', '-f', 'etl.lock', '-y');
      expect([code, stderr]).toEqual([0, expect.stringMatching(/one 1\.0\.0[^]*two 1\.0\.0/u)]);
      const asList = async () => JSON.parse((await run('install', '-f', 'etl.lock', '-y', '--json')).stdout) as object;
      const [first, second] = [{ package: { name: 'one' } }, { package: { name: 'two' } }];
      expect(await asList()).toMatchObject({ kind: 'InstallResultList', items: [first, second] });
      const csv = await run('install', '-f', 'etl.lock', '-y', '-o', 'csv');
      expect(csv.stdout.match(/^[^,\n]+/gmu)).toEqual(['package', 'one@1.0.0', 'two@1.0.0']);
      const events = await run('install', '-f', 'etl.lock', '-y', '-o', 'ndjson');
      expect(events.stdout.trimEnd().split('\n').slice(-1)).toEqual([expect.stringContaining('"InstallResultList"')]);
      rmSync(join(home, 'hub/packages/two'), { recursive: true });
      change('one/1.0.0/data.txt', 'not asked for by an install');
      expect((await run('install', '-f', 'etl.lock', '-y')).code).toBe(5);
      const { item, ...none } = (await asList()) as { item?: object };
      expect([item, none]).toEqual([null, expect.objectContaining({ kind: 'Error' })]);
      const names = await run('install', '-f', 'etl.lock', '-y', '-o', 'name');
      expect([names.code, names.stdout]).toEqual([5, '']);
      for (const flag of ['--plan', '--plan-out']) {
        const { code: planned, stderr: why } = await run('install', '-f', 'etl.lock', '-y', flag, 'plan.json');
        expect([planned, why]).toEqual([2, expect.stringContaining('cdapctl install two@1.0.0 -f etl.lock\n')]);
      }
    }));

  it('installs no package of -f where the signed index has another JAR than it pins, or none', () =>
    atSite(async ({ home, run }) => {
      const key = await hubKey({ now: Date.now() - 1000 });
      const packages = ['one', 'two'].map((name) =>
        hubPackage({ name, version: '1.0.0', spec: pluginSpec(), resources: { 'plug.jar': name, 'plug.json': '{}' } }),
      );
      const { files } = await signedHub({ packages, key, index: true, now: Date.now() });
      await writeHubTree(join(home, 'signed'), files);
      writeFileSync(join(home, 'key.asc'), key.publicKey);
      const trust = ['--fingerprint', key.fingerprint, '-y'];
      expect((await run('hub', 'add', 'signed', join(home, 'signed'))).code).toBe(0);
      expect((await run('hub', 'key', 'add', 'key.asc', '--hub', 'signed', ...trust)).code).toBe(0);
      expect((await run('hub', 'lock', '--all', '--hub', 'signed', '-O', 'etl.lock')).code).toBe(0);
      const lock = JSON.parse(readFileSync(join(home, 'etl.lock'), 'utf8')) as {
        packages: { version: string; files: { name: string; sha256: string }[] }[];
      };
      const [, two] = lock.packages;
      const jar = two?.files.find(({ name }) => name === 'plug.jar');
      if (two === undefined || jar === undefined) throw new Error('it pins no JAR');
      const installed = async (): Promise<readonly unknown[]> => {
        const { code, stderr } = await run('install', '-f', 'etl.lock', '-y');
        return [code, stderr, (await run('installed', 'list', '-o', 'name')).stdout];
      };
      jar.sha256 = '0'.repeat(64);
      writeFileSync(join(home, 'etl.lock'), JSON.stringify(lock));
      const says = (text: string): unknown => expect.stringContaining(text);
      expect(await installed()).toEqual([9, says('two 1.0.0: plug.jar is not the file that the lock file pins'), '']);
      two.version = '9.9.9';
      writeFileSync(join(home, 'etl.lock'), JSON.stringify(lock));
      expect(await installed()).toEqual([5, says('version 9.9.9 of two not found'), '']);
    }));
});
