import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test as base } from 'vitest';
import * as z from 'zod';
import { buildSampleHub, type SampleHub } from '../../../src/emulator/hub/build.js';
import type { Platform } from '../../../src/emulator/store/generation.js';
import type { Seed } from '../../../src/emulator/seed/apply-seed.js';
import { startEmulator } from '../../../src/emulator/start.js';
import { addKey } from '../../../src/state/trust-store.js';
import { lendCode } from '../processes/compiled-code.js';
import { ROOT, runCli, type RunOptions, type RunResult } from '../processes/run-cli.js';

/** A request as the log of the emulator has it. */
export interface Logged {
  readonly n: number;
  readonly port: 'platform' | 'hub';
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly bodySha256: string;
  readonly bytes: number;
  readonly status: number;
  /** It was no read and had its effect, whatever became of the answer. */
  readonly applied: boolean;
}

export interface ActionResult {
  readonly n: number;
  readonly type: string;
  readonly state: string;
  readonly effect: string;
  readonly writes: boolean;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly requests: readonly { readonly method: string; readonly path: string; readonly status: number }[];
  readonly texts?: readonly string[];
  readonly message?: string;
}

/** What `install --json` wrote: the result, or the error with what had been done. */
export interface Install {
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly kind: string;
  readonly item:
    | {
        readonly state: string;
        readonly target: Readonly<Record<string, unknown>>;
        readonly trust: { readonly policy: string; readonly verified: boolean; readonly indexSequence?: number };
        readonly actions: readonly ActionResult[];
        readonly retry?: string;
        readonly missing?: readonly { readonly kind: string; readonly n?: number; readonly flag: string }[];
      }
    | undefined;
  readonly error: {
    readonly code: string;
    readonly exitCode: number;
    readonly message: string;
    readonly details: string;
    readonly hints: readonly string[];
  };
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

/** A pipeline as the platform shows it. */
export interface Pipeline {
  readonly appVersion: string;
  readonly configuration: string;
  readonly artifact: { readonly name: string; readonly version: string };
}

/** An emulated platform with its hub, whose key is trusted, and a home of the tool. */
export interface Site {
  readonly url: string;
  readonly hub: string;
  readonly home: string;
  /** Where the tool finds the platform; a test may put something between. */
  through: string;
  cdapctl(args: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** The arguments of an install on this site, without `-y`. */
  line(words: readonly string[]): string[];
  /** Installs with `-y`, without a terminal; reads the one document, checks it against its schema and the exit code against its own. */
  install(...words: readonly string[]): Promise<Install>;
  /** The same without the `-y`. */
  unasked(...words: readonly string[]): Promise<Install>;
  requests(): Promise<readonly Logged[]>;
  /** `METHOD path status` of every request of the tool that is not a read. */
  writes(): Promise<readonly string[]>;
  forget(): Promise<void>;
  /** Waits until a request of that method has arrived. */
  arrival(method: string): Promise<void>;
  fail(order: object): Promise<void>;
  heal(): Promise<void>;
  /** Calls the platform itself; JSON where the answer is JSON. */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  statusOf(path: string): Promise<number>;
  pipeline(name: string): Promise<Pipeline>;
  /** `name status` of the schedules of a pipeline. */
  schedules(name: string): Promise<readonly string[]>;
  /** Writes a file into the home and gives its path. */
  file(name: string, content: string | Buffer): Promise<string>;
  /** Another hub at the address of this one; its key is not trusted by that. */
  publish(hub: Pick<SampleHub, 'files'>): void;
  pin(key: Pick<SampleHub, 'publicKey' | 'fingerprint'>, packages?: string): Promise<void>;
}

const SPACE = '/v3/namespaces/default';

const schemas = new Map<string, z.ZodType>();

async function schemaOf(kind: string): Promise<z.ZodType> {
  const known = schemas.get(kind);
  if (known !== undefined) return known;
  const text = await readFile(join(ROOT, 'dist', 'schemas', `${kind}.json`), 'utf8');
  const schema = z.fromJSONSchema(JSON.parse(text) as Parameters<typeof z.fromJSONSchema>[0]);
  schemas.set(kind, schema);
  return schema;
}

/** Reads stdout as the one JSON document that it must be, checked against the schema that is shipped for its kind. */
export async function documentOf({ code, stdout, stderr }: RunResult): Promise<Install> {
  const lines = stdout.split('\n');
  expect(lines.length, `one document on stdout; stderr was\n${stderr}`).toBe(2);
  const value = JSON.parse(stdout) as Install & { kind: string };
  const verdict = (await schemaOf(value.kind)).safeParse(value);
  expect(verdict.error?.issues ?? []).toEqual([]);
  const item = value.item as unknown;
  const states = (item as { state?: string } | null)?.state;
  if (value.kind === 'Error' && states !== undefined)
    expect(
      (await schemaOf('InstallResult')).safeParse({ schemaVersion: 1, kind: 'InstallResult', item, warnings: [] }).error
        ?.issues ?? [],
    ).toEqual([]);
  expect(code).toBe(value.kind === 'Error' ? value.error.exitCode : 0);
  return { ...value, item: value.item ?? undefined, code, stdout, stderr };
}

let sample: Promise<SampleHub> | undefined;

/** The sample hub of the emulator, made once for a file of tests. */
export const sampleHub = (): Promise<SampleHub> => (sample ??= buildSampleHub({ now: Date.now() }));

async function answerOf(response: Response): Promise<unknown> {
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} ${text}`);
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Starts a site, of the newest platform unless told; `close` ends the emulator and removes the home. */
export async function openSite(
  hub?: SampleHub,
  platform: Platform = '6.11.0',
  seed: Seed = {},
): Promise<Site & { close(): Promise<void> }> {
  const original = hub ?? (await sampleHub());
  const files = new Map(original.files);
  const emulator = await startEmulator({ port: 0, hubPort: 0, platform, seed, sampleHub: { ...original, files } });
  const home = await mkdtemp(join(tmpdir(), 'cdapctl-site-'));
  await lendCode(home);
  const control = (method: string, path: string, body?: object): Promise<Response> =>
    fetch(`${emulator.url}/emulator/${path}`, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
  const requests = async (): Promise<readonly Logged[]> =>
    (await (await control('GET', 'requests')).text())
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Logged);
  const site: Site & { close(): Promise<void> } = {
    url: emulator.url,
    hub: emulator.hub,
    home,
    through: emulator.url,
    cdapctl: (args, options) => runCli(args, { home, ...options }),
    line: (words) => ['install', ...words, '--hub', emulator.hub, '-u', site.through],
    install: async (...words) => site.unasked(...words, '-y'),
    unasked: async (...words) => documentOf(await site.cdapctl([...site.line(words), '--json'])),
    requests,
    writes: async () =>
      (await requests())
        .filter(({ method, headers }) => method !== 'GET' && headers['user-agent']?.startsWith('cdapctl/') === true)
        .map(({ method, path, status }) => `${method} ${path} ${status}`),
    forget: async () => {
      await control('DELETE', 'requests');
    },
    arrival: async (wanted) => {
      while (!(await requests()).some(({ method }) => method === wanted));
    },
    fail: async (order) => {
      const answer = await control('POST', 'faults', order);
      if (!answer.ok) throw new Error(await answer.text());
    },
    heal: async () => {
      await control('DELETE', 'faults');
    },
    call: async <T>(method: string, path: string, body?: unknown) =>
      (await answerOf(
        await fetch(`${emulator.url}${SPACE}${path}`, {
          method,
          ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        }),
      )) as T,
    statusOf: async (path) => {
      const answer = await fetch(`${emulator.url}${SPACE}${path}`);
      await answer.text();
      return answer.status;
    },
    pipeline: (name) => site.call('GET', `/apps/${name}`),
    schedules: async (name) =>
      (await site.call<{ name: string; status: string }[]>('GET', `/apps/${name}/schedules`)).map(
        (schedule) => `${schedule.name} ${schedule.status}`,
      ),
    file: async (name, content) => {
      const path = join(home, name);
      await writeFile(path, content);
      return path;
    },
    publish: (other) => {
      files.clear();
      for (const [path, bytes] of other.files) files.set(path, bytes);
    },
    pin: (key, packages) =>
      addKey(join(home, '.local', 'state', 'cdapctl', 'trust'), emulator.hub, {
        fingerprint: key.fingerprint,
        armored: key.publicKey,
        addedAt: '2025-01-01T00:00:00Z',
        ...(packages !== undefined && { packages }),
      }),
    close: async () => {
      await emulator.close();
      await rm(home, { recursive: true, force: true });
    },
  };
  return site;
}

/** A test with a site of its own; the key of the sample hub is trusted. */
export const it = base.extend<{ site: Site }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of what a fixture needs from its parameter
  site: async ({}, use) => {
    const site = await openSite();
    await site.pin(await sampleHub());
    await use(site);
    await site.close();
  },
});

/** `METHOD path` of the writes that the platform let through, each of which may stand there once. */
export async function applied(site: Site): Promise<string[]> {
  return (await site.writes()).filter((line) => line.endsWith(' 200')).map((line) => line.slice(0, -4));
}

/** How many writes of a method were sent. */
export async function sends(site: Site, method: string): Promise<number> {
  return (await site.writes()).filter((line) => line.startsWith(`${method} `)).length;
}

/** The same command without the fault ends with 0, and all writes together were applied once. */
export async function recovers(site: Site, words: readonly string[], all: readonly string[]): Promise<void> {
  await site.heal();
  expect((await site.install(...words)).code).toBe(0);
  expect([...new Set(await applied(site))].sort()).toEqual([...all].sort());
  await site.forget();
  expect((await site.install(...words)).item?.state).toBe('already-present');
  expect(await site.writes()).toEqual([]);
}
