import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rm } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../src/emulator/start.js';
import { rawAnswer } from '../support/raw-server.js';
import { runCli } from '../support/processes/run-cli.js';
import { startCli, type RunningCli } from '../support/processes/running-cli.js';
import { front } from './front.js';

const REPORTS = '/v3/namespaces/system/apps/ReportGenerationApp/spark/ReportGenerationSpark/methods/reports';
const STOPPING = 'stopping after the current requests';
const GENERATE = ['generate', '--last', '7d', '--field', 'run', '--engine', 'platform'];
const CREATION = /^POST .*\/reports$/u;
const SAVING = /^POST .*\/save$/u;
const DELETION = /^DELETE /u;

let emulator: RunningEmulator;
let home: string;

beforeAll(async () => {
  const seed = { runs: { count: 100 }, reports: { running: true, generateMilliseconds: 0 } };
  emulator = await startEmulator({ port: 0, hubPort: 0, platform: '6.1.1', seed });
  home = mkdtempSync(join(tmpdir(), 'cdapctl-report-writes-'));
});

afterAll(async () => {
  await emulator.close();
  await rm(home, { recursive: true, force: true });
});

const report = (...args: readonly string[]) =>
  runCli(['report', ...args], { home, env: { CDAPCTL_URL: emulator.url } });

/** The ids of the reports that are there. */
async function ids(): Promise<readonly string[]> {
  const answer = (await (await fetch(`${emulator.url}${REPORTS}`)).json()) as { reports: { id: string }[] };
  return answer.reports.map(({ id }) => id);
}

/** Makes a finished report; its id. */
async function made(): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const request = { name: 'x', start: now - 86_400, end: now, fields: ['run'], filters: [] };
  const body = JSON.stringify(request);
  const { id } = (await (await fetch(`${emulator.url}${REPORTS}`, { method: 'POST', body })).json()) as { id: string };
  await fetch(`${emulator.url}/emulator/reports`, { method: 'POST', body: '{"finish":true}' });
  return id;
}

/** A command that stands still when the platform has applied a request of it and not answered; `go` lets the answer through, or loses it. */
async function inFlight(
  args: readonly string[],
  of: RegExp,
): Promise<{ run: RunningCli; go: (answer: 'comes' | 'is lost') => void; sent: () => number }> {
  let pass: (answer: 'comes' | 'is lost') => void = () => undefined;
  let reach: () => void = () => undefined;
  const gate = new Promise<'comes' | 'is lost'>((resolve) => (pass = resolve));
  const reached = new Promise<void>((resolve) => (reach = resolve));
  let sent = 0;
  const { url } = await front(emulator.url, async ({ method, path, effect, socket }) => {
    if (!of.test(`${method} ${path}`)) return undefined;
    sent += 1;
    const { status, body } = await effect();
    reach();
    if ((await gate) === 'is lost') socket.destroy();
    else socket.end(rawAnswer(status, body, { connection: 'close' }));
    return 'handled';
  });
  const run = startCli(['report', ...args], { home, env: { CDAPCTL_URL: url } });
  await Promise.race([reached, run.ended]);
  return { run, go: pass, sent: () => sent };
}

/** Stops it with Ctrl-C, lets the answer through or loses it, and waits for the end. */
async function interrupted(args: readonly string[], of: RegExp, answer: 'comes' | 'is lost') {
  const { run, go, sent } = await inFlight(args, of);
  run.kill('SIGINT');
  await run.see(STOPPING);
  go(answer);
  return { ...(await run.ended), sent: sent() };
}

/** Runs a command that a hint has named. */
async function hinted(text: string, command: RegExp): Promise<void> {
  const [, words = ''] = command.exec(text) ?? [];
  expect(words, text).not.toBe('');
  const { code, stderr } = await report(...words.split(' '));
  expect(code, stderr).toBe(0);
}

const ANSWERS = ['comes', 'is lost'] as const;

describe('Ctrl-C while a report is asked for', () => {
  it.each(ANSWERS)('L26: lets it be made once when the answer %s, and names the command that waits', async (answer) => {
    const before = (await ids()).length;
    const { code, stdout, stderr, sent } = await interrupted([...GENERATE, '--wait'], CREATION, answer);
    expect([code, stdout, sent], stderr).toEqual([130, '', 1]);
    expect(stderr.includes('the response was lost, but the report was found')).toBe(answer === 'is lost');
    await hinted(stderr, /the platform continues to generate the report: cdapctl report (wait \S+)/u);
    expect(await ids()).toHaveLength(before + 1);
  });

  it('L26: ends as ever when nothing is left to do', async () => {
    const { code, stdout, stderr, sent } = await interrupted(GENERATE, CREATION, 'comes');
    expect([code, sent], stderr).toEqual([0, 1]);
    expect(stdout).toContain(`Report ${(await ids())[0] ?? ''}`);
    await hinted(stderr, /^next: cdapctl report (wait \S+)$/mu);
  });

  it('L27: twice says that it may be made, and where to look', async () => {
    const { run, go, sent } = await inFlight(GENERATE, CREATION);
    run.kill('SIGINT');
    await run.see(STOPPING);
    run.kill('SIGINT');
    const { code, stderr } = await run.ended;
    go('comes');
    expect([code, sent()]).toEqual([130, 1]);
    expect(stderr).toContain('may or may not have been applied');
    await hinted(stderr, /cdapctl report (list)/u);
  });
});

describe('Ctrl-C while a report is saved', () => {
  it.each(ANSWERS)(
    'L26: lets it be saved once when the answer %s, and names the command for its records',
    async (answer) => {
      const [id, file] = [await made(), join(home, `saved ${answer}.csv`.replaceAll(' ', '-'))];
      const args = ['save', id, '-y', '--name', 'kept', '--download-to', file];
      const { code, stdout, stderr, sent } = await interrupted(args, SAVING, answer);
      expect([code, stdout, sent], stderr).toEqual([130, '', 1]);
      expect(existsSync(file)).toBe(false);
      await hinted(stderr, /the report is saved; to download its records: cdapctl report (.*)/u);
      expect(existsSync(file)).toBe(true);
      expect((await report('list', '--name', 'kept', '-o', 'name')).stdout).toContain(id);
    },
  );
});

describe('Ctrl-C while reports are deleted', () => {
  it.each(ANSWERS)('L26: lets one be deleted once when the answer %s, and leaves the others', async (answer) => {
    const [first, second] = [await made(), await made()];
    const line = ['delete', first, second, '-y'];
    const { code, stderr, sent } = await interrupted(line, DELETION, answer);
    expect([code, sent], stderr).toEqual([130, 1]);
    expect(stderr).toContain('1 of 2 reports were deleted');
    expect(await ids()).toContain(second);
    expect(await ids()).not.toContain(first);
    expect((await report('delete', second, '-y')).code).toBe(0);
  });
});
