import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import * as z from 'zod';
import { startEmulator, type EmulatorOptions } from '../../../src/emulator/start.js';
import type { UpgradeResult } from '../../../src/services/upgrade/upgrade-result.js';
import type { Logged } from './install-site.js';
import { ROOT, runCli, type RunOptions, type RunResult } from '../processes/run-cli.js';

/** What a command of upgrades wrote with `--json`: the result, or the error with what had been done. */
export interface Upgraded extends RunResult {
  readonly kind: string;
  readonly item: UpgradeResult | undefined;
  readonly error: {
    readonly code: string;
    readonly exitCode: number;
    readonly message: string;
    readonly details?: string;
    readonly hints: readonly string[];
  };
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

/** A pipeline as the platform shows it. */
export interface ShownPipeline {
  readonly appVersion: string;
  readonly configuration: string;
  readonly artifact: { readonly name: string; readonly version: string; readonly scope: string };
}

/** An emulated platform without a hub, and a home of the tool. */
export interface UpgradeSite {
  readonly url: string;
  readonly home: string;
  cdapctl(args: readonly string[], options?: RunOptions): Promise<RunResult>;
  /** Runs `upgrade` with these words; what it writes on stdout is one document that fits its schema and its exit code. */
  upgrade(...words: readonly string[]): Promise<Upgraded>;
  requests(): Promise<readonly Logged[]>;
  /** `METHOD path` of what the tool sent that changes something. */
  writes(): Promise<readonly string[]>;
  forget(): Promise<void>;
  fail(order: object): Promise<void>;
  heal(): Promise<void>;
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  pipeline(namespace: string, name: string): Promise<ShownPipeline>;
  /** `name status` of the schedules of a pipeline. */
  schedules(namespace: string, name: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

/** A hub with one file, so that no key has to be made. */
const HUB = { files: new Map(), fingerprint: '0'.repeat(40), publicKey: '', sign: async () => '' };

async function schemaOf(kind: string): Promise<z.ZodType> {
  const text = await readFile(join(ROOT, 'dist', 'schemas', `${kind}.json`), 'utf8');
  return z.fromJSONSchema(JSON.parse(text) as Parameters<typeof z.fromJSONSchema>[0]);
}

/** Reads stdout as the one JSON document that it must be, checked against the schemas that are shipped. */
export async function upgradeDocument(run: RunResult): Promise<Upgraded> {
  expect(run.stdout.split('\n').length, `one document on stdout; stderr was\n${run.stderr}`).toBe(2);
  const value = JSON.parse(run.stdout) as Omit<Upgraded, keyof RunResult>;
  expect((await schemaOf(value.kind)).safeParse(value).error?.issues ?? []).toEqual([]);
  const item: unknown = value.item ?? undefined;
  if (value.kind === 'Error' && item !== undefined) {
    const document = { schemaVersion: 1, kind: 'UpgradeResult', item, warnings: [] };
    expect((await schemaOf('UpgradeResult')).safeParse(document).error?.issues ?? []).toEqual([]);
  }
  expect(run.code).toBe(value.kind === 'Error' ? value.error.exitCode : 0);
  return { ...run, ...value, item: value.item ?? undefined };
}

/** Opens a site; `close` ends the emulator and removes the home. */
export async function openUpgradeSite(options: Partial<EmulatorOptions>): Promise<UpgradeSite> {
  const emulator = await startEmulator({ port: 0, hubPort: 0, sampleHub: HUB, ...options });
  const home = await mkdtemp(join(tmpdir(), 'cdapctl-upgrade-'));
  const { url } = emulator;
  async function ask<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await fetch(`${url}${path}`, { method, ...(body !== undefined && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (/^[[{]/u.test(text) ? JSON.parse(text) : text) as T;
  }
  const requests = async (): Promise<readonly Logged[]> =>
    (await (await fetch(`${url}/emulator/requests`)).text())
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Logged);
  const isWrite = ({ method, path, headers }: Logged): boolean =>
    method !== 'GET' && !path.endsWith('/status') && headers['user-agent']?.startsWith('cdapctl/') === true;
  return {
    url,
    home,
    cdapctl: (args, more) => runCli(args, { home, timeout: 50_000, ...more }),
    upgrade: async (...words) =>
      upgradeDocument(await runCli(['upgrade', ...words, '-u', url, '--json'], { home, timeout: 50_000 })),
    requests,
    writes: async () => (await requests()).filter(isWrite).map(({ method, path }) => `${method} ${path}`),
    forget: () => ask('DELETE', '/emulator/requests'),
    fail: (order) => ask('POST', '/emulator/faults', order),
    heal: () => ask('DELETE', '/emulator/faults'),
    call: (method, path, body) => ask(method, `/v3/namespaces/${path}`, body),
    pipeline: (namespace, name) => ask('GET', `/v3/namespaces/${namespace}/apps/${name}`),
    schedules: async (namespace, name) => {
      const path = `/v3/namespaces/${namespace}/apps/${name}/schedules`;
      const all = await ask<{ name: string; status: string }[]>('GET', path);
      return all.map((schedule) => `${schedule.name} ${schedule.status}`);
    },
    close: async () => {
      await emulator.close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

/** Opens a site, uses it, and closes it whatever happens. */
export async function withUpgradeSite(
  options: Partial<EmulatorOptions>,
  use: (site: UpgradeSite) => Promise<void>,
): Promise<void> {
  const site = await openUpgradeSite(options);
  try {
    await use(site);
  } finally {
    await site.close();
  }
}

/** Digest of a body, as the log of requests has it. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
