import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { acquireLock, awaitLock, peekLock, runLockFile, type LockTaker } from '../../../src/state/lock.js';
import { isRunning, ownProcess, startOf } from '../../../src/state/process-identity.js';
import { childProgram, killChild, linesOf, startChild, temporaryFolder } from './support.js';
import { codeOf, errorOf } from '../../support/errors.js';

const root = temporaryFolder();
const DEAD = 2 ** 30;
const ID = '00000000-0000-4000-8000-00000000000';
const clock = { now: (): number => 1_700_001_000_000 };
const self: LockTaker = { pid: process.pid, host: 'here', clock };
let folder = '';
let file = '';

beforeEach(() => {
  folder = mkdtempSync(join(root, 'lock-'));
  file = join(folder, 'prod.lock');
});

function plant(path: string, holder: { id?: string; pid: number; start?: string; host?: string }): void {
  const record = { v: 1, id: `${ID}1`, host: 'here', since: '2023-11-14T20:00:00Z', ...holder };
  writeFileSync(path, `${JSON.stringify(record)}\n`, { mode: 0o600 });
}

describe('peekLock', () => {
  it.each<[string, { pid: number; host?: string } | undefined, string | undefined]>([
    ['nobody', undefined, undefined],
    ['a process that is gone', { pid: DEAD }, undefined],
    ['a process that lives', { pid: process.pid }, 'LOCKED'],
    ['a process of another host', { pid: DEAD, host: 'there' }, 'LOCKED'],
  ])('sees that %s holds the lock, and leaves all as it is', async (_, holder, code) => {
    if (holder !== undefined) plant(file, holder);
    const before = readdirSync(folder);
    const peek = (): void => {
      peekLock(file, 'here');
    };
    if (code === undefined) peek();
    else expect(await codeOf(peek)).toBe(code);
    expect(readdirSync(folder)).toEqual(before);
  });

  it('needs no folder and makes none', () => {
    peekLock(join(folder, 'locks', 'prod.lock'), 'here');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('acquireLock', () => {
  it('is held until it is released, and leaves nothing', async () => {
    const lock = await acquireLock(file, self);
    expect(lock).toMatchObject({ file, takenOver: undefined });
    expect(await codeOf(() => acquireLock(file, self))).toBe('LOCKED');
    await lock.release();
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
    await (await acquireLock(file, self)).release();
  });

  it('names the process, the host and the time of the holder (L21)', async () => {
    await acquireLock(file, self);
    expect(await errorOf(() => acquireLock(file, self))).toMatchObject({
      message: `another run is in progress: process ${process.pid} on here since 2023-11-14T22:30:00Z`,
      details: { target: { file, pid: String(process.pid), host: 'here', since: '2023-11-14T22:30:00Z' } },
    });
    expect(readdirSync(folder)).toEqual(['prod.lock']);
  });

  it.each([
    ['is gone', { pid: DEAD }],
    ['is gone, and its number belongs to another process now', { pid: process.pid, start: '0000000000000000' }],
  ])('takes over from a process that %s (L22)', async (_, holder) => {
    plant(file, holder);
    const lock = await acquireLock(file, self);
    expect(lock.takenOver).toMatchObject({ id: `${ID}1`, pid: holder.pid });
    expect(readdirSync(folder)).toEqual(['prod.lock']);
    expect(await codeOf(() => acquireLock(file, self))).toBe('LOCKED');
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('takes over from a killed process', async () => {
    const program = childProgram(
      root,
      'holds',
      `import { acquireLock } from './lock.ts';
      await acquireLock(process.argv[2], { pid: process.pid, host: 'here', clock: { now: () => 0 } });
      console.log('held');
      process.stdin.resume();`,
    );
    const child = startChild(program, file);
    await linesOf(child, 1);
    expect(await codeOf(() => acquireLock(file, self))).toBe('LOCKED');
    await killChild(child);
    expect((await acquireLock(file, self)).takenOver?.pid).toBe(child.pid);
  });

  it('takes over from a process that died while it took over', async () => {
    plant(file, { pid: DEAD });
    plant(`${file}.${ID}1`, { pid: DEAD, id: `${ID}2` });
    plant(`${file}.${ID}2`, { pid: DEAD, id: `${ID}3` });
    const lock = await acquireLock(file, self);
    expect(lock.takenOver?.id).toBe(`${ID}1`);
    expect(readdirSync(folder)).toEqual(['prod.lock']);
  });

  it('lets a living process finish its takeover', async () => {
    plant(file, { pid: DEAD });
    plant(`${file}.${ID}1`, { pid: process.pid, id: `${ID}2` });
    expect(await codeOf(() => acquireLock(file, self))).toBe('LOCKED');
    expect(readdirSync(folder)).toEqual(['prod.lock', `prod.lock.${ID}1`]);
  });

  it('keeps the lock of another host and says how to clear it (L23)', async () => {
    plant(file, { pid: DEAD, host: 'there' });
    const before = readFileSync(file);
    const error = await errorOf(() => acquireLock(file, self));
    expect(error).toMatchObject({ code: 'LOCKED', details: { target: { host: 'there' } } });
    expect(error.details.hints?.at(-1)).toContain(`rm ${file}`);
    expect(readFileSync(file)).toEqual(before);
  });

  it.each(['', 'junk', '{"v":1}', '{"v":2,"pid":1}'])(
    'does not guess at a lock that it cannot read: %j',
    async (text) => {
      writeFileSync(file, text, { mode: 0o600 });
      expect(await errorOf(() => acquireLock(file, self))).toMatchObject({
        code: 'LOCKED',
        details: { hints: [`if no other run is in progress: rm ${file}`] },
      });
    },
  );

  it('refuses a planted link (L11)', async () => {
    writeFileSync(join(folder, 'target'), 'precious');
    symlinkSync(join(folder, 'target'), file);
    expect(await codeOf(() => acquireLock(file, self))).toBe('SYMLINK');
    expect(readFileSync(join(folder, 'target'), 'utf8')).toBe('precious');
  });

  it('leaves the lock of somebody who came after it was cleared by hand', async () => {
    const lock = await acquireLock(file, self);
    plant(file, { pid: process.pid });
    await lock.release();
    expect(readdirSync(folder)).toEqual(['prod.lock']);
  });

  it('has one holder at a time while many take it over from dead ones (T27)', { timeout: 20_000 }, async () => {
    const program = childProgram(
      root,
      'contends',
      `import { acquireLock } from './lock.ts';
      import { closeSync, linkSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
      const [, , file, times] = process.argv;
      const dead = (path, id) => {
        writeFileSync(path + process.pid, JSON.stringify({ v: 1, id, pid: ${DEAD}, host: 'here', since: 'x' }));
        renameSync(path + process.pid, path);
      };
      let held = 0, overtaken = 0;
      while (held < Number(times)) {
        let lock;
        try {
          lock = await acquireLock(file, { pid: process.pid, host: 'here', clock: { now: () => 0 } });
        } catch (error) {
          if (error.code !== 'LOCKED') throw error;
          continue;
        }
        closeSync(openSync(file + '-inside', 'wx'));
        held++;
        if (lock.takenOver) overtaken++;
        const next = crypto.randomUUID();
        if (held % 3 === 0) dead(file + '.' + next, crypto.randomUUID());
        rmSync(file + '-inside');
        if (held % 3 === 1 || held === Number(times)) await lock.release();
        else dead(file, next);
      }
      console.log(held + ' ' + overtaken);`,
    );
    const children = [0, 1, 2, 3].map(() => startChild(program, file, '40'));
    const counts = (await Promise.all(children.map((child) => linesOf(child, 1))))
      .flat()
      .map((line) => line.split(' ').map(Number));
    expect(counts.map(([held]) => held)).toEqual([40, 40, 40, 40]);
    expect(counts.reduce((sum, [, overtaken]) => sum + (overtaken ?? 0), 0)).toBeGreaterThan(60);
    expect(readdirSync(folder).filter((name) => name.endsWith('.tmp') || name.endsWith('-inside'))).toEqual([]);
  });
});

describe('awaitLock', () => {
  const patient = (onSleep: () => Promise<void> = () => Promise.resolve()) => {
    let time = 0;
    const sleep = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
      signal.throwIfAborted();
      time += milliseconds;
      await onSleep();
    };
    return { pid: process.pid, host: 'here', clock: { ...clock, monotonic: () => time, sleep } };
  };
  const never = new AbortController().signal;

  it('waits for the holder', async () => {
    const first = await acquireLock(file, self);
    let looks = 0;
    const taker = patient(async () => {
      looks += 1;
      if (looks === 3) await first.release();
    });
    const second = await awaitLock(file, taker, never);
    expect(looks).toBe(3);
    expect(await codeOf(() => acquireLock(file, self))).toBe('LOCKED');
    await second.release();
  });

  it('gives up after ten seconds, naming the holder', async () => {
    await acquireLock(file, self);
    const taker = patient();
    const error = await errorOf(() => awaitLock(file, taker, never));
    expect(error).toMatchObject({ code: 'LOCKED', details: { target: { pid: String(process.pid) } } });
    expect(taker.clock.monotonic()).toBe(10_000);
  });

  it('ends at once when it is told to, and for every other error', async () => {
    const held = await acquireLock(file, self);
    const why = new Error('stopped');
    await expect(awaitLock(file, patient(), AbortSignal.abort(why))).rejects.toBe(why);
    await held.release();
    symlinkSync(join(folder, 'target'), file);
    const taker = patient();
    expect(await codeOf(() => awaitLock(file, taker, never))).toBe('SYMLINK');
    expect(taker.clock.monotonic()).toBe(0);
  });
});

describe('runLockFile', () => {
  it('is one per platform and namespace', () => {
    const name = (url: string, namespace: string): string =>
      runLockFile('/state', { kind: 'namespace', url, namespace });
    expect(name('https://a.example.com', 'etl')).toMatch(/^\/state\/locks\/[0-9a-f]{64}\.lock$/u);
    expect(name('https://A.example.com:443/', 'etl')).toBe(name('https://a.example.com', 'etl'));
    const names = [
      name('https://a', 'b'),
      name('https://a', 'c'),
      name('https://b', 'b'),
      name('http://a', 'b'),
      name('https://a/x', 'b'),
    ];
    expect(new Set(names).size).toBe(names.length);
  });

  it('is one per journal, and that of no namespace', () => {
    const journal = (url: string, file: string): string => runLockFile('/state', { kind: 'journal', url, file });
    const namespace = runLockFile('/state', { kind: 'namespace', url: 'https://a', namespace: 'b' });
    expect(journal('https://A:443', 'b')).toBe(journal('https://a', 'b'));
    expect(new Set([namespace, journal('https://a', 'b'), journal('https://a', 'c')]).size).toBe(3);
  });
});

describe('isRunning', () => {
  it('knows the living, the dead and the reborn', () => {
    expect(isRunning(process.pid, undefined)).toBe(true);
    expect(isRunning(process.pid, ownProcess().start)).toBe(true);
    expect(isRunning(process.pid, 'ffffffffffffffff')).toBe(startOf(process.pid) === undefined);
    expect(isRunning(DEAD, undefined)).toBe(false);
  });

  it.runIf(existsSync('/proc/self/stat'))('does not count one that ended and that nobody waited for', async () => {
    // The shell becomes another program, which does not know the child and so never waits for it.
    const script = 'sleep 1000 & echo $!; exec sleep 1000';
    const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      const [pid = 0] = (await linesOf(parent, 1)).map(Number);
      while (readFileSync(`/proc/${parent.pid ?? 0}/comm`, 'utf8') !== 'sleep\n') await setImmediate();
      process.kill(pid, 'SIGKILL');
      while (!readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') Z ')) await setImmediate();
      expect(isRunning(pid, undefined)).toBe(false);
    } finally {
      await killChild(parent);
    }
  });
});
