import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { runCli, type RunResult } from '../support/processes/run-cli.js';
import { callPlatform, withNamespace } from './site.js';

vi.setConfig({ testTimeout: 900_000 });

/** Each platform with a pipeline that it takes. */
const PLATFORMS = (
  [
    ['6.11.0', 'CDAPCTL_CONTRACT_URL', 'csv-to-csv-6.10.0.json'],
    ['6.1.1', 'CDAPCTL_CONTRACT_URL_6_1', 'xml-to-table-6.0.0.json'],
  ] as const
).map(([version, name, file]) => [version, (process.env[name] ?? '').replace(/\/+$/u, ''), file] as const);
const PROGRAM = '/apps/orders/workflows/DataPipelineWorkflow';
const SCHEDULE = '/apps/orders/schedules/dataPipelineSchedule';

interface Pipeline {
  readonly config: { readonly stages: readonly { readonly plugin: { readonly properties: Record<string, string> } }[] };
}

/** The pipeline with a macro in the path of its source. */
async function withMacro(file: string): Promise<Pipeline> {
  const path = resolve(import.meta.dirname, 'pipelines', file);
  const pipeline = JSON.parse(await readFile(path, 'utf8')) as Pipeline;
  const [source] = pipeline.config.stages;
  if (source !== undefined) source.plugin.properties['path'] = 'file:///cdap/${folder}/${sub${n}}';
  return pipeline;
}

describe.each(PLATFORMS)('settings of a pipeline on %s', (_, url, file) => {
  it.runIf(url !== '')('are set, checked and explained as the platform has them, and schedules keep a window', () =>
    withNamespace(url, async (namespace) => {
      const home = await mkdtemp(join(tmpdir(), 'cdapctl-settings-'));
      const call = <T>(method: string, path: string, body?: unknown): Promise<T> =>
        callPlatform(`${url}/v3/namespaces/${namespace}${path}`, method, body);
      const env = { CDAPCTL_URL: url, CDAPCTL_NAMESPACE: namespace };
      const run = (...line: readonly string[]): Promise<RunResult> =>
        runCli(line, { home, cwd: home, env, timeout: 300_000 });
      const done = async (...line: readonly string[]): Promise<RunResult> => {
        const result = await run(...line);
        expect(result.code, `${line.join(' ')}\n${result.stderr}`).toBe(0);
        return result;
      };
      const items = async <T>(...line: readonly string[]): Promise<readonly T[]> =>
        (JSON.parse((await done(...line, '--json')).stdout) as { items: T[] }).items;
      try {
        await call('PUT', '/apps/orders', await withMacro(file));

        const missing = await run('args', 'check', 'orders');
        expect([missing.code, missing.stderr]).toEqual([11, expect.stringMatching(/\$\{folder\}[^]*\$\{n\}/u)]);
        await done('args', 'set', 'orders', '--set', 'folder=in', '--set', 'n=1', '--set', 'sub1=x', '-y');
        await done('args', 'check', 'orders');
        expect(await call('GET', `${PROGRAM}/runtimeargs`)).toEqual({ folder: 'in', n: '1', sub1: 'x' });

        const keys = ['a', 'b', 'c', 'd'];
        const sets = keys.map((key) => run('preferences', 'set', 'orders', '--set', `${key}=${key}\n"é"`, '-y'));
        const told = (await Promise.all(sets)).some(({ code, stderr }) => code !== 0 || stderr.includes('may be lost'));
        await done('preferences', 'set', '--set', 'folder=elsewhere', '--set', 'of.namespace=1', '-y');
        const explained = await items<{ key: string; value: string }>('args', 'explain', 'orders');
        const resolved = await call<Record<string, string>>('GET', `${PROGRAM}/preferences?resolved=true`);
        expect(Object.fromEntries(explained.map(({ key, value }) => [key, value]))).toEqual(resolved);
        if (!told) expect(Object.keys(resolved)).toEqual(expect.arrayContaining(keys));
        expect(resolved).toMatchObject({ folder: 'in', 'of.namespace': '1' });
        await done('preferences', 'clear', 'orders', '-y');
        await done('args', 'unset', 'orders', '-k', 'n', '-y');
        expect(await call('GET', '/apps/orders/preferences')).toEqual({});
        expect(await call('GET', `${PROGRAM}/runtimeargs`)).toEqual({ folder: 'in', sub1: 'x' });

        await done('schedule', 'resume', 'orders', '-y');
        const [listed] = await items<{ status: string; nextRunAt: string }>('schedule', 'list');
        const [next] = await call<{ time: number }[]>('GET', `${PROGRAM}/nextruntime`);
        expect([listed?.status, Date.parse(listed?.nextRunAt ?? '')]).toEqual(['active', next?.time]);
        await done('schedule', 'suspend', '-A', '-n', namespace, '--record', 'window.json', '-y');
        expect(await call('GET', `${SCHEDULE}/status`)).toEqual({ status: 'SUSPENDED' });
        await done('schedule', 'suspend', '-A', '-n', namespace, '--record', 'window.json', '-y');
        await done('schedule', 'resume', '--from', 'window.json', '-y');
        expect(await call('GET', `${SCHEDULE}/status`)).toEqual({ status: 'SCHEDULED' });
        await done('schedule', 'suspend', 'orders', '-y');
      } finally {
        await rm(home, { recursive: true, force: true });
      }
    }),
  );
});
