import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { DRIVER_JAR, makeRealHub, type RealHub } from './packages.js';

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

interface ActionResult {
  readonly n: number;
  readonly type: string;
  readonly state: string;
  readonly requests: readonly { readonly method: string; readonly path: string; readonly status: number }[];
}

interface Install {
  readonly kind: string;
  readonly item: { readonly state: string; readonly actions: readonly ActionResult[] };
  readonly error?: { readonly code: string; readonly exitCode: number; readonly message: string };
}

interface Schedule {
  readonly name: string;
  readonly status: string;
}

const BIN = resolve(import.meta.dirname, '../../bin/run.js');
const URL_OF_PLATFORM = process.env['CDAPCTL_CONTRACT_URL'] ?? '';
const SCHEDULE = '/apps/copy/schedules/dataPipelineSchedule';

let folder: string;
let hub: RealHub;
let namespace: string;

async function cdapctl(...args: string[]): Promise<Outcome> {
  const places = Object.fromEntries(
    ['CONFIG', 'STATE', 'CACHE'].map((name) => [`CDAPCTL_${name}_DIR`, join(folder, name)]),
  );
  const env = { ...process.env, ...places, CDAPCTL_URL: URL_OF_PLATFORM, CDAPCTL_NAMESPACE: namespace };
  const child = spawn(process.execPath, [BIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const code = await new Promise<number>((done, fail) =>
    child.on('error', fail).on('close', (status) => {
      done(status ?? -1);
    }),
  );
  return { code, stdout, stderr };
}

/** Installs off a terminal and gives the result; a run that ends with another code than expected fails with its words. */
async function install(what: string, code: number, ...flags: string[]): Promise<Install> {
  const outcome = await cdapctl('install', what, '--json', '--no-input', '-y', ...flags);
  expect(outcome.code, outcome.stderr + outcome.stdout).toBe(code);
  return JSON.parse(outcome.stdout) as Install;
}

async function platform<T>(method: string, path: string, body?: unknown): Promise<T> {
  const answer = await fetch(`${URL_OF_PLATFORM}/v3/namespaces/${namespace}${path}`, {
    method,
    body: body === undefined ? null : JSON.stringify(body),
  });
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return JSON.parse(text === '' || text === 'OK' ? 'null' : text) as T;
}

async function statusOf(path: string): Promise<number> {
  return (await fetch(`${URL_OF_PLATFORM}/v3/namespaces/${namespace}${path}`)).status;
}

function writes({ item }: Install): string[] {
  return item.actions
    .flatMap(({ requests }) => requests)
    .filter(({ method }) => method !== 'GET')
    .map(({ method, path }) => `${method} ${path}`);
}

/** Runs the pipeline `copy` once and gives the status in which the run ended. */
async function runToEnd(): Promise<string> {
  const program = { appId: 'copy', programType: 'Workflow', programId: 'DataPipelineWorkflow' };
  const [started] = await platform<{ runId: string }[]>('POST', '/start', [program]);
  return vi.waitFor(
    async () => {
      const run = await platform<{ status: string; end?: number }>(
        'GET',
        `/apps/copy/workflows/DataPipelineWorkflow/runs/${started?.runId ?? ''}`,
      );
      expect(run.end, run.status).toBeTypeOf('number');
      return run.status;
    },
    { timeout: 200_000, interval: 500 },
  );
}

beforeAll(async () => {
  expect(URL_OF_PLATFORM, 'CDAPCTL_CONTRACT_URL names the platform').toMatch(/^https?:/u);
  folder = await mkdtemp(join(tmpdir(), 'cdapctl-real-'));
  namespace = 'default';
  hub = await makeRealHub(folder, `install-${randomBytes(4).toString('hex')}`);
  for (const args of [
    ['hub', 'add', 'real', hub.root],
    ['hub', 'key', 'add', hub.keyFile, '--hub', 'real', '--fingerprint', hub.fingerprint],
  ]) {
    expect(await cdapctl(...args), args.join(' ')).toMatchObject({ code: 0 });
  }
}, 300_000);

afterAll(async () => rm(folder, { recursive: true, force: true }));

beforeEach(async () => {
  namespace = `install_${randomBytes(5).toString('hex')}`;
  await platform('PUT', '', {}).catch(() => undefined);
  expect(await statusOf('')).toBe(200);
});

afterEach(async () => {
  await fetch(`${URL_OF_PLATFORM}/v3/unrecoverable/namespaces/${namespace}`, { method: 'DELETE' });
});

describe('installing on a real platform', () => {
  it('deploys a plugin with its parents and properties, and a second run writes nothing', async () => {
    const first = await install('real/plugin-delimited@2.12.0', 0);
    expect(first).toMatchObject({
      kind: 'InstallResult',
      item: { state: 'installed', actions: [{ n: 1, state: 'done' }] },
    });
    const detail = await platform<{ classes: { plugins: unknown[] }; parents: unknown[]; properties: object }>(
      'GET',
      '/artifacts/format-delimited/versions/2.12.0',
    );
    expect(detail.classes.plugins).toHaveLength(6);
    expect(detail.parents).toHaveLength(2);
    expect(detail.properties).toEqual({ 'doc.csv-validatingInputFormat': '# Reads csv\n' });
    const second = await install('real/plugin-delimited@2.12.0', 0);
    expect(second.item.state).toBe('already-present');
    expect(writes(second)).toEqual([]);
  });

  it('takes the version of a plugin from its JAR', async () => {
    await install('real/plugin-upload@2.12.0', 0);
    expect(await statusOf('/artifacts/format-delimited/versions/2.12.0')).toBe(200);
  });

  it('installs from a folder', async () => {
    await install(hub.folder('plugin-delimited', '2.12.0'), 0, '--verify', 'off');
    expect(await statusOf('/artifacts/format-delimited/versions/2.12.0')).toBe(200);
  });

  it('uploads a driver from a file of the user', async () => {
    const missing = await cdapctl('install', 'real/driver-postgresql@42.7.4', '--json', '--no-input', '-y');
    expect(missing.code, missing.stderr).toBe(2);
    expect(await statusOf('/artifacts/postgresql')).toBe(404);
    await install('real/driver-postgresql@42.7.4', 0, '--jar', `1=${join(hub.jars, DRIVER_JAR)}`);
    const detail = await platform<{ classes: { plugins: unknown[] } }>('GET', '/artifacts/postgresql/versions/42.7.4');
    expect(detail.classes.plugins).toMatchObject([
      { name: 'postgresql', type: 'jdbc', className: 'org.postgresql.Driver' },
    ]);
  });

  it('creates a pipeline that runs to its end', { timeout: 300_000 }, async () => {
    await install('real/pipeline-copy@1.0.0', 0);
    const app = await platform<{ artifact: { version: string } }>('GET', '/apps/copy');
    expect(app.artifact.version).toBe('6.11.0');
    expect(await platform<Schedule[]>('GET', '/apps/copy/schedules')).toMatchObject([
      { name: 'dataPipelineSchedule', status: 'SUSPENDED' },
    ]);
    expect(await runToEnd()).toBe('COMPLETED');
  });

  it('creates the pipeline once, and keeps its schedules when it is told to do it again', async () => {
    await install('real/pipeline-copy@1.0.0', 0);
    await platform('POST', `${SCHEDULE}/resume`);
    const again = await install('real/pipeline-copy@1.0.0', 0);
    expect(writes(again)).toEqual([]);
    expect(await platform<string[]>('GET', '/apps/copy/versions')).toHaveLength(1);
    await install('real/pipeline-copy@1.0.0', 0, '--again');
    expect(await platform(`GET`, `${SCHEDULE}/status`)).toEqual({ status: 'SCHEDULED' });
  });

  it(
    'installs a package of several actions, whose pipeline runs with the plugins that came with it',
    { timeout: 300_000 },
    async () => {
      const result = await install('real/solution-copy@1.0.0', 0);
      expect(result.item.actions.map(({ type, state }) => `${type} ${state}`)).toEqual([
        'informational done',
        'one_step_deploy_plugin done',
        'one_step_deploy_plugin done',
        'create_driver_artifact done',
        'create_pipeline done',
      ]);
      expect(await runToEnd()).toBe('COMPLETED');
    },
  );

  it('calls an upload a failure in which the platform finds no plugin', async () => {
    const result = await install('real/plugin-none@1.0.0', 10);
    expect(result).toMatchObject({ item: { state: 'partial', actions: [{ n: 1, state: 'failed' }] } });
  });

  it('finds out that no parent exists before it uploads anything', async () => {
    const outcome = await cdapctl('install', 'real/plugin-orphan@2.12.0', '--json', '--no-input', '-y');
    expect(outcome.code, outcome.stderr).toBe(6);
    expect(await statusOf('/artifacts/orphan')).toBe(404);
  });

  it('writes nothing when a byte of a JAR was changed', async () => {
    const file = join(hub.folder('plugin-delimited', '2.12.0'), 'format-delimited-2.12.0.jar');
    const bytes = await readFile(file);
    const changed = Buffer.from(bytes);
    changed[changed.length >> 1] = (changed[changed.length >> 1] ?? 0) ^ 1;
    await writeFile(file, changed);
    try {
      await install('real/plugin-delimited@2.12.0', 9);
      expect(await statusOf('/artifacts/format-delimited')).toBe(404);
    } finally {
      await writeFile(file, bytes);
    }
  });
});
