import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquireLock, runLockFile } from '../../../src/state/lock.js';
import { startCli } from '../../support/processes/running-cli.js';
import { ROOT, runCli, withTempDir, type RunResult } from '../../support/processes/run-cli.js';
import { broken } from '../broken-machine.js';
import { DEPTH, draw } from '../depth.js';
import { hurried, impatient } from '../front.js';

const KEYS = resolve(import.meta.dirname, '../../fixtures/keys/signing');
const PRELOAD = join(ROOT, 'test/support/processes/kill-at-write.cjs');
const LINE = ['hub', 'publish', './hub', './public', '--concurrency', '1'];

/** Whether catalog, signature and index are old, and how a client ends that verifies the hub then. */
const STATES = [
  [true, true, true, 0],
  [false, true, true, 9],
  [false, false, true, 9],
  [false, false, false, 0],
];

/** Puts a file into ./public, or removes it, notes that, and kills the run that called it where it is told. */
const PROGRAM = `
const { appendFileSync, copyFileSync, mkdirSync, rmSync } = require('node:fs');
const { dirname, join } = require('node:path');
const [path, file] = process.argv.slice(2);
const { DIE_AT, DIE_MOMENT } = process.env;
appendFileSync('calls', path + '\\n');
if (DIE_AT === path && DIE_MOMENT === 'before') process.kill(process.ppid, 'SIGKILL');
else {
  const place = join('public', path);
  mkdirSync(dirname(place), { recursive: true });
  if (file) copyFileSync(file, place); else rmSync(place);
  if (DIE_AT === path) process.kill(process.ppid, 'SIGKILL');
}
`;

interface Site {
  readonly home: string;
  readonly run: (line: readonly string[], env?: Readonly<Record<string, string>>) => Promise<RunResult>;
  readonly publish: (env?: Readonly<Record<string, string>>, more?: readonly string[]) => Promise<RunResult>;
  readonly verify: (...line: readonly string[]) => Promise<number | undefined>;
  readonly read: (path: string) => string;
}

/** A published hub with the package `one`, and its tree, which has the package `two` since. */
async function atSite(test: (site: Site) => Promise<void>, from?: string): Promise<void> {
  await withTempDir(async (home) => {
    const run = (line: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<RunResult> =>
      runCli(line, { home, cwd: home, env });
    const publish: Site['publish'] = (env, more = []) => run([...LINE, ...more], env);
    if (from !== undefined) cpSync(from, home, { recursive: true });
    else {
      for (const name of ['ed25519.secret.asc', 'ed25519.public.asc']) copyFileSync(join(KEYS, name), join(home, name));
      chmodSync(join(home, 'ed25519.secret.asc'), 0o600);
      for (const name of ['one', 'two']) {
        const file = join(home, 'hub/packages', name, '1.0.0/spec.json');
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, JSON.stringify({ label: name, categories: ['example'], actions: [], created: 1 }));
        for (const line of [
          ['build', './hub'],
          ['sign', './hub', '--key', 'ed25519.secret.asc'],
        ])
          expect((await run(['hub', ...line])).code).toBe(0);
        if (name === 'one') expect((await publish()).code).toBe(0);
      }
      cpSync(join(home, 'hub'), join(home, 'both'), { recursive: true });
    }
    const verify: Site['verify'] = async (...line) =>
      (await run(['hub', 'verify', ...line, '--keyring', 'ed25519.public.asc', '--strict'], impatient(50).env)).code;
    await test({ home, run, publish, verify, read: (path) => readFileSync(join(home, path), 'utf8') });
  });
}

/** Takes the package `one` from the tree. */
async function withoutOne(home: string): Promise<void> {
  rmSync(join(home, 'hub/packages/one'), { recursive: true });
  for (const line of [
    ['build', './hub'],
    ['sign', './hub', '--key', 'ed25519.secret.asc'],
  ])
    expect((await runCli(['hub', ...line], { home, cwd: home })).code).toBe(0);
}

/** Says that a folder was published into. */
const MARK = '.cdapctl-published';

/** All files below a folder but the mark, hidden ones too. */
const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== MARK)
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();

/** A server of a publication that has come as far as these files; the rest comes when the index was asked for often enough. */
async function serveBetween(home: string, come: readonly string[], asks: number) {
  let left = asks;
  const server = createServer(({ url = '' }, response) => {
    const path = url.replace(/^\/v2\//u, '');
    if (path === 'index.json') left -= 1;
    const isNew = left < 0 || come.includes(path) || path.startsWith('packages/');
    const file = join(home, isNew ? 'hub' : 'public', path);
    if (!existsSync(file)) response.writeHead(404).end();
    else response.writeHead(200, { 'last-modified': new Date().toUTCString() }).end(readFileSync(file));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v2` };
}

describe('a publication', () => {
  it('V28: is read while its catalog is there, or its signature, and the index is not: that is waited for', () =>
    atSite(async ({ home }) => {
      const isRead = async (come: readonly string[], asks: number): Promise<readonly unknown[]> => {
        const { server, url } = await serveBetween(home, come, asks);
        const line = ['hub', 'verify', '--all', '--hub', url, '--keyring', 'ed25519.public.asc', '--strict', '--json'];
        const { code, stdout } = await runCli(line, { home, cwd: home, ...hurried(50) });
        server.close();
        const { ok, packages } = JSON.parse(stdout) as Record<string, unknown>;
        return [code, ok, packages];
      };
      expect(await isRead(['packages.json'], 4)).toEqual([0, true, 2]);
      expect(await isRead(['packages.json', 'index.json.asc'], 4)).toEqual([0, true, 2]);
    }));

  it('V03: runs beside one of a user with another state folder: LOCKED, nothing written; a killed one is no matter', () =>
    atSite(async ({ home, publish, read }) => {
      const before = read('public/index.json');
      const file = runLockFile(join(home, 'other'), { kind: 'shared folder', path: join(home, 'public') });
      chmodSync(join(home, 'public'), 0o775);
      const clock = { now: () => Date.now() };
      const lock = await acquireLock(file, { pid: process.pid, host: hostname(), clock }, { shared: true });
      const { code, stderr } = await publish();
      expect([code, stderr]).toEqual([6, expect.stringContaining('[LOCKED]')]);
      expect(read('public/index.json')).toBe(before);
      const held = JSON.parse(read('public/.cdapctl.lock')) as object;
      await lock.release();
      writeFileSync(file, JSON.stringify({ ...held, pid: 4_194_300, start: '0000000000000001' }));
      expect((await publish()).code).toBe(0);
      expect(read('public/index.json')).toBe(read('hub/index.json'));
      expect(readdirSync(join(home, 'public')).filter((name) => name.startsWith('.'))).toEqual([MARK]);
    }));

  it('L26: ends with Ctrl-C on a disk that stalls, and has written nothing', () =>
    atSite(async ({ home }) => {
      const before = filesIn(join(home, 'public'));
      const pipe = join(home, 'hub/pipe');
      execFileSync('mkfifo', [pipe]);
      const env = broken({ FAULT_STALLED: pipe, FAULT_STALLED_AFTER: '0' });
      const process = startCli(LINE, { home, env, timeout: 10_000 });
      // As many as Node has threads for files.
      await process.see('the disk stalls\n'.repeat(4));
      process.kill('SIGINT');
      const { signal, stderr } = await process.ended;
      expect([signal, stderr]).toEqual(['SIGINT', expect.stringContaining('[INTERRUPTED]')]);
      expect(filesIn(join(home, 'public'))).toEqual(before);
    }));

  it.each(['', '--prune'])(
    `V24: is killed at a write: the hub is as it was until the catalogs come, and a second run finishes (${DEPTH} points) %s`,
    (prune) =>
      atSite(async ({ home: made, read: before }) => {
        const more = prune === '' ? [] : [prune, '-y'];
        if (prune !== '') await withoutOne(made);
        let log: readonly string[] = [];
        await atSite(async ({ home, publish }) => {
          const env = {
            NODE_OPTIONS: `--require=${PRELOAD}`,
            KILL_FOLDER: join(home, 'public'),
            KILL_LOG: join(home, 'log'),
          };
          expect((await publish(env, more)).code).toBe(0);
          log = readFileSync(join(home, 'log'), 'utf8').trimEnd().split('\n');
        }, made);
        // The lock, and its removal at the end. Two files of the package one after the other; catalog, signature and index first beside their places and on the disk, then all in them.
        const one = ['write', 'sync', 'rename', 'sync'];
        const removal = ['rm', 'unlink', 'sync'];
        expect(log).toEqual([
          ...['write', 'link', 'rm', 'unlink'],
          ...one,
          ...one,
          ...['write', 'sync', 'rename'].flatMap((kind) => [kind, kind, kind]),
          ...(prune === '' ? [] : [...removal, ...removal]),
          ...['rm', 'unlink'],
        ]);
        const all = log.flatMap((kind, at) =>
          (kind === 'write' ? ['before', 'half'] : ['before', 'after']).map((moment) => ({ at: at + 1, moment })),
        );
        const old = before('public/index.json.asc');
        for (const { at, moment } of DEPTH === 'all' ? all : draw(all, 5, `hub publish ${prune}`))
          await atSite(async ({ home, publish, verify, read }) => {
            const folder = join(home, 'public');
            const env = {
              NODE_OPTIONS: `--require=${PRELOAD}`,
              KILL_FOLDER: folder,
              KILL_N: String(at),
              KILL_MOMENT: moment,
            };
            const { signal } = await publish(env, more);
            expect(signal, 'the run ended before it was killed').toBe('SIGKILL');
            const isOld = [
              read('public/index.json.asc') === old,
              read('public/index.json') === before('public/index.json'),
            ];
            const isCatalogOld = read('public/packages.json') === before('public/packages.json');
            const seen = [isCatalogOld, ...isOld, await verify('./public', '--all')];
            expect(STATES).toContainEqual(seen);
            expect((await publish({}, more)).code).toBe(0);
            expect(await verify('./public', '--all')).toBe(0);
            for (const name of ['packages.json', 'index.json'])
              expect(read(`public/${name}`)).toBe(read(`hub/${name}`));
            expect(filesIn(folder)).toEqual(filesIn(join(home, prune === '' ? 'both' : 'hub')));
          }, made);
      }),
  );

  it(`V24: is killed at a write before there is a hub: readers see none or all of it, and a second run continues (${DEPTH} points)`, () =>
    atSite(async ({ home: made }) => {
      rmSync(join(made, 'public'), { recursive: true });
      const logged = (home: string, log: string) => ({
        NODE_OPTIONS: `--require=${PRELOAD}`,
        KILL_FOLDER: join(home, 'public'),
        KILL_LOG: join(home, log),
      });
      const kindsIn = (home: string, log: string): readonly string[] =>
        readFileSync(join(home, log), 'utf8').trimEnd().split('\n');
      const renames = (log: readonly string[]): number => log.filter((kind) => kind === 'rename').length;
      let log: readonly string[] = [];
      await atSite(async ({ home, publish }) => {
        expect((await publish(logged(home, 'log'))).code).toBe(0);
        log = kindsIn(home, 'log');
      }, made);
      const all = log.flatMap((kind, at) =>
        (kind === 'write' ? ['before', 'half'] : ['before', 'after']).map((moment) => ({ at: at + 1, moment })),
      );
      for (const { at, moment } of DEPTH === 'all' ? all : draw(all, 5, 'hub publish first'))
        await atSite(async ({ home, publish, run }) => {
          const verified = async (): Promise<unknown> => {
            const line = [
              'hub',
              'verify',
              './public',
              '--all',
              '--keyring',
              'ed25519.public.asc',
              '--strict',
              '--json',
            ];
            const { code, stdout } = await run(line);
            return code === 5 ? 'none' : [code, (JSON.parse(stdout) as Record<string, unknown>)['packages']];
          };
          const killed = { ...logged(home, 'first'), KILL_N: String(at), KILL_MOMENT: moment };
          expect((await publish(killed)).signal, 'the run ended before it was killed').toBe('SIGKILL');
          expect(['none', [0, 2]], `${log[at - 1] ?? ''} ${at} ${moment}`).toContainEqual(await verified());
          expect((await publish(logged(home, 'second'))).code).toBe(0);
          expect(await verified()).toEqual([0, 2]);
          expect(filesIn(join(home, 'public'))).toEqual(filesIn(join(home, 'hub')));
          const again = renames(kindsIn(home, 'first')) + renames(kindsIn(home, 'second')) - renames(log);
          // The one that was being renamed, and the lock of the killed run.
          expect(again, `files that were copied again ${at} ${moment}`).toBeLessThanOrEqual(2);
        }, made);
    }));

  it(`V24: by a program is killed beside any run of it, or as it notes removals: a second run finishes, with all removals (${DEPTH} points)`, () =>
    atSite(async ({ home: made, read: before }) => {
      await withoutOne(made);
      writeFileSync(join(made, 'put.cjs'), PROGRAM);
      const program = `'${process.execPath}' put.cjs {path}`;
      const line = ['hub', 'publish', './hub', '--against', './public', '--concurrency', '1', '--prune', '-y'];
      line.push('--command', `${program} {file}`, '--remove-command', program);
      const notes = (home: string) => ({
        NODE_OPTIONS: `--require=${PRELOAD}`,
        KILL_FOLDER: join(home, '.local/state/cdapctl/publications'),
      });
      let calls: readonly string[] = [];
      let writes = 0;
      await atSite(async ({ home, run }) => {
        expect((await run(line, { ...notes(home), KILL_LOG: join(home, 'log') })).code).toBe(0);
        calls = readFileSync(join(home, 'calls'), 'utf8').trimEnd().split('\n');
        writes = readFileSync(join(home, 'log'), 'utf8').trimEnd().split('\n').length;
      }, made);
      const [one, two] = ['one', 'two'].map((name) => `packages/${name}/1.0.0/spec.json`);
      expect(calls).toEqual([two, `${two}.asc`, 'packages.json', 'index.json.asc', 'index.json', one, `${one}.asc`]);
      expect(writes).toBe(5);
      const atCalls = calls.flatMap((path) =>
        ['before', 'after'].map((moment) => ({ DIE_AT: path, DIE_MOMENT: moment })),
      );
      const atNotes = Array.from({ length: writes }, (_, at) => ({ KILL_N: String(at + 1), KILL_MOMENT: 'before' }));
      const some = [
        ...draw(atCalls.slice(10), 2, 'hub publish by command'),
        ...draw([...atCalls, ...atNotes], 4, 'notes'),
      ];
      for (const point of DEPTH === 'all' ? [...atCalls, ...atNotes] : some)
        await atSite(async ({ home, run, verify, read }) => {
          const { signal } = await run(line, 'KILL_N' in point ? { ...notes(home), ...point } : point);
          expect(signal, 'the run ended before it was killed').toBe('SIGKILL');
          if (read('public/packages.json') === before('public/packages.json'))
            expect(await verify('./public', '--all')).toBe(0);
          const again = await run(line);
          expect([again.code, again.stderr]).toEqual([0, expect.anything()]);
          expect(await verify('./public', '--all')).toBe(0);
          expect(filesIn(join(home, 'public'))).toEqual(filesIn(join(home, 'hub')));
        }, made);
    }));
});
