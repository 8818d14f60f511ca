import {
  chmodSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  awkwardRows,
  plainCsv,
  reportPlatform,
  REPORT_ID,
  type PageRequest,
  type PageScript,
  type ReportPlatform,
} from '../support/sites/report-platform.js';
import { rawAnswer } from '../support/raw-server.js';
import {
  environmentOf,
  runCli,
  STARTER,
  withTempDir,
  type RunOptions,
  type RunResult,
} from '../support/processes/run-cli.js';
import { Disks, giveTo, isRoot, STRANGER } from './broken-machine.js';
import { chance, DEPTH } from './depth.js';
import { hurried, impatient } from './front.js';

/** By how much pages and records are more than in `npm test`. */
const PAGES = { sample: 40, drawn: 200, all: 1200 }[DEPTH];
const CUTS = { sample: 4, drawn: 7, all: 20 }[DEPTH];
const RECORDS = { sample: 0, drawn: 500_000, all: 2_000_000 }[DEPTH];
const PAGE = 2500;
const disks = new Disks();
const original = { rows: awkwardRows(6253), few: awkwardRows(100) };
let platform: ReportPlatform;
let root: string;
let home: string;
let file: string;
let leave: () => void;
let gone: Promise<void>;

beforeAll(async () => {
  platform = await reportPlatform(0);
  root = await new Promise((ready) => {
    gone = withTempDir(async (folder) => {
      ready(folder);
      await new Promise<void>((done) => (leave = done));
    });
  });
});

afterAll(async () => {
  disks.removeAll();
  await platform.server.close();
  leave();
  await gone;
});

beforeEach(() => {
  Object.assign(platform, { rows: original.rows, announced: undefined, status: 'COMPLETED', script: () => undefined });
  (platform.pages as PageRequest[]).length = 0;
  home = mkdtempSync(join(root, 'home-'));
  file = join(home, 'out', 'runs.csv');
  mkdirSync(join(home, 'out'));
});

const line = (...more: readonly string[]): string[] => ['report', 'download', REPORT_ID, '-u', platform.url, ...more];
const download = (more: readonly string[] = ['-O', file], options: RunOptions = {}): Promise<RunResult> =>
  runCli(line(...more), { home, ...impatient(20), ...options });
const names = (): string[] => readdirSync(join(file, '..'));
const whole = (): string => plainCsv(platform.rows as Readonly<Record<string, unknown>>[]);

/** A run that fails with a code and leaves nothing under the final name. */
async function fails(
  exit: number,
  code: string,
  words: RegExp,
  more?: readonly string[],
  options?: RunOptions,
): Promise<RunResult> {
  const result = await download(more, options);
  expect(result, result.stderr).toMatchObject({ code: exit });
  expect(result.stderr).toContain(`[${code}]`);
  expect(result.stderr.replaceAll(/\s+/gu, ' ')).toMatch(words);
  expect(result.stderr).not.toMatch(/^\s+at .+:\d+:\d+\)?$/mu);
  expect(existsSync(file)).toBe(false);
  return result;
}

/** The same command without the fault makes the whole file and leaves nothing beside it. */
async function heals(more?: readonly string[]): Promise<void> {
  Object.assign(platform, { rows: original.rows, announced: undefined, status: 'COMPLETED', script: () => undefined });
  const { code, stderr } = await download(more);
  expect(code, stderr).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe(whole());
  expect(names()).toEqual(['runs.csv']);
}

/** Ends the connection behind so many bytes of an answer. */
function cutAt(asked: PageRequest, bytes: number, answer = platform.answer(asked)): 'handled' {
  asked.socket.write(answer.subarray(0, bytes), () => asked.socket.destroy());
  return 'handled';
}

describe('the pages of a report', () => {
  /** Pages of ten: the service says so. */
  const small: PageScript = ({ limit }) =>
    limit > 10 ? rawAnswer(400, 'limit must cannot be larger than 10') : undefined;

  /** Cuts pages once each at the byte that is told for them; undefined: not at all. */
  function cutOnce(byteOf: (page: number, bytes: number) => number | undefined): () => number {
    const cut = new Set<number>();
    platform.script = (asked) => {
      const short = small(asked);
      const page = asked.offset / 10;
      if (short !== undefined || cut.has(page)) return short;
      const answer = platform.answer(asked);
      const at = byteOf(page, answer.length);
      if (at === undefined) return undefined;
      cut.add(page);
      return cutAt(asked, at, answer);
    };
    return () => cut.size;
  }

  it(
    'N10: cut at any byte, each of them once, are asked for again, and the file is right to the last byte',
    { timeout: 300_000 },
    async () => {
      const pages = PAGES;
      Object.assign(platform, { rows: awkwardRows(10 * pages) });
      let seen = 0;
      const cuts = cutOnce((page, bytes) => {
        seen = Math.max(seen, bytes);
        return Math.floor(((page + chance('cut', 1000) / 1000) * bytes) / pages);
      });
      const { code, stderr } = await download(['-O', file], { timeout: 280_000 });
      expect([code, cuts()], stderr).toEqual([0, pages]);
      expect(readFileSync(file, 'utf8')).toBe(whole());
      expect(names()).toEqual(['runs.csv']);
      if (DEPTH === 'all') expect(seen).toBeLessThanOrEqual(pages);
    },
  );

  it.each([0, 2])('N10: of which page %d of 0 to 2 is cut are asked for again', { timeout: 300_000 }, async (cut) => {
    Object.assign(platform, { rows: original.few.slice(0, 30) });
    const samples = CUTS;
    for (let sample = 0; sample < samples; sample++) {
      const cuts = cutOnce((page, bytes) => (page === cut ? Math.floor((sample * bytes) / samples) : undefined));
      const { code, stderr } = await download(['-O', file, '--clobber']);
      expect([sample, code, cuts()], stderr).toEqual([sample, 0, 1]);
      expect(readFileSync(file, 'utf8')).toBe(whole());
    }
    expect(names()).toEqual(['runs.csv']);
  });

  it('N11: whose end only the connection tells are not taken for whole', async () => {
    let cuts = 0;
    platform.script = (asked) => {
      if (asked.offset !== PAGE || cuts++ > 0) return undefined;
      const text = platform.answer(asked).toString().split('\r\n\r\n')[1] ?? '';
      asked.socket.end(rawAnswer(200, text.slice(0, -100), { 'x-no-length': '', connection: 'close' }));
      return 'handled';
    };
    await heals0();
  });

  it('P28: that are gone in the middle are an error that says what to do', async () => {
    platform.script = ({ offset }) =>
      offset < PAGE ? undefined : rawAnswer(404, `Report with ReportId : ${REPORT_ID} does not exist.`);
    await fails(5, 'NOT_FOUND', /has expired or was deleted while it was read: got 2500 of 6253.*generate it again/u);
    expect(names()).toEqual([]);
    await heals();
  });

  it.each<[string, RegExp, PageScript]>([
    [
      'come again',
      /got 2500 of 6253/u,
      (asked) => (asked.offset === PAGE ? platform.answer({ offset: 0, limit: PAGE }) : undefined),
    ],
    [
      'repeat under another number',
      /the page at record 2500 repeats the run run-0/u,
      (asked) =>
        asked.offset === PAGE
          ? platform.answer(asked, { rows: [...original.rows.slice(0, PAGE), ...original.rows].slice(0, 6253) })
          : undefined,
    ],
    [
      'have one new record and then those of the page before',
      /the page at record 2500 repeats the run run-0/u,
      (asked) =>
        asked.offset === PAGE
          ? platform.answer(asked, { rows: [...original.rows.slice(0, PAGE + 1), ...original.rows].slice(0, 6253) })
          : undefined,
    ],
    [
      'make no progress',
      /is empty/u,
      (asked) =>
        asked.offset === PAGE
          ? platform.answer({ offset: PAGE, limit: PAGE }, { rows: original.rows.slice(0, PAGE), total: 6253 })
          : undefined,
    ],
    [
      'grow',
      /now has 6254/u,
      (asked) => (asked.offset === PAGE ? platform.answer(asked, { rows: [...original.rows, {}] }) : undefined),
    ],
  ])('P29: that %s do not fit', async (_, words, script) => {
    platform.script = script;
    await fails(12, 'PAGING', words);
    expect(names()).toEqual([]);
    await heals();
  });

  it('P30: from which rows vanish are SHORT, and --keep-partial keeps what came', async () => {
    const short: PageScript = (asked) => platform.answer(asked, { rows: original.few.slice(0, 90), total: 100 });
    Object.assign(platform, { rows: original.few, script: short });
    await fails(12, 'SHORT', /got 90 of 100/u);
    expect(names()).toEqual([]);
    await fails(12, 'SHORT', /got 90 of 100.*runs\.csv\.partial/u, ['-O', file, '--keep-partial']);
    expect(names()).toEqual(['runs.csv.partial']);
    expect(readFileSync(`${file}.partial`, 'utf8')).toBe(plainCsv(original.few.slice(0, 90)));
  });

  it('L09: leave a kept part as it is, and nothing is asked for, unless --clobber replaces it', async () => {
    const short: PageScript = (asked) => platform.answer(asked, { rows: original.few.slice(0, 90), total: 100 });
    Object.assign(platform, { rows: original.few, script: short });
    writeFileSync(`${file}.partial`, 'mine');
    await fails(6, 'EXISTS', /runs\.csv\.partial/u, ['-O', file, '--keep-partial']);
    expect([readFileSync(`${file}.partial`, 'utf8'), platform.pages.length]).toEqual(['mine', 0]);
    await fails(12, 'SHORT', /got 90 of 100.*runs\.csv\.partial/u, ['-O', file, '--keep-partial', '--clobber']);
    expect(readFileSync(`${file}.partial`, 'utf8')).toBe(plainCsv(original.few.slice(0, 90)));
  });

  it('P30: whose total shrinks are SHORT, between two pages and before the first', async () => {
    const fewer = original.rows.slice(0, 6000);
    platform.script = (asked) => (asked.offset === 0 ? undefined : platform.answer(asked, { rows: fewer }));
    await fails(12, 'SHORT', /it first had 6253 records and now has 6000/u);
    Object.assign(platform, { rows: fewer, announced: 6253, script: () => undefined });
    await fails(12, 'SHORT', /got 6000 of 6253/u);
    await heals();
  });

  it('P30: are never an end with 0 on stdout either, in any format', async () => {
    platform.script = (asked) =>
      asked.offset === 0 ? undefined : platform.answer(asked, { rows: original.rows.slice(0, 6000) });
    for (const format of ['csv', 'ndjson', 'json', 'table']) {
      const { code, stdout } = await download(['-o', format]);
      expect([format, code]).toEqual([format, 12]);
      if (format !== 'json') continue;
      expect(JSON.parse(stdout)).toMatchObject({ kind: 'Error', error: { code: 'SHORT' } });
    }
  });

  it('N37: are waited for while the service wakes up', async () => {
    platform.script = ({ n }) =>
      n > 6 ? undefined : rawAnswer(503, 'No discoverable found for request GET / HTTP/1.1');
    await heals0();
    expect(platform.pages.length).toBeGreaterThan(8);
  });

  it('N05: that stall let the next run go on where this one stopped', async () => {
    platform.script = (asked) => {
      if (asked.offset !== PAGE) return undefined;
      asked.socket.write(platform.answer(asked).subarray(0, 5000));
      return 'handled';
    };
    await fails(
      8,
      'NET_TIMEOUT',
      /to resume after \d+ bytes: run the same command again/u,
      ['-O', file, '-o', 'csv'],
      hurried(50, 20_000),
    );
    (platform.pages as PageRequest[]).length = 0;
    await heals(['-O', file, '-o', 'csv']);
    expect(platform.pages.map(({ offset }) => offset)).toEqual([PAGE, 2 * PAGE]);
  });
});

/** Heals by itself: one run makes the whole file. */
async function heals0(): Promise<void> {
  const { code, stderr } = await download();
  expect(code, stderr).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe(whole());
  expect(names()).toEqual(['runs.csv']);
}

describe('a report that is not to be had', () => {
  it('P26: because it FAILED shows the first line of its error, escaped', async () => {
    platform.status = 'FAILED';
    const { stderr } = await fails(11, 'REPORT_FAILED', /no \\x1b\[2J space/u);
    expect(stderr).not.toContain('D.java');
    expect(platform.pages).toEqual([]);
  });

  it('P27: because it is RUNNING names the command that waits, and --wait ends with 8', async () => {
    platform.status = 'RUNNING';
    await fails(6, 'RUNNING', new RegExp(`cdapctl report wait ${REPORT_ID}`, 'u'));
    const words = new RegExp(`continues.*cdapctl report wait ${REPORT_ID}`, 'u');
    await fails(8, 'STILL_RUNNING', words, ['-O', file, '--wait', '--timeout', '1s']);
  });
});

describe('the file of a report', () => {
  it('L09: that is there is kept unless --clobber replaces it, and nothing is asked for', async () => {
    writeFileSync(file, 'older');
    const before = platform.server.requests.length;
    const { code, stderr } = await download();
    expect([code, stderr]).toEqual([6, expect.stringContaining('[EXISTS]')]);
    const kept = await download(['-O', file, '--skip-existing', '--json']);
    expect(JSON.parse(kept.stdout)).toMatchObject({ kind: 'ReportDownload', item: { state: 'kept' } });
    expect(platform.server.requests).toHaveLength(before);
    expect(readFileSync(file, 'utf8')).toBe('older');
    await heals(['-O', file, '--clobber']);
  });

  it('L10: that is a link stays one, and its target as it was', async () => {
    const target = join(home, 'target');
    writeFileSync(target, 'mine');
    symlinkSync(target, file);
    const before = platform.server.requests.length;
    const { code, stderr } = await download(['-O', file, '--clobber']);
    expect([code, stderr]).toEqual([15, expect.stringContaining('[SYMLINK]')]);
    expect(platform.server.requests).toHaveLength(before);
    expect(readFileSync(target, 'utf8')).toBe('mine');
  });

  it('L04: in a folder that is not there is refused before anything is asked for', async () => {
    const before = platform.server.requests.length;
    const { code, stderr } = await download(['-O', join(home, 'no', 'runs.csv')]);
    expect([code, stderr]).toEqual([15, expect.stringContaining('[LOCAL_IO]')]);
    expect(platform.server.requests).toHaveLength(before);
  });

  it.skipIf(!isRoot)('L04: in a folder that may not be written is refused before anything is asked for', async () => {
    giveTo(STRANGER, home);
    chmodSync(root, 0o755);
    const locked = join(home, 'locked');
    mkdirSync(locked, { mode: 0o555 });
    const before = platform.server.requests.length;
    const preload = join(import.meta.dirname, '../support/processes/fault-preload.cjs');
    const env = { NODE_OPTIONS: `--require=${preload}`, FAULT_USER: String(STRANGER) };
    const { code, stderr } = await download(['-O', join(locked, 'runs.csv')], { env });
    expect([code, stderr]).toEqual([15, expect.stringMatching(/permission denied.*\[LOCAL_IO\]/u)]);
    expect(platform.server.requests).toHaveLength(before);
  });

  it.skipIf(!isRoot)('L01: on a disk that is full is not there, and its room is free again', async () => {
    disks.mount(join(home, 'out'), 200_000);
    await fails(15, 'DISK_FULL', /no space left to write .*runs\.csv/u);
    expect(names()).toEqual([]);
    disks.change(join(home, 'out'), 'size=10000000');
    await heals();
  });

  it('L29: on stdout that is closed early is an end with 0 and no trace', async () => {
    const child = spawn(process.execPath, [STARTER, ...line('-o', 'csv')], { cwd: home, env: environmentOf(home) });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    const ended = once(child, 'close');
    const [first] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    child.stdout.destroy();
    expect(first).toBe('run,end,endUtc,user');
    expect([(await ended)[0], stderr]).toEqual([0, expect.not.stringContaining('EPIPE')]);
  });

  it.each(['csv', 'ndjson', 'json'])(
    'of a run that was killed is not there as %s, and the next run makes it whole',
    async (format) => {
      const reached = new Promise<void>((resolve) => {
        platform.script = ({ offset }) => {
          if (offset < 2 * PAGE) return undefined;
          resolve();
          return 'handled';
        };
      });
      const words = line('-O', file, '-o', format);
      const child = spawn(process.execPath, [STARTER, ...words], {
        cwd: home,
        env: environmentOf(home),
        stdio: 'ignore',
      });
      const ended = once(child, 'close');
      await reached;
      child.kill('SIGKILL');
      await ended;
      expect(names().filter((name) => !name.startsWith('.cdapctl-'))).toEqual([]);
      platform.script = () => undefined;
      const { code, stderr } = await download(['-O', file, '-o', format]);
      expect(code, stderr).toBe(0);
      expect(names()).toEqual(['runs.csv']);
      const text = readFileSync(file, 'utf8');
      if (format === 'csv') expect(text).toBe(whole());
      else if (format === 'ndjson') expect(text.split('\n')).toHaveLength(6253 + 2);
      else expect((JSON.parse(text) as { items: unknown[] }).items).toHaveLength(6253);
    },
  );
});

describe.skipIf(RECORDS === 0)(`${RECORDS} records`, () => {
  it('P30: come whole in constant memory', { timeout: 1_200_000 }, async () => {
    const total = RECORDS;
    const row = (at: number): Readonly<Record<string, unknown>> => ({
      run: `run-${at}`,
      end: at,
      user: 'alice',
      program: 'p',
    });
    Object.assign(platform, { announced: total });
    platform.script = (asked) => {
      const rows = Array.from({ length: Math.min(asked.limit, total - asked.offset) }, (_, at) =>
        row(asked.offset + at),
      );
      const text = JSON.stringify({ offset: asked.offset, limit: asked.limit, total, details: rows });
      return rawAnswer(200, text);
    };
    const peaks = join(home, 'peaks');
    const env = { NODE_OPTIONS: `--require=${join(import.meta.dirname, '../bench/peak.cjs')}`, PEAK_FILE: peaks };
    const { code, stderr } = await download(['-O', file], { env, timeout: 600_000 });
    expect(code, stderr).toBe(0);
    let at = -1;
    for await (const text of createInterface({ input: createReadStream(file) })) {
      const utc = new Date(at * 1000).toISOString().slice(0, 19).replace('T', ' ');
      if (at >= 0 && text !== `run-${at},${at},${utc},alice`) throw new Error(`row ${at} is ${text}`);
      at += 1;
    }
    expect(at).toBe(total);
    expect(Number(readFileSync(peaks, 'utf8'))).toBeLessThan(150);
  });
});
