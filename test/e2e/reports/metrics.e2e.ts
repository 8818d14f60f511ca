import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../../src/emulator/start.js';
import { environmentOf, runCli, STARTER, withTempDir, type RunResult } from '../../support/processes/run-cli.js';

interface Stage {
  readonly stage: string;
  readonly recordsIn?: number;
  readonly recordsOut?: number;
  readonly errors: number;
}
interface Document<T> {
  readonly kind: string;
  readonly items: readonly T[];
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  readonly error?: { readonly code: string; readonly message: string; readonly details: string };
  readonly item?: { readonly items: readonly T[] } | null;
}
interface Series {
  readonly metricName: string;
  readonly grouping: Readonly<Record<string, string>>;
  readonly resolution: string;
  readonly data: readonly { readonly time: number; readonly value: number }[];
}

const documentOf = <T>({ stdout }: RunResult): Document<T> => JSON.parse(stdout) as Document<T>;
const PIPELINE = 'etl/mails-load';

describe.each(['6.11.0', '6.1.1'] as const)('metrics of %s', (platform) => {
  // What does not hang on the answers of a generation is seen on one of them.
  const isNewest = platform === '6.11.0';
  let emulator: RunningEmulator;

  beforeAll(async () => {
    emulator = await startEmulator({ port: 0, hubPort: 0, platform, seed: { runs: { count: 3000 } } });
  });

  afterAll(async () => {
    await emulator.close();
  });

  const metrics = (...args: readonly string[]): Promise<RunResult> => runCli(['metrics', ...args, '-u', emulator.url]);

  /** The platform's own answer to a query about the pipeline. */
  async function asked(tags: object, names: readonly string[]): Promise<Record<string, number>> {
    const query = { tags: { namespace: 'etl', app: 'mails-load', ...tags }, metrics: names };
    const answer = await fetch(`${emulator.url}/v3/metrics/query`, { method: 'POST', body: JSON.stringify({ query }) });
    const { series } = ((await answer.json()) as { query: { series: Series[] } }).query;
    return Object.fromEntries(series.map(({ metricName, data }) => [metricName, data[0]?.value ?? 0]));
  }

  it('of stages are those that the platform has counted, of all runs and of one', async () => {
    const runs = `${emulator.url}/v3/namespaces/etl/apps/mails-load/workflows/DataPipelineWorkflow/runs?status=COMPLETED`;
    const [{ runid: run } = { runid: '' }] = (await (await fetch(runs)).json()) as { runid: string }[];
    for (const [flags, tags] of [
      [[], {}],
      [['--run', run.slice(0, 23)], { workflow: 'DataPipelineWorkflow', run }],
    ] as const) {
      const { items, kind } = documentOf<Stage>(await metrics('get', PIPELINE, ...flags, '--json'));
      expect(kind).toBe('StageMetricsList');
      const configured = await fetch(`${emulator.url}/v3/namespaces/etl/apps/mails-load`);
      const { configuration } = (await configured.json()) as { configuration: string };
      const { stages } = JSON.parse(configuration) as { stages: { name: string }[] };
      expect(items.map(({ stage }) => stage)).toEqual(stages.map(({ name }) => name));
      const names = items.flatMap(({ stage }) => ['in', 'out', 'error'].map((what) => `user.${stage}.records.${what}`));
      const counted = await asked(tags, names);
      expect(Object.keys(counted).length).toBeGreaterThan(3);
      for (const { stage, recordsIn, recordsOut, errors } of items) {
        const own = ['in', 'out', 'error'].map((what) => counted[`user.${stage}.records.${what}`]);
        expect([recordsIn, recordsOut, errors]).toEqual(own);
      }
    }
  });

  it('over time and by run add up to the total', async () => {
    const [name = ''] = (await metrics('list', PIPELINE, '--match', '*.records.in', '-o', 'name')).stdout.split('\n');
    expect(name).toMatch(/^user\..+\.records\.in$/u);
    const sums = [];
    for (const flags of [[], ['--start', '60d', '--resolution', '1h'], ['--group-by', 'run']]) {
      const { items } = documentOf<Series>(await metrics('get', PIPELINE, name, ...flags, '--json'));
      sums.push(items.flatMap(({ data }) => data).reduce((sum, { value }) => sum + value, 0));
    }
    expect(new Set(sums).size).toBe(1);
    expect(sums[0]).toBeGreaterThan(0);
  });

  if (isNewest) {
    it('gate: 11 with one document that says why and what was found, 5 for a name that is no metric', async () => {
      const gate = await metrics('get', PIPELINE, '--json', '--fail-if', 'system.program.completed.runs>0');
      expect(gate.code).toBe(11);
      const { error, item } = documentOf<Stage>(gate);
      expect(error).toMatchObject({
        code: 'GATE',
        message: expect.stringMatching(/^condition met: system\.program\.completed\.runs>0 \(.* is \d+\)$/u) as string,
      });
      expect(item?.items.length).toBeGreaterThan(2);
      const typing = await metrics('get', PIPELINE, '--fail-if', 'system.program.complete.runs>0');
      expect([typing.code, typing.stdout]).toEqual([5, '']);
      expect(typing.stderr).toContain('Did you mean "system.program.completed.runs"?');
      expect(await metrics('get', PIPELINE, '--fail-if', 'system.program.rejected.runs>0')).toMatchObject({ code: 0 });
    });

    it('that were never counted are a dash, and a gate on them is green with a warning only', async () => {
      const line = ['top', PIPELINE, '-q', '--fail-if', 'user.source.records.error>0'];
      const { code, stdout, stderr } = await metrics(...line);
      expect([code, /^source +\d+ +\d+ +(\S+) /mu.exec(stdout)?.[1]]).toEqual([0, '-']);
      expect(stderr).toBe('warning: no data for user.source.records.error; it counts as 0\n');
      const { items, warnings } = documentOf<Stage>(await metrics(...line, '--json'));
      expect(items[0]).not.toHaveProperty('errors');
      expect(warnings).toMatchObject([{ code: 'NO_SERIES' }]);
    });

    it('that are unknown are a warning, and 5 when a result is needed', async () => {
      const unknown = await metrics('get', PIPELINE, 'user.nope', '--json');
      expect(unknown.code).toBe(0);
      expect(documentOf<Series>(unknown)).toMatchObject({ items: [], warnings: [{ code: 'METRIC_UNKNOWN' }] });
      expect((await metrics('get', PIPELINE, 'user.nope', '--fail-on-no-result')).code).toBe(5);
      for (const verb of ['top', 'tags']) {
        const near = await metrics(verb, 'etl/mail-load');
        expect([verb, near.code]).toEqual([verb, 5]);
        expect(near.stderr).toContain('Did you mean "mails-load"?');
      }
    });

    it('are watched: changes as lines, until a condition holds', async () => {
      const lines = await metrics('watch', PIPELINE, '-o', 'ndjson', '--fail-if', 'system.program.completed.runs>0');
      expect(lines.code).toBe(11);
      const events = lines.stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { type: string });
      expect(events.map(({ type }) => type)).toEqual([...events.slice(1).map(() => 'item'), 'error']);
    });

    it.each([
      ['Ctrl-C', '\u0003', 130],
      ['q', 'q', 0],
    ] as const)('are watched on a terminal, redrawn in place, until %s', async (_, key, code) => {
      await withTempDir(async (home) => {
        const words = [process.execPath, STARTER, 'metrics', 'watch', PIPELINE, '-u', emulator.url, '--interval', '1s'];
        const quoted = words.map((word) => `'${word}'`).join(' ');
        const command = `stty cols 100 rows 40; trap : INT; ${quoted}; code=$?; stty -a > after; exit $code`;
        const env = { ...environmentOf(home), TERM: 'xterm', SHELL: '/bin/sh' };
        const child = spawn('script', ['-qfec', command, join(home, 'seen')], {
          cwd: home,
          env,
          stdio: ['pipe', 'pipe', 'pipe'],
        });
        let text = '';
        for await (const piece of child.stdout.setEncoding('utf8') as AsyncIterable<string>) {
          text += piece;
          if (text.split('q ends').length > 2 && text.endsWith('\u001b[?7h')) child.stdin.write(key);
        }
        if (child.exitCode === null) await once(child, 'exit');
        expect(child.exitCode).toBe(code);
        // The shell that comes next has its keyboard back.
        expect(await readFile(join(home, 'after'), 'utf8')).toMatch(/ icanon [^]* echo /u);
        const seen = await readFile(join(home, 'seen'), 'utf8');
        const [first = '', lines = ''] = /STAGE[^]*?\u001b\[(\d+)A/u.exec(seen) ?? [];
        expect(first.match(/\n/gu)).toHaveLength(Number(lines));
        // Nothing is said under the last frame.
        expect(seen).toMatch(/\u001b\[\?7h(?:\r\u001b\[2K)?\n*Script done/u);
      });
    });
  }
});
