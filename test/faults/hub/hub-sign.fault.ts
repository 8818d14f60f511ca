import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { acquireLock, runLockFile } from '../../../src/state/lock.js';
import { startCli } from '../../support/processes/running-cli.js';
import { ROOT, runCli, withTempDir, type RunResult } from '../../support/processes/run-cli.js';
import { broken } from '../broken-machine.js';
import { DEPTH, draw } from '../depth.js';
import { impatient } from '../front.js';

const KEYS = resolve(import.meta.dirname, '../../fixtures/keys/signing');
const PRELOAD = join(ROOT, 'test/support/processes/kill-at-write.cjs');
const SPEC = JSON.stringify({ label: 'A', categories: ['example'], actions: [], created: 1 });
const FORCED = ['--force-file', 'one/1.0.0/spec.json', '--force-file', 'two/1.0.0/two.jar'];
const LINE = ['hub', 'sign', './hub', '--key', 'ed25519.secret.asc', ...FORCED];

interface Tree {
  readonly home: string;
  readonly folder: string;
  readonly run: (line: readonly string[], env?: Readonly<Record<string, string>>) => Promise<RunResult>;
  /** Number of the index; undefined without one. */
  readonly sequence: () => number | undefined;
}

/** A hub of two packages with a catalog. */
async function inTree(test: (tree: Tree) => Promise<void>): Promise<void> {
  await withTempDir(async (home) => {
    const folder = join(home, 'hub');
    for (const kind of ['secret', 'public']) {
      copyFileSync(join(KEYS, `ed25519.${kind}.asc`), join(home, `ed25519.${kind}.asc`));
      chmodSync(join(home, `ed25519.${kind}.asc`), 0o600);
    }
    for (const name of ['one', 'two']) {
      mkdirSync(join(folder, 'packages', name, '1.0.0'), { recursive: true });
      writeFileSync(join(folder, 'packages', name, '1.0.0/spec.json'), SPEC);
    }
    const run: Tree['run'] = (line, env = {}) => runCli([...line], { home, cwd: home, env });
    expect((await run(['hub', 'build', './hub'])).code).toBe(0);
    const sequence = (): number | undefined => {
      const file = join(folder, 'index.json');
      return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as { sequence: number }).sequence : undefined;
    };
    await test({ home, folder, run, sequence });
  });
}

/** A signed hub in which a file has changed and another one is new. */
const inChangedTree = (test: (tree: Tree) => Promise<void>): Promise<void> =>
  inTree(async (tree) => {
    expect((await tree.run(LINE)).code).toBe(0);
    writeFileSync(join(tree.folder, 'packages/one/1.0.0/spec.json'), SPEC.replace('"A"', '"B"'));
    writeFileSync(join(tree.folder, 'packages/two/1.0.0/two.jar'), 'jar');
    expect((await tree.run(['hub', 'build', './hub', ...FORCED])).code).toBe(0);
    await test(tree);
  });

const pointsOf = (log: readonly string[], name: string): readonly { at: number; moment: string }[] => {
  const all = log.flatMap((kind, at) =>
    (kind === 'write' ? ['before', 'half'] : ['before', 'after']).map((moment) => ({ at: at + 1, moment })),
  );
  return DEPTH === 'all' ? all : draw(all, 8, name);
};

describe('signing a hub', () => {
  it.each([
    ['first', inTree, LINE, 1],
    ['changed', inChangedTree, LINE, 2],
    ['refresh', inChangedTree, [...LINE, '--refresh'], 2],
  ] as const)(
    `V02: is killed at a write (%s): the same command finishes, and clients accept the hub (${DEPTH} points)`,
    { timeout: 1_200_000 },
    async (name, inSite, line, next) => {
      let log: readonly string[] = [];
      await inSite(async ({ home, folder, run, sequence }) => {
        const file = join(home, 'writes.log');
        const env = { NODE_OPTIONS: `--require=${PRELOAD}`, KILL_FOLDER: folder, KILL_LOG: file };
        expect((await run(line, env)).code).toBe(0);
        expect(sequence()).toBe(next);
        log = readFileSync(file, 'utf8').trimEnd().split('\n');
      });
      // New index, its signature, then the name; signatures of files are on the disk before.
      expect(log.slice(-7)).toEqual(['write', 'sync', 'rename', 'write', 'sync', 'rename', 'rename']);
      const before = log.slice(0, -7);
      if (name !== 'refresh')
        expect(before).toEqual(['write', 'rename', 'write', 'rename', 'sync', 'sync', 'sync', 'sync']);
      for (const { at, moment } of pointsOf(log, `hub sign ${name}`))
        await inSite(async ({ folder, run, sequence }) => {
          const env = { NODE_OPTIONS: `--require=${PRELOAD}`, KILL_FOLDER: folder };
          const { signal } = await run(line, { ...env, KILL_N: String(at), KILL_MOMENT: moment });
          const place = `${moment} ${at} (${log[at - 1] ?? ''})`;
          expect(signal, `${place}: the run ended before it was killed`).toBe('SIGKILL');
          expect([next, next - 1 || undefined], place).toContain(sequence());
          const verify = ['hub', 'verify', './hub', '--all', '--strict', '--keyring', 'ed25519.public.asc'];
          expect([0, 9], place).toContain((await run(verify, impatient(50).env)).code);
          const { code, stderr } = await run(line);
          expect([code, stderr.includes('error')], `${place}: ${stderr}`).toEqual([0, false]);
          // A second renewal is one of its own.
          expect(name === 'refresh' ? [next, next + 1] : [next], place).toContain(sequence());
          const left = readdirSync(folder, { recursive: true, encoding: 'utf8' });
          expect(
            left.filter((path) => /(?:^|\/)\./u.test(path)),
            place,
          ).toEqual([]);
          expect((await run(LINE)).code, place).toBe(0);
          expect(await run(verify), place).toMatchObject({ code: 0 });
        });
    },
  );

  it('V02: is killed, and builds and checks see no error in what it left', () =>
    inChangedTree(async ({ folder, run }) => {
      const env = { NODE_OPTIONS: `--require=${PRELOAD}`, KILL_FOLDER: folder };
      expect((await run(LINE, { ...env, KILL_N: '1', KILL_MOMENT: 'half' })).signal).toBe('SIGKILL');
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      expect(names.filter((path) => path.endsWith('.tmp'))).toHaveLength(1);
      expect((await run(['hub', 'build', './hub', '--strict', ...FORCED])).code).toBe(0);
      expect((await run([...LINE, '--check'])).code).toBe(14);
    }));

  it('ends with Ctrl-C on a disk that stalls', () =>
    inTree(async ({ home, folder }) => {
      const pipe = join(folder, 'pipe');
      execFileSync('mkfifo', [pipe]);
      const process = startCli(LINE, {
        home,
        env: broken({ FAULT_STALLED: pipe, FAULT_STALLED_AFTER: '0' }),
        timeout: 10_000,
      });
      await process.see('the disk stalls');
      process.kill('SIGINT');
      const { signal, stderr } = await process.ended;
      expect([signal, stderr]).toEqual(['SIGINT', expect.stringContaining('[INTERRUPTED]')]);
    }));

  it('V03: runs beside another one: LOCKED, nothing written; a check runs', () =>
    inTree(async ({ home, folder, run, sequence }) => {
      const file = runLockFile(join(home, '.local', 'state', 'cdapctl'), { kind: 'folder', path: folder });
      const lock = await acquireLock(file, { pid: process.pid, host: hostname(), clock: { now: () => Date.now() } });
      for (const more of [[], ['--refresh']]) {
        const { code, stderr } = await run([...LINE, ...more]);
        expect([code, stderr, sequence()]).toEqual([6, expect.stringContaining('[LOCKED]'), undefined]);
      }
      expect((await run([...LINE, '--check'])).code).toBe(14);
      expect(readdirSync(join(folder, 'packages/one/1.0.0'))).toEqual(['spec.json']);
      await lock.release();
      expect([(await run(LINE)).code, sequence()]).toEqual([0, 1]);
    }));
});
