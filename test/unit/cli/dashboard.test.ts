import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { runDashboard, type DashboardOptions } from '../../../src/flows/watching/dashboard.js';
import { checkDashboard, type DashboardFlags } from '../../../src/flows/watching/dashboard-inputs.js';
import { probePage } from '../../../src/flows/watching/dashboard-page.js';
import { Redraw } from '../../../src/flows/watching/redraw.js';
import { watchDashboard } from '../../../src/flows/watching/dashboard-watch.js';
import { parseCondition } from '../../../src/core/condition.js';
import { CliError, type ErrorCode } from '../../../src/core/errors.js';
import type { Format } from '../../../src/output/format.js';
import type { ShownDashboard } from '../../../src/output/views/dashboard/text.js';
import type { Dashboard } from '../../../src/services/dashboard/dashboard.js';
import { fakeTerminal, type FakeTerminal } from '../../support/processes/terminal.js';
import { atWork, dashboardOf, itemsOf, NOW, record } from '../services/dashboard/support.js';
import { temporaryFolder } from '../state/support.js';

const root = temporaryFolder();
let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(root, 'dashboard-'));
});

const quiet = dashboardOf(itemsOf(record()));
const running = dashboardOf(itemsOf(record(), atWork()), { now: NOW + 30 });
const failed = dashboardOf(itemsOf(record(), record({ run: 'open', status: 'FAILED' })), { now: NOW + 60 });

interface Ran {
  readonly error: CliError | undefined;
  readonly terminal: FakeTerminal;
  readonly shown: readonly ShownDashboard[];
  readonly waits: readonly number[];
}

interface Given extends Partial<DashboardOptions> {
  readonly format?: Format;
  readonly terminal?: FakeTerminal;
  /** Where the watching is stopped, as by Ctrl-C. */
  readonly stopAfter?: number;
  readonly failIf?: readonly string[];
}

/** Runs with these looks, one after the other; an error in their place is thrown. */
async function ran(looks: readonly (Dashboard | CliError)[], given: Given = {}, interval?: number): Promise<Ran> {
  const { format = 'table', terminal = fakeTerminal(), stopAfter = Infinity, failIf = [], ...more } = given;
  const stop = new AbortController();
  const waits: number[] = [];
  const sleep = async (milliseconds: number, signal: AbortSignal): Promise<void> => {
    waits.push(milliseconds);
    if (waits.length >= stopAfter) stop.abort(new CliError('INTERRUPTED', 'stopped by Ctrl-C'));
    signal.throwIfAborted();
  };
  const clock = { now: () => NOW * 1000, monotonic: () => 0, sleep };
  const session = { argv: ['dashboard', '-o', format], env: {}, terminal, clock, signal: stop.signal };
  const shown: ShownDashboard[] = [];
  let at = 0;
  const run: DashboardOptions = {
    session,
    look: async () => {
      const look = looks[Math.min(at++, looks.length - 1)];
      if (look instanceof CliError || look === undefined) throw look ?? new Error('no look');
      return look;
    },
    ...{
      context: 'prod',
      url: 'https://cdap.example.com',
      link: () => undefined,
      parts: 'auto',
      groupBy: undefined,
      page: undefined,
    },
    conditions: failIf.map((text) => parseCondition(text, 'failed>0')),
    show: async (one) => void shown.push(one),
    ...more,
  };
  const work = interval === undefined ? runDashboard(run) : watchDashboard(run, interval);
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown as CliError,
  );
  return { error, terminal, shown, waits };
}

describe('a dashboard with --fail-if', () => {
  it('is shown, and then ends with GATE when a condition holds', async () => {
    const { error, shown } = await ran([failed], { failIf: ['failed>0', 'completed>5'] });
    expect(shown).toHaveLength(1);
    expect(error).toMatchObject({ code: 'GATE', exitCode: 11, message: 'condition met: failed>0 (failed is 1)' });
  });

  it('ends well when none holds', async () => {
    const { error, shown } = await ran([quiet], { failIf: ['failed>0'] });
    expect([error, shown.length]).toEqual([undefined, 1]);
  });

  it.each(['json', 'yaml', 'ndjson'] as const)('is inside the error, the one document, in %s', async (format) => {
    const { error, shown } = await ran([failed], { failIf: ['failed>0'], format });
    expect(shown).toEqual([]);
    expect(error?.details.item).toMatchObject({ summary: { failed: 1 }, items: [{}, { state: 'FAILED' }] });
  });

  it.each([
    [0, []],
    [3, [{ code: 'MISSED_UNKNOWN', message: expect.stringContaining('whether 3 active schedules missed') as string }]],
  ])('says that missed starts are not known (%s not judged)', async (notJudged, warnings) => {
    const { terminal } = await ran([{ ...quiet, notJudged }], { failIf: ['missed>0'] });
    expect(terminal.warnings).toMatchObject(warnings);
    expect((await ran([{ ...quiet, notJudged }], { failIf: ['failed>0'] })).terminal.warnings).toEqual([]);
  });

  it.each<[Format, number, boolean]>([
    ['table', 1, false],
    ['json', 0, true],
  ])('is refused after it is shown where it could never hold (%s)', async (format, count, isInside) => {
    const blind = { ...failed, notJudged: undefined };
    const { error, shown, terminal } = await ran([blind], { failIf: ['failed>0', 'missed>0'], format });
    expect(error).toMatchObject({ code: 'INCOMPATIBLE', exitCode: 6 });
    expect(error?.message).toBe(
      '--fail-if missed>0: missed starts are unknown, as no active schedule can be judged on this platform',
    );
    expect(error?.details.item !== undefined).toBe(isInside);
    expect([shown.length, terminal.warnings]).toEqual([count, []]);
    expect((await ran([blind], { failIf: ['failed>0'], format })).error?.code).toBe('GATE');
  });
});

describe('the page of --html', () => {
  it('is written whole, and one line says so in place of the dashboard', async () => {
    const file = join(folder, 'night.html');
    const { shown, terminal } = await ran([quiet], { page: { file, clobber: false } });
    expect(readFileSync(file, 'utf8')).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/u);
    expect([shown, terminal.out]).toEqual([[], []]);
    expect(terminal.notes).toEqual([`wrote ${file}`]);
    const json = await ran([quiet], { page: { file, clobber: true }, format: 'json' });
    expect(json.shown).toHaveLength(1);
  });

  it('T33: is told with a path that moves no terminal', async () => {
    const { terminal } = await ran([quiet], { page: { file: join(folder, 'a\u001b[2J.html'), clobber: false } });
    expect(terminal.notes).toEqual([`wrote ${join(folder, 'a\\x1b[2J.html')}`]);
  });

  it('takes the place of all else on stdout', async () => {
    const { shown, terminal } = await ran([quiet], { page: { file: '-', clobber: false } });
    expect(shown).toEqual([]);
    expect(terminal.out.join('')).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/u);
  });

  it('is refused before anything is asked where it cannot be written', async () => {
    const file = join(folder, 'there.html');
    writeFileSync(file, 'mine');
    await expect(probePage({ file, clobber: false })).rejects.toMatchObject({ code: 'EXISTS' });
    await probePage({ file, clobber: true });
    expect(readFileSync(file, 'utf8')).toBe('mine');
    await expect(probePage({ file: join(folder, 'no', 'x.html'), clobber: false })).rejects.toMatchObject({
      code: 'LOCAL_IO',
    });
    const fresh = join(folder, 'fresh.html');
    await probePage({ file: fresh, clobber: false });
    expect(existsSync(fresh)).toBe(false);
  });

  it('is written anew at each look', async () => {
    const file = join(folder, 'watched.html');
    await ran([quiet, failed], { page: { file, clobber: false }, stopAfter: 2 }, 1000);
    expect(readFileSync(file, 'utf8')).toContain('<td class="state failed">FAILED</td>');
  });
});

describe('--watch', () => {
  it('appends a line for each change off a terminal, until Ctrl-C', async () => {
    const { error, terminal, shown, waits } = await ran([quiet, running, running, failed], { stopAfter: 4 }, 30_000);
    expect(error).toMatchObject({ code: 'INTERRUPTED', exitCode: 130 });
    expect(terminal.watching).toBe(true);
    expect(waits).toEqual([30_000, 30_000, 30_000, 30_000]);
    expect(shown).toHaveLength(1);
    expect(terminal.out).toEqual([
      '05-02 22:00:30  new  etl/orders-hourly  RUNNING  started 05-02 21:00:00  1h 00m  open\n',
      '05-02 22:00:30  failed 0   running 1   completed 1   scheduled 0\n',
      '05-02 22:01:00  changed  etl/orders-hourly  FAILED  started 05-02 21:00:00  1m 35s  open\n',
      '05-02 22:01:00  failed 1   running 0   completed 1   scheduled 0\n',
    ]);
  });

  it('is left by q, which is no error, and gives the keyboard back', async () => {
    let type: (key: string) => void = () => undefined;
    const terminal = fakeTerminal({ stdout: { ...fakeTerminal().stdout, terminal: true } });
    let given = 0;
    terminal.keys = (listener) => {
      type = listener;
      return () => (given += 1);
    };
    const look = async () => {
      type('x');
      type('q');
      return quiet;
    };
    const { error } = await ran([quiet], { terminal, look, stopAfter: 5 }, 30_000);
    expect([error, given]).toEqual([undefined, 1]);
    expect(terminal.out.join('')).toContain('22:00:00Z, every 30s, q ends');
  });

  it('tells changes as events in ndjson', async () => {
    const { terminal } = await ran([quiet, quiet, failed], { format: 'ndjson', stopAfter: 3 }, 30_000);
    const events = terminal.out.map((line) => JSON.parse(line) as { type: string; change?: string });
    expect(events.map(({ type, change }) => [type, change])).toEqual([
      ['item', 'new'],
      ['summary', undefined],
      ['item', 'new'],
      ['summary', undefined],
    ]);
  });

  it('draws over itself at a terminal', async () => {
    const look = { terminal: true, color: false, columns: 80, unicode: true, utc: true };
    const terminal = { ...fakeTerminal({ stdout: look }), size: () => ({ columns: 60, rows: 10 }) };
    await ran([quiet, running], { terminal, stopAfter: 2 }, 30_000);
    const [first = '', second = '', ...end] = terminal.out;
    // The sign of Ctrl-C does not stay.
    expect(end).toEqual(['\r\u001b[2K']);
    const lines = (first.match(/\n/gu) ?? []).length;
    expect(lines).toBeLessThanOrEqual(9);
    expect(second).toContain(`\u001b[${lines}A`);
    expect(second).toContain('running 1');
    expect(second).toContain('every 30s, q ends; 3 columns hidden\n');
  });

  it('leads from a failed run to its reason, in a frame with room for the command', async () => {
    const look = { terminal: true, color: false, columns: 80, unicode: true, utc: true };
    const frames = async (columns: number) => {
      const terminal = { ...fakeTerminal({ stdout: look }), size: () => ({ columns, rows: 12 }) };
      await ran([quiet, failed], { terminal, stopAfter: 2 }, 30_000);
      expect(terminal.notes).toEqual([]);
      return terminal.out;
    };
    const [first, second = ''] = await frames(60);
    expect(first).not.toContain('next:');
    expect(second).toContain('next: cdapctl pipeline why etl/orders-hourly open\n');
    expect((second.match(/\n/gu) ?? []).length).toBeLessThanOrEqual(11);
    expect((await frames(40)).join('')).not.toContain('next:');
  });

  it('leads from a failed run to its reason off a terminal, once for each, and programs to none', async () => {
    const { terminal } = await ran([quiet, failed, failed], { stopAfter: 3 }, 30_000);
    expect(terminal.notes).toEqual(['next: cdapctl pipeline why etl/orders-hourly open']);
    expect((await ran([failed], { stopAfter: 1 }, 30_000)).terminal.notes).toEqual(terminal.notes);
    expect((await ran([failed], { stopAfter: 1, format: 'ndjson' }, 30_000)).terminal.notes).toEqual([]);
  });

  it('draws below what was said in between', async () => {
    const look = { terminal: true, color: false, columns: 80, unicode: true, utc: true };
    const terminal = { ...fakeTerminal({ stdout: look }), size: () => ({ columns: 60, rows: 10 }) };
    const away = new CliError('UNAVAILABLE', 'the platform is away');
    await ran([quiet, away, running, failed], { terminal, stopAfter: 4 }, 30_000);
    expect(terminal.out.map((frame) => /\u001b\[\d+A/u.test(frame))).toEqual([false, false, true, false]);
  });

  it('says once that the platform is away', async () => {
    const away = new CliError('UNAVAILABLE', 'the platform is away');
    const { terminal } = await ran([quiet, away, away, quiet, away], { stopAfter: 5 }, 30_000);
    expect(terminal.warnings.map(({ code }) => code)).toEqual(['AWAY', 'AWAY']);
  });

  it('ends with GATE at the look at which a condition holds', async () => {
    const { error, waits } = await ran([quiet, running, failed], { failIf: ['failed>0'] }, 30_000);
    expect(error?.code).toBe('GATE');
    expect(waits).toHaveLength(2);
  });

  it('ends at the first look where a condition could never hold', async () => {
    const given = { failIf: ['missed>0'], stopAfter: 2 };
    const { error, shown, waits } = await ran([{ ...quiet, notJudged: undefined }], given, 30_000);
    expect([error?.code, shown.length, waits]).toEqual(['INCOMPATIBLE', 1, []]);
  });

  it.each<[ErrorCode, boolean]>([
    ['NET_REFUSED', true],
    ['UNAVAILABLE', true],
    ['NET_TIMEOUT', true],
    ['NET_DNS', true],
    ['AUTH', false],
    ['TLS', false],
    ['BAD_ANSWER', false],
  ])('a platform that answers %s later does not end it: %s', async (code, goesOn) => {
    const away = new CliError(code, 'the platform is away');
    const { error, terminal } = await ran([quiet, away, failed], { failIf: ['failed>0'] }, 30_000);
    expect(error?.code).toBe(goesOn ? 'GATE' : code);
    expect(terminal.warnings).toHaveLength(goesOn ? 1 : 0);
    expect((await ran([away], {}, 30_000)).error?.code).toBe(code);
  });
});

describe('drawing in place', () => {
  it('goes back to where it began, also from a longer frame to a shorter one', async () => {
    const terminal = { ...fakeTerminal(), size: () => ({ columns: 80, rows: 4 }) };
    const redraw = new Redraw(terminal);
    for (const text of ['a\nb\nc\nd\ne\n', 'a\n', 'b\n']) await redraw.draw(text);
    const ups = terminal.out.map((frame) => /\u001b\[(\d+)A/u.exec(frame)?.[1]);
    expect(ups).toEqual([undefined, '3', '1']);
    expect(terminal.out[0]).toContain('b\n\u001b[2K3 more lines: enlarge the terminal window\n');
    for (const frame of terminal.out) expect(frame.endsWith('\u001b[J\u001b[?7h')).toBe(true);
  });
});

describe('flags that contradict each other', () => {
  const plain: DashboardFlags = { 'all-namespaces': false, clobber: false, watch: false };

  it.each<[string, Partial<DashboardFlags>, readonly string[], Format]>([
    ['-A and -n', { 'all-namespaces': true, namespace: ['a'] }, ['namespace', 'all-namespaces'], 'table'],
    ['--watch with json', { watch: true }, ['watch'], 'json'],
    ['--watch with csv', { watch: true }, ['watch'], 'csv'],
    ['--watch with a page on stdout', { watch: true, html: '-' }, ['watch'], 'table'],
    ['a page and json on stdout', { html: '-' }, [], 'json'],
    ['a page and lines of json on stdout', { html: '-' }, [], 'ndjson'],
    ['a page and csv on stdout', { html: '-' }, [], 'csv'],
    ['--interval alone', { interval: 5000 }, ['interval'], 'table'],
    ['a short interval', { watch: true, interval: 10 }, ['interval'], 'table'],
    ['--group-by with --runs', { 'group-by': 'hour', runs: true }, [], 'table'],
    ['--group-by with --timeline', { 'group-by': 'hour', timeline: true }, [], 'table'],
    ['--clobber alone', { clobber: true }, ['clobber'], 'table'],
    ['two windows', { start: 'now-1h', last: 1000 }, [], 'table'],
    ['a bad time', { start: 'gestern' }, [], 'table'],
    ['a bad condition', { 'fail-if': ['failed'] }, [], 'table'],
    ['an unknown count', { 'fail-if': ['faled>0'] }, [], 'table'],
    ['a count of what --status leaves out', { 'fail-if': ['failed>0'], status: ['RUNNING'] }, [], 'table'],
    ['a count of runs with starts alone', { 'fail-if': ['total>0'], status: ['missed', 'scheduled'] }, [], 'table'],
    ['a count of starts that --type leaves out', { 'fail-if': ['missed>0'], type: ['SPARK'] }, [], 'table'],
  ])('%s', (_, flags, onLine, format) => {
    const check = () => checkDashboard({ ...plain, ...flags }, new Set(onLine), format, NOW * 1000);
    expect(check).toThrow(expect.objectContaining({ code: 'USAGE' }) as Error);
  });

  it('are not those that fit', () => {
    const flags = { ...plain, namespace: ['a'], watch: true, interval: 1000, 'fail-if': ['failed>0', 'missed>=1'] };
    expect(checkDashboard(flags, new Set(['namespace', 'interval']), 'ndjson', NOW * 1000)).toHaveLength(2);
    const counted = {
      status: ['FAILED', 'missed'],
      type: ['WORKFLOW'],
      'fail-if': ['failed>0', 'missed>0', 'total>9'],
    };
    expect(checkDashboard({ ...plain, ...counted }, new Set(), 'table', NOW * 1000)).toHaveLength(3);
    expect(checkDashboard({ ...plain, html: '-' }, new Set(), 'wide', NOW * 1000)).toEqual([]);
    expect(checkDashboard({ ...plain, html: 'night.html' }, new Set(), 'json', NOW * 1000)).toEqual([]);
  });
});
