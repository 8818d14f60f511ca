import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../../../src/cli/clock.js';
import { namespaceLock, takeLocks } from '../../../../src/services/writing/run-lock.js';
import { runLockFile } from '../../../../src/state/lock.js';
import { withTempDir } from '../../../support/processes/run-cli.js';
import type { ServiceEvent } from '../../../../src/core/events.js';

it('tells once of a process that left several locks behind', async () => {
  await withTempDir(async (stateFolder) => {
    const locks = ['a', 'b', 'c'].map((namespace) => namespaceLock('http://127.0.0.1:1', namespace));
    for (const [at, lock] of locks.entries()) {
      const file = runLockFile(stateFolder, lock);
      await mkdir(dirname(file), { recursive: true, mode: 0o700 });
      const id = `00000000-0000-4000-8000-00000000000${at}`;
      const holder = { v: 1, id, pid: 4_194_300, start: '0000000000000001', host: hostname() };
      await writeFile(file, JSON.stringify({ ...holder, since: '2025-01-01T00:00:00Z' }), { mode: 0o600 });
    }
    const events: ServiceEvent[] = [];
    const taker = { pid: process.pid, host: hostname(), clock: systemClock };
    const deps = { stateFolder, taker, emit: (event: ServiceEvent) => void events.push(event) };
    const held = await takeLocks(locks, deps);
    expect(await readdir(join(stateFolder, 'locks'))).toHaveLength(3);
    await held.release();
    expect(await readdir(join(stateFolder, 'locks'))).toEqual([]);
    expect(events).toEqual([{ type: 'note', message: 'note: took over the lock of process 4194300, which has ended' }]);
  });
});

it('holds none of its locks where one of them is held already', async () => {
  await withTempDir(async (stateFolder) => {
    const free = { kind: 'folder', path: 'a' } as const;
    const other = { kind: 'folder', path: 'b' } as const;
    const taker = { pid: process.pid, host: hostname(), clock: systemClock };
    const deps = { stateFolder, taker, emit: () => undefined };
    for (const [ours, theirs] of [
      [free, other],
      [other, free],
    ] as const) {
      const held = await takeLocks([theirs], deps);
      await expect(takeLocks([ours, theirs], deps)).rejects.toMatchObject({ code: 'LOCKED' });
      expect(await readdir(join(stateFolder, 'locks'))).toHaveLength(1);
      await held.release();
    }
  });
});
