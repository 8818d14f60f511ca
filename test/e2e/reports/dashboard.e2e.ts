import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../../src/emulator/start.js';
import { startPty } from '../../support/processes/pty.js';
import { environmentOf, runCli, STARTER, withTempDir, type RunResult } from '../../support/processes/run-cli.js';

interface Item {
  readonly application: { readonly name: string };
  readonly namespace: string;
  readonly type: string;
  readonly program: string;
  readonly run?: string;
  readonly start: number;
  readonly status?: string;
  readonly end?: number;
  readonly scheduled?: boolean;
  readonly missed: boolean;
}

interface Document {
  readonly kind: string;
  readonly items: readonly Item[];
  readonly summary: Readonly<Record<string, number | null>>;
  readonly window: { readonly start: number; readonly end: number };
  readonly namespaces: readonly string[];
  readonly error?: { readonly code: string };
  readonly item?: Document;
}

const documentOf = ({ stdout }: RunResult): Document => JSON.parse(stdout) as Document;
const isOfPipeline = ({ type, program }: Item): boolean =>
  type === 'WORKFLOW' || program === 'DataStreamsSparkStreaming';
const markOf = ({ namespace, application, run, start, status, end }: Item): string =>
  [namespace, application.name, run ?? 'scheduled', start, status, end].join(' ');

describe.each(['6.11.0', '6.1.1'] as const)('a dashboard of %s', (platform) => {
  // What does not hang on the answers of a generation is seen on one of them.
  const isNewest = platform === '6.11.0';
  let emulator: RunningEmulator;

  beforeAll(async () => {
    const seed = { namespaces: ['etl'], runs: { count: 3000 } };
    emulator = await startEmulator({ port: 0, hubPort: 0, platform, seed });
  });

  afterAll(async () => {
    await emulator.close();
  });

  const dashboard = (...flags: readonly string[]): Promise<RunResult> =>
    runCli(['dashboard', '-u', emulator.url, ...flags]);

  it.runIf(isNewest)('names what comes next at a terminal, and where the UI shows it', () =>
    withTempDir(async (home) => {
      const ui = 'http://ui.example.com:11011';
      await runCli(['context', 'add', 'here', '-u', emulator.url, '--ui-url', ui], { home });
      const pty = startPty(['dashboard', '-A', '--last', '7d', '--context', 'here'], home, '/dev/tty');
      expect(await pty.end()).toBe(0);
      const [, pipeline = '', run = ''] =
        /^next: cdapctl pipeline why (\S+) (\w{8}) --context here\r?$/mu.exec(pty.shown()) ?? [];
      const [namespace = '', name = ''] = pipeline.split('/');
      expect(pty.shown()).toContain(`\nnext: ${ui}/pipelines/ns/${namespace}/view/${name}?runid=${run}`);
    }),
  );

  it('has the runs and the coming starts of the platform, each once', async () => {
    const { items, summary, window, namespaces } = documentOf(
      await dashboard('-A', '--last', '7d', '--next', '2d', '--json'),
    );
    const query = new URLSearchParams([
      ['start', String(window.start)],
      ['duration', String(window.end - window.start)],
      ...namespaces.map((namespace) => ['namespace', namespace]),
    ]);
    const answer = await fetch(`${emulator.url}/v3/dashboard?${query.toString()}`);
    const own = ((await answer.json()) as Item[]).filter(isOfPipeline);
    const listed = items.filter(({ missed }) => !missed);
    expect(listed.length).toBeGreaterThan(300);
    expect(new Set(listed.map(markOf))).toEqual(new Set(own.map(markOf)));
    expect(listed).toHaveLength(new Set(own.map(markOf)).size);
    const [coming, total] = [summary['scheduled'] ?? 0, summary['total'] ?? 0];
    expect(coming).toBeGreaterThan(0);
    expect(total + coming).toBe(listed.length);
    // Two of its schedules have been active for days, which 6.1.1 does not tell.
    if (isNewest) expect(summary['missed']).toBeGreaterThan(2);
    expect(summary['missed']).toBe(isNewest ? items.length - listed.length : null);
  });

  it.runIf(isNewest)('P33: refuses a window that cannot be before it sends anything', async () => {
    const before = await (await fetch(`${emulator.url}/emulator/requests`)).text();
    for (const flags of [['--duration=-1h'], ['--last', '4000d'], ['--next', '12'], ['--start', '1960-01-01']]) {
      const refused = await dashboard(...flags, '--json');
      expect(refused.code, flags.join(' ')).toBe(2);
      expect(documentOf(refused).error?.code).toBe('USAGE');
    }
    expect(await (await fetch(`${emulator.url}/emulator/requests`)).text()).toBe(before);
  });

  it.runIf(isNewest)(
    'ends with 11 after the output when a condition holds, with 5 for a namespace that is not there',
    async () => {
      const table = await dashboard('-A', '--last', '2d', '--fail-if', 'completed>0');
      expect([table.code, table.stderr]).toEqual([
        11,
        expect.stringMatching(/^Error: condition met: completed>0 .*\[GATE\]$/mu),
      ]);
      expect(table.stdout).toMatch(/^NAMESPACE +PIPELINE +STATE/mu);
      const json = await dashboard('-A', '--last', '2d', '--fail-if', 'completed>0', '--json');
      expect(documentOf(json)).toMatchObject({ kind: 'Error', error: { code: 'GATE' }, item: { window: {} } });
      expect((await dashboard('-A', '--last', '1d', '--fail-if', 'missed>0')).code).toBe(11);
      expect((await dashboard('-n', 'nope')).code).toBe(5);
    },
  );

  it.runIf(isNewest)('writes a page once, and again only when it may', async () => {
    await withTempDir(async (home) => {
      const args = ['dashboard', '-u', emulator.url, '-A', '--html', 'night.html'];
      expect((await runCli(args, { home })).code).toBe(0);
      const page = readFileSync(join(home, 'night.html'), 'utf8');
      expect(page).toMatch(/^<!doctype html>[\s\S]*<\/html>\n$/u);
      expect((await runCli(args, { home })).code).toBe(6);
      expect((await runCli([...args, '--clobber'], { home })).code).toBe(0);
    });
  });

  it.runIf(isNewest)('links the runs of a page to the UI that the context names, which config get prints', async () => {
    await withTempDir(async (home) => {
      const run = (...args: readonly string[]): Promise<RunResult> => runCli(args, { home });
      expect((await run('context', 'add', 'test', '--url', emulator.url)).code).toBe(0);
      expect(await run('config', 'get', 'uiUrl')).toMatchObject({ code: 0, stdout: '', stderr: 'uiUrl is not set\n' });
      const page = async (...flags: readonly string[]): Promise<string> => {
        expect((await run('dashboard', '-A', '--html', 'page.html', '--clobber', ...flags)).code).toBe(0);
        return readFileSync(join(home, 'page.html'), 'utf8');
      };
      expect(await page()).not.toContain('<a href=');
      expect((await run('config', 'set', 'uiUrl', 'https://ui.example.com/cdap/')).code).toBe(0);
      expect(await run('config', 'get', 'uiUrl')).toMatchObject({ code: 0, stdout: 'https://ui.example.com/cdap/\n' });
      const [item] = documentOf(await run('dashboard', '-A', '--json')).items.filter(({ run: id }) => id !== undefined);
      const place = `/pipelines/ns/${item?.namespace ?? ''}/view/${item?.application.name ?? ''}?runid=${item?.run ?? ''}`;
      expect(await page()).toContain(`<a href="https://ui.example.com/cdap${place}"`);
      expect(await page('--ui-url', 'https://other.example.com')).toContain(
        `<a href="https://other.example.com${place}"`,
      );
      expect((await run('config', 'unset', 'uiUrl')).code).toBe(0);
      const unset = await run('config', 'get', 'uiUrl', '--json');
      expect([unset.code, unset.stdout]).toEqual([0, expect.not.stringContaining('https')]);
    });
  });
});

describe('a dashboard that is watched', () => {
  it('goes on until Ctrl-C, which is 130', async () => {
    const emulator = await startEmulator({ port: 0, hubPort: 0, seed: { runs: { count: 100 } } });
    try {
      await withTempDir(async (home) => {
        const args = [STARTER, 'dashboard', '-u', emulator.url, '--watch', '-o', 'ndjson'];
        const child = spawn(process.execPath, args, { env: environmentOf(home), stdio: ['ignore', 'pipe', 'ignore'] });
        const ended = once(child, 'close');
        let text = '';
        for await (const piece of child.stdout.setEncoding('utf8')) {
          text += String(piece);
          if (text.includes('"type":"summary"')) child.kill('SIGINT');
        }
        expect(await ended).toEqual([130, null]);
        const last = JSON.parse(text.trim().split('\n').at(-1) ?? '') as object;
        expect(last).toMatchObject({ type: 'error', error: { code: 'INTERRUPTED' } });
      });
    } finally {
      await emulator.close();
    }
  });
});
