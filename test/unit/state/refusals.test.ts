import { execFileSync } from 'node:child_process';
import { appendFileSync, chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { writeAtomically } from '../../../src/state/atomic-write.js';
import { damagedJournal, refuseNewer, valueOfLine } from '../../../src/state/journal-line.js';
import { installOf, readLedger } from '../../../src/state/ledger.js';
import { LocalReports } from '../../../src/state/reports/local-reports.js';
import { acquireLock } from '../../../src/state/lock.js';
import { checkOwner, checkPrivateFolder, safeFolder } from '../../../src/state/private-folder.js';
import { isRunning, ownProcess, startOf } from '../../../src/state/process-identity.js';
import { readOwn, readOwnBeginning } from '../../../src/state/read-state-file.js';
import { hasFinished, readUpgrade } from '../../../src/state/read-upgrade-journal.js';
import { addKey, hubsInStore, readTrust } from '../../../src/state/trust-store.js';
import { NEVER } from '../../support/clock.js';
import { codeOf, errorOf, refusalOf, saidBy, thrownBy } from '../../support/errors.js';
import { temporaryFolder } from './support.js';

const root = temporaryFolder();
let count = 0;
function folder(): string {
  const path = join(root, `${(count += 1)}`);
  mkdirSync(path, { mode: 0o700 });
  return path;
}
function file(content: string, mode = 0o600): string {
  const path = join(folder(), 'file');
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}

describe('what others may change', () => {
  const check = (stat: object, user: number | undefined, code?: 'TRUST_PERMS') => (): void => {
    checkOwner('/a b', { uid: 5, mode: 0o100600, ...stat }, { ...(code && { code }), user });
  };
  it.each<[string, object, string, string]>([
    [
      'belongs to another',
      { uid: 6 },
      '/a b belongs to another user',
      'use a folder that you own, or change its owner',
    ],
    ['the group may write', { mode: 0o40720 }, '/a b is writable by other users', "chmod go-w '/a b'"],
    ['all may write', { mode: 0o40702 }, '/a b is writable by other users', "chmod go-w '/a b'"],
    ['is for everybody', { mode: 0o41777 }, '/a b is writable by other users', 'use a folder that only you can change'],
    [
      'is of the system',
      { uid: 0, mode: 0o40777 },
      '/a b is writable by other users',
      'use a folder that only you can change',
    ],
  ])('is refused where it %s', (_, stat, message, hint) => {
    const expected = { message, hints: [hint], target: { file: '/a b' } };
    expect(saidBy(thrownBy(check(stat, 5)))).toEqual({ code: 'STATE_PERMS', ...expected });
    expect(thrownBy(check(stat, 5, 'TRUST_PERMS')).code).toBe('TRUST_PERMS');
  });

  it('is nothing that we or the system own, nor anything without users', () => {
    const refused = ([stat, user]: readonly [object, number | undefined]) => refusalOf(check(stat, user));
    const own = [[{ mode: 0o40755 }, 5] as const, [{ uid: 0 }, 5] as const, [{ uid: 0 }, 0] as const];
    expect(own.map(refused)).toEqual([undefined, undefined, undefined]);
    expect(refused([{ uid: 6 }, 0])).toBe('/a b belongs to another user');
  });
});

describe('what stands in the place of a folder or file of ours', () => {
  it('is told by its kind', () => {
    const path = file('');
    expect(saidBy(thrownBy(() => checkPrivateFolder(path)))).toEqual({
      code: 'LOCAL_IO',
      message: `${path} is not a folder`,
      target: { file: path },
    });
    expect(saidBy(thrownBy(() => safeFolder(path)))).toEqual({
      code: 'LOCAL_IO',
      message: `${path} is not a folder`,
      target: { file: path },
    });
    expect(checkPrivateFolder(join(root, 'none'))).toBe(false);
    expect(safeFolder(join(root, 'none'))).toBe(join(root, 'none'));
  });

  it('is a regular file, or it is not read', async () => {
    const path = folder();
    expect(saidBy(await errorOf(readOwn(path)))).toEqual({
      code: 'LOCAL_IO',
      message: `${path} is not a regular file`,
      target: { file: path },
    });
    const own = file('abcdef');
    expect(await readOwnBeginning(own, 4)).toEqual({ bytes: Buffer.from('abcd'), size: 6 });
    expect(await readOwnBeginning(own, 10)).toEqual({ bytes: Buffer.from('abcdef'), size: 6 });
    expect(await readOwnBeginning(join(root, 'none'), 4)).toBeUndefined();
  });

  it('is not written over', async () => {
    const path = folder();
    expect(saidBy(await errorOf(writeAtomically(path, 'x', { overwrite: true })))).toEqual({
      code: 'LOCAL_IO',
      message: `cannot write ${path}: it is a folder`,
      target: { file: path },
    });
    const pipe = join(path, 'pipe');
    execFileSync('mkfifo', [pipe]);
    expect(saidBy(await errorOf(writeAtomically(pipe, 'x', { overwrite: true })))).toEqual({
      code: 'LOCAL_IO',
      message: `cannot write ${pipe}: it is not a regular file`,
      target: { file: pipe },
    });
    const link = join(path, 'link');
    symlinkSync(file(''), link);
    expect(await codeOf(writeAtomically(link, 'x', { overwrite: true }))).toBe('SYMLINK');
  });
});

describe('a line of a journal', () => {
  it.each<[string, unknown]>([
    ['{"a":1}', { a: 1 }],
    ['7', 7],
    ['{', undefined],
    ['', undefined],
  ])('%s is %j', (text, value) => {
    expect(valueOfLine(Buffer.from(text))).toEqual(value);
    expect(valueOfLine(Buffer.of(0x22, 0xff, 0x22))).toBeUndefined();
  });

  it('is of a newer version if its number is larger', () => {
    const refused = (value: unknown): boolean =>
      refusalOf(() => {
        refuseNewer('j', value);
      }) !== undefined;
    expect([{ v: 1 }, { v: 0 }, {}, 7, undefined, { v: 'x' }, { v: 2 }, { v: 99 }].map(refused)).toEqual([
      ...Array.from({ length: 6 }, () => false),
      ...[true, true],
    ]);
  });

  it('of a newer version is refused', () => {
    const refuse = (): void => {
      refuseNewer('j', { v: 2, more: 1 });
    };
    expect(saidBy(thrownBy(refuse))).toEqual({
      code: 'JOURNAL_NEWER',
      message: 'the journal j was written by a newer version of cdapctl',
      hints: ['use that version, or finish the run there first'],
      target: { file: 'j' },
    });
  });

  it('that is damaged is kept as a copy, once', async () => {
    const path = file('one\ntwo\n');
    const copy = `${path}.damaged-ed9e9b69`.replace(/[^-]*$/u, '');
    const said = saidBy(await errorOf(Promise.reject(await damagedJournal(path, 2)))) as unknown as {
      target: { copy: string };
    };
    const { target } = said;
    expect(target.copy.startsWith(copy)).toBe(true);
    expect(said).toEqual({
      code: 'JOURNAL',
      message: `the journal ${path} is damaged at line 2`,
      hints: [
        `a copy was saved as ${target.copy}`,
        `remove ${path} to start over: existing objects are found on the platform`,
      ],
      target: { file: path, copy: target.copy, line: '2' },
    });
    expect(readFileSync(target.copy, 'utf8')).toBe('one\ntwo\n');
    await damagedJournal(path, 2);
    expect(readdirSync(join(path, '..'))).toHaveLength(2);
  });
});

describe('the journal of an upgrade', () => {
  it('that is not there is not found', async () => {
    expect(saidBy(await errorOf(readUpgrade('/none/j.ndjson')))).toEqual({
      code: 'NOT_FOUND',
      message: 'journal /none/j.ndjson not found',
      hints: [{ next: 'list-upgrades' }],
      target: { file: '/none/j.ndjson' },
    });
    expect(await hasFinished('/none/j.ndjson')).toBe(false);
  });

  const end = '{"v":1,"n":2,"type":"finished","at":"x"}\n';
  it.each<[string, string, boolean]>([
    ['ends with its end', `{"v":1}\n${end}`, true],
    ['is its end alone', end, true],
    ['ends behind much else', `{"v":1,"x":"${'x'.repeat(200_000)}"}\n${end}`, true],
    ['goes on behind its end', `${end}{"v":1}\n`, false],
    ['lacks the end of its line', end.trim(), false],
    ['names it in the middle of a line', `x${end}`, false],
    ['is of another version', end.replace('"v":1', '"v":2'), false],
    ['is empty', '', false],
  ])('that %s', async (_, text, finished) => {
    expect(await hasFinished(file(text))).toBe(finished);
  });
});

describe('the trust store', () => {
  const base = 'https://hub.example';
  const key = { fingerprint: 'A'.repeat(40), addedAt: 'now', armored: 'a key' };
  const memory = z.looseObject({ a: z.number() });
  const hubOf = (store: string): string => join(store, readdirSync(store)[0] ?? '');

  it('that is damaged names the file', async () => {
    const store = folder();
    await addKey(store, base, key);
    const path = join(hubOf(store), 'keys.json');
    expect(readFileSync(path, 'utf8')).toBe(
      `${JSON.stringify({ v: 1, keys: [{ fingerprint: key.fingerprint, addedAt: 'now' }] }, undefined, 2)}\n`,
    );
    writeFileSync(path, '{');
    expect(saidBy(await errorOf(readTrust(store, base, memory)))).toEqual({
      code: 'LOCAL_IO',
      message: `the trust store is damaged: ${path} is missing or cannot be read`,
      hints: ['restore it from a backup, or remove the folder of the hub and add its keys again'],
      target: { file: path },
    });
  });

  it('takes no private key', async () => {
    const armored = '-----BEGIN PGP PRIVATE KEY BLOCK-----';
    expect(saidBy(await errorOf(addKey(folder(), base, { ...key, armored })))).toEqual({
      code: 'TRUST_PRIVATE',
      message: `${key.fingerprint} contains a private key`,
      hints: ['to export only the public key: gpg --armor --export KEY'],
      target: { file: key.fingerprint },
    });
  });

  it('lists its hubs, and tells of those that cannot be read', async () => {
    const store = folder();
    for (const name of ['b', 'a', 'c']) await addKey(store, `https://${name}.example/`, key);
    mkdirSync(join(store, 'other'), { mode: 0o700 });
    mkdirSync(join(store, 'f'.repeat(64)), { mode: 0o700 });
    const unread: unknown[] = [];
    const take = (error: unknown): void => void unread.push(error);
    expect(await hubsInStore(store, take)).toEqual(['https://a.example', 'https://b.example', 'https://c.example']);
    const [one = ''] = readdirSync(store).filter((name) => /^[0-9a-f]{64}$/u.test(name) && !name.startsWith('ffff'));
    writeFileSync(join(store, one, 'hub.json'), '{}');
    expect(await hubsInStore(store, take)).toHaveLength(2);
    expect(unread).toHaveLength(1);
    expect(await hubsInStore(join(root, 'none'), take)).toEqual([]);
    chmodSync(join(store, one, 'hub.json'), 0o666);
    expect(await codeOf(hubsInStore(store, take))).toBe('TRUST_PERMS');
  });
});

describe('a lock', () => {
  const clock = { now: () => Date.UTC(2025, 5, 1) };
  const since = '2025-06-01T00:00:00.000Z';
  const held = (changes: object): string => {
    const path = join(folder(), 'a.lock');
    const holder = { v: 1, id: '0'.repeat(36), pid: process.pid, host: hostname(), since, ...changes };
    writeFileSync(path, typeof changes === 'string' ? changes : JSON.stringify(holder), { mode: 0o600 });
    return path;
  };
  const take = (path: string) => acquireLock(path, { pid: process.pid, host: hostname(), clock });

  it('names its holder and what to do', async () => {
    const path = held({});
    const who = `process ${process.pid} on ${hostname()} since ${since}`;
    const facts = { file: path, pid: String(process.pid), host: hostname(), since };
    expect(saidBy(await errorOf(take(path)))).toEqual({
      code: 'LOCKED',
      message: `another run is in progress: ${who}`,
      hints: [`wait until it ends, or stop it: kill ${process.pid}`],
      target: facts,
    });
    const far = held({ host: 'far' });
    expect(saidBy(await errorOf(take(far)))).toEqual({
      code: 'LOCKED',
      message: `another run is in progress: process ${process.pid} on far since ${since}`,
      hints: ['wait until it ends', `if that run has ended without removing its lock: rm ${far}`],
      target: { ...facts, file: far, host: 'far' },
    });
  });

  it('that cannot be read says how to clear it', async () => {
    const path = held({ more: 1 });
    expect(saidBy(await errorOf(take(path)))).toEqual({
      code: 'LOCKED',
      message: `the lock ${path} cannot be read`,
      hints: [`if no other run is in progress: rm ${path}`],
      target: { file: path },
    });
  });

  it('of this process is known by its mark', () => {
    const { pid, start, host } = ownProcess();
    expect([pid, host, start]).toEqual([process.pid, hostname(), startOf(process.pid)]);
    expect(start).toMatch(/^[0-9a-f]{16}$/u);
    expect([
      isRunning(pid, start),
      isRunning(pid, ''),
      isRunning(pid, undefined),
      isRunning(pid, '0'.repeat(16)),
    ]).toEqual([true, true, true, false]);
    expect([startOf(2 ** 30), isRunning(2 ** 30, undefined)]).toEqual([undefined, false]);
    expect(startOf(1)).not.toBe(start);
  });
});

describe('a local report', () => {
  const schema = z.looseObject({ name: z.string() });
  const records = (length: number) => Array.from({ length }, (_, n) => ({ n }));

  async function report(length: number) {
    const reports = new LocalReports(join(folder(), 'my state'), 'http://cdap.example', schema);
    const { id, writer } = await reports.create();
    for (const record of records(length)) writer.add(String(record.n), JSON.stringify(record));
    await writer.commit({ name: 'kept' }, NEVER);
    return { reports, id, file: join(reports.folder, id) };
  }
  async function read(reports: LocalReports<unknown>, id: string, place: { offset: number; limit?: number }) {
    const pages = [];
    for await (const page of reports.pages(id, place, NEVER)) pages.push(page);
    return pages;
  }

  it('gives the records from a place on', async () => {
    const { reports, id } = await report(3);
    const page = (offset: number, ...numbers: readonly number[]) => ({
      offset,
      total: 3,
      records: numbers.map((n) => ({ n })),
    });
    expect(await read(reports, id, { offset: 0 })).toEqual([page(0, 0, 1, 2)]);
    expect(await read(reports, id, { offset: 1, limit: 1 })).toEqual([page(1, 1)]);
    expect(await read(reports, id, { offset: 2, limit: 9 })).toEqual([page(2, 2)]);
    expect(await read(reports, id, { offset: 3 })).toEqual([page(3)]);
    expect(await read(reports, id, { offset: 0, limit: 0 })).toEqual([page(0)]);
    expect(await reports.get(id)).toEqual({ id, detail: { name: 'kept' }, records: 3 });
    expect(await reports.list()).toEqual([{ id, detail: { name: 'kept' }, records: 3 }]);
  });

  it('that is not there is not found', async () => {
    const { reports } = await report(1);
    const id = `local-${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(12)}`;
    expect(saidBy(await errorOf(read(reports, id, { offset: 0 })))).toEqual({
      code: 'NOT_FOUND',
      message: `report ${id} not found`,
      hints: [{ next: 'list-reports' }],
    });
    expect([await reports.get('../x'), reports.remove(id), reports.remove('../x')]).toEqual([undefined, false, false]);
  });

  it.each(['detail', 'records'])('whose %s are damaged says how to remove it', async (part) => {
    const { reports, id, file: path } = await report(2);
    const names = readdirSync(path);
    const [name = ''] =
      part === 'detail' ? names.filter((one) => one.endsWith('.json')) : names.filter((one) => !one.endsWith('.json'));
    appendFileSync(join(path, name), 'x');
    const error = await errorOf(read(reports, id, { offset: 0 }));
    expect(saidBy(error)).toEqual({
      code: 'LOCAL_IO',
      message: `the local report ${id} is damaged or was written by a newer version of cdapctl`,
      hints: [`rm -r '${path}'`],
      target: { file: path },
    });
    const skipped: unknown[] = [];
    if (part === 'records') return;
    expect(await reports.list((problem) => void skipped.push(problem.message))).toEqual([]);
    expect(skipped).toEqual([error.message]);
    expect(await codeOf(reports.list())).toBe('LOCAL_IO');
  });
});

describe('the ledger on a disk', () => {
  const install = (changes: object): object => ({
    ...{
      v: 1,
      type: 'install',
      platform: 'http://cdap.example',
      namespace: 'default',
      hub: 'http://h',
      hubName: 'corp',
    },
    ...{ package: 'orders', version: '1.0.0', at: '2025-01-01T00:00:00.000Z', ...changes },
  });

  it('has the installs of a place, the oldest first, and tells of what cannot be read', async () => {
    const state = folder();
    const installs = join(state, 'installs');
    mkdirSync(installs, { mode: 0o700 });
    const write = (letter: string, ...lines: readonly object[]): void => {
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      writeFileSync(join(installs, `${letter.repeat(64)}.ndjson`), text, { mode: 0o600 });
    };
    write('a', install({ package: 'later', at: '2025-01-02T00:00:00.000Z' }));
    write('b', install({ package: 'first' }));
    write('c', install({ package: 'etl', namespace: 'etl' }));
    write('d', install({ package: 'far', platform: 'http://far.example' }));
    write('e', { v: 2 }, install({}));
    writeFileSync(join(installs, 'other.ndjson'), 'x');
    const unread: string[] = [];
    const names = async (filter: object): Promise<readonly string[]> =>
      (await readLedger(state, filter, ({ code }) => void unread.push(code))).map((one) => one.package);
    expect((await names({})).slice().sort()).toEqual(['etl', 'far', 'first', 'later']);
    expect(unread).toEqual(['JOURNAL_NEWER']);
    expect(await names({ platform: 'http://CDAP.example/' })).toHaveLength(3);
    expect(await names({ namespace: 'default', platform: 'http://cdap.example' })).toEqual(['first', 'later']);
    expect(await readLedger(folder(), {}, () => undefined)).toEqual([]);
  });

  it('knows nothing of a journal that does not say what it is of', () => {
    expect(installOf('f', [])).toBeUndefined();
    expect(installOf('f', [install({}) as never])).toEqual({
      ...{ file: 'f', platform: 'http://cdap.example', namespace: 'default', hub: 'http://h', hubName: 'corp' },
      ...{ package: 'orders', version: '1.0.0', at: '2025-01-01T00:00:00.000Z', state: 'removed', items: [] },
    });
  });
});
