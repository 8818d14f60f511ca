import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test as base, vi } from 'vitest';
import { startRecordingProxy, type RecordingProxy } from '../support/recording-proxy.js';
import { removeNamespace } from '../support/remove-namespace.js';
import { runCli, type RunResult } from '../support/processes/run-cli.js';
import { makeRealHub, type RealHub } from './install/packages.js';

/** One action of an install, as JSON has it. */
export interface ActionResult {
  readonly n: number;
  readonly type: string;
  readonly state: string;
  readonly requests: readonly { readonly method: string; readonly path: string; readonly status: number }[];
}

/** The document that `install --json` writes; `item` has no actions when nothing was tried. */
export interface Install {
  readonly kind: string;
  readonly item: { readonly state: string; readonly actions?: readonly ActionResult[] } | null;
  readonly error?: { readonly code: string; readonly exitCode: number; readonly message: string };
}

/** A home of the tool in which a hub is known and its key is trusted. */
export interface Home {
  readonly folder: string;
  readonly hub: RealHub;
}

/** A namespace of the platform that one case owns, and the tool pointed at it through a proxy. */
export interface Site {
  readonly namespace: string;
  readonly proxy: RecordingProxy;
  cdapctl(...args: readonly string[]): Promise<RunResult>;
  /** Installs off a terminal with -y and gives the document; another exit code than expected fails with its words. */
  install(what: string, code: number, ...flags: readonly string[]): Promise<Install>;
  /** Calls the platform itself, with a path behind the namespace, and gives the JSON of a 200. */
  call<T>(method: string, path: string, body?: unknown): Promise<T>;
  statusOf(path: string): Promise<number>;
}

/** The platform, without a slash at its end. */
export const PLATFORM = (process.env['CDAPCTL_CONTRACT_URL'] ?? '').replace(/\/+$/u, '');

// The limit of a suite does not reach the cases of an extended `it`.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

// A deploy makes the platform load every plugin of its classpath: a minute when it is cold.
const LONGEST_RUN = 600_000;

const tell = ({ stdout, stderr }: RunResult): string => `${stderr}${stdout}`;

/** Names a hub in a home of the tool and pins its key. */
export async function trustHub(
  home: string,
  name: string,
  address: string,
  key: Pick<RealHub, 'keyFile' | 'fingerprint'>,
): Promise<void> {
  for (const args of [
    ['hub', 'add', name, address],
    ['hub', 'key', 'add', key.keyFile, '--hub', name, '--fingerprint', key.fingerprint],
  ]) {
    const run = await runCli(args, { home });
    expect(run.code, tell(run)).toBe(0);
  }
}

/** Runs `install --json` and checks that it ended as expected, with one document and no stack trace. */
export async function installJson(
  home: string,
  url: string,
  args: readonly string[],
): Promise<{ readonly run: RunResult; readonly document: Install }> {
  const env = { CDAPCTL_URL: url };
  const run = await runCli(['install', ...args, '--json', '--no-input'], { home, env, timeout: LONGEST_RUN });
  expect(tell(run)).not.toMatch(/^\s+at .+:\d+:\d+\)?$/mu);
  return { run, document: JSON.parse(run.stdout) as Install };
}

/** Calls a platform and gives the value of a 200; an answer that is no JSON is undefined. */
export async function callPlatform<T>(url: string, method: string, body?: unknown): Promise<T> {
  const answer = await fetch(url, { method, body: body === undefined ? null : JSON.stringify(body) });
  const text = await answer.text();
  expect(answer.status, `${method} ${url}: ${text}`).toBe(200);
  // Not every JSON of the platform says so in its content type.
  return (/^[[{]/u.test(text) ? JSON.parse(text) : undefined) as T;
}

/** Makes a namespace on a platform, and removes it after use. */
export async function withNamespace<T>(url: string, use: (namespace: string) => Promise<T>): Promise<T> {
  const namespace = `install_${randomBytes(5).toString('hex')}`;
  await callPlatform(`${url}/v3/namespaces/${namespace}`, 'PUT', {});
  try {
    return await use(namespace);
  } finally {
    await removeNamespace(url, namespace);
  }
}

function siteOf(home: Home, namespace: string, proxy: RecordingProxy): Site {
  const path = `${PLATFORM}/v3/namespaces/${namespace}`;
  const env = { CDAPCTL_URL: proxy.url, CDAPCTL_NAMESPACE: namespace };
  return {
    namespace,
    proxy,
    cdapctl: (...args) => runCli(args, { home: home.folder, env, timeout: LONGEST_RUN }),
    async install(what, code, ...flags) {
      const { run, document } = await installJson(home.folder, proxy.url, [what, '-n', namespace, '-y', ...flags]);
      expect(run.code, tell(run)).toBe(code);
      return document;
    },
    call: (method, below, body) => callPlatform(path + below, method, body),
    statusOf: async (below) => (await fetch(path + below)).status,
  };
}

/** A case on the real platform: a home shared by the file, whose hub holds published JARs, and a namespace of its own. */
export const it = base.extend<{ home: Home; site: Site }>({
  home: [
    // oxlint-disable-next-line no-empty-pattern -- the fixture depends on nothing, and vitest reads the pattern
    async ({}, use) => {
      expect(PLATFORM, 'CDAPCTL_CONTRACT_URL names the platform').toMatch(/^http:/u);
      const folder = await mkdtemp(join(tmpdir(), 'cdapctl-real-'));
      try {
        const hub = await makeRealHub(folder, `install-${randomBytes(4).toString('hex')}`);
        await trustHub(folder, 'real', hub.root, hub);
        await use({ folder, hub });
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    { scope: 'file' },
  ],
  site: async ({ home }, use) => {
    const proxy = await startRecordingProxy(PLATFORM);
    await withNamespace(PLATFORM, (namespace) => use(siteOf(home, namespace, proxy)));
    await proxy.close();
  },
});
