import { describe, expect, it } from 'vitest';
import { runCli, withTempDir, type RunResult } from '../support/processes/run-cli.js';
import { openSettingsSite } from '../support/sites/settings-site.js';
import { chance, DEPTH } from './depth.js';
import { front } from './front.js';
import { expectSilence, KINDS, PASSWORD, TOKEN, WAYS } from './planted.js';

const SET = ['--set', `db.password=${PASSWORD}`, '--set', `api_key=${PASSWORD}`];
const ORDERS = 'etl/orders';
const RAW_PATH = '/v3/namespaces/etl/preferences';
const INSTALL = ['install', 'example-trim-fields@1.10.0', '-n', 'etl', '--verify', 'off', '-y'];
const UPGRADE = ['upgrade', '-n', 'etl', '-e', 'failed', '-y'];

/** What needs something to be done before, and that. */
const BEFORE: readonly (readonly [line: readonly string[], before: readonly (readonly string[])[]])[] = [
  [['installed', 'uninstall', 'example-trim-fields', '-n', 'etl', '-y'], [INSTALL]],
  [['upgrade', 'rollback', '-y'], [UPGRADE]],
  [['report', 'delete', '--older-than', '0', '-y'], [['report', 'generate', '--engine', 'platform', '--last', '1h']]],
];

/** What works on a platform where secrets stand in preferences, in arguments and in those of a run. */
const LINES: readonly (readonly string[])[] = [
  ['namespace', 'list'],
  ['whoami'],
  ['doctor'],
  ['api', 'GET', RAW_PATH],
  ['api', 'PUT', RAW_PATH, '--data', JSON.stringify({ 'db.password': PASSWORD }), '-y'],
  ...['list', 'status', 'show', 'runs', 'logs', 'wait', 'why'].map((verb) =>
    verb === 'list' ? ['pipeline', verb, '-n', 'etl'] : ['pipeline', verb, ORDERS],
  ),
  ['pipeline', 'start', ORDERS, ...SET, '--no-check', '-y'],
  ['pipeline', 'start', ORDERS, '--like', 'latest', '--no-check', '--wait', '-y'],
  ['pipeline', 'stop', ORDERS, '--all-runs', '-y'],
  ...['args', 'preferences'].flatMap((noun) => [
    [noun, 'list', ORDERS],
    [noun, 'set', ORDERS, ...SET, '-y'],
    [noun, 'unset', ORDERS, '--key', 'db.password', '-y'],
    [noun, 'clear', ORDERS, '-y'],
    [noun, 'explain', ORDERS],
    [noun, 'check', ORDERS],
  ]),
  ['schedule', 'list', '-n', 'etl'],
  ['schedule', 'show', ORDERS],
  ['schedule', 'next', ORDERS],
  ['schedule', 'suspend', '-A', '-n', 'etl', '-y'],
  ['schedule', 'resume', '-A', '-n', 'etl', '-y'],
  INSTALL,
  UPGRADE,
  ...BEFORE.map(([line]) => line),
];

interface Ran {
  readonly result: RunResult;
  /** The methods of the requests of the line. */
  readonly requests: readonly string[];
}

/** Runs a line on a platform of its own, which answers the `n`-th request as `kind` says. */
async function run(line: readonly string[], way: readonly string[], n = 0, kind = ''): Promise<Ran> {
  const site = await openSettingsSite(['orders'], { password: '${db.password}', url: '${url}' });
  // The log of a run is shown as it is, and the platform writes the arguments of the run there.
  const secrets = line.includes('logs') ? {} : { 'db.password': PASSWORD, url: `http://me:${PASSWORD}@db.example/x` };
  try {
    const program = '/namespaces/etl/apps/orders/workflows/DataPipelineWorkflow';
    for (const path of ['/namespaces/etl/preferences', '/namespaces/etl/apps/orders/preferences'])
      await site.call('PUT', path, { ...secrets, kept: '1' });
    await site.call('PUT', `${program}/runtimeargs`, secrets);
    const order = (what: string, body: object): Promise<Response> =>
      fetch(`${site.emulator.url}/emulator/${what}`, { method: 'POST', body: JSON.stringify(body) });
    await order('runs', { lasts: 0, outcome: 'FAILED' });
    await order('reports', { running: true, generateMilliseconds: 0 });
    await site.call('POST', `${program}/start`, secrets);
    let first = Infinity;
    const platform = await front(site.emulator.url, (call) => {
      if (call.n !== first + n) return undefined;
      const answer = KINDS[kind]?.(call.headers.authorization ?? `Bearer ${TOKEN}`, platform.url) ?? Buffer.alloc(0);
      call.socket.end(answer);
      return 'handled';
    });
    return await withTempDir(async (home) => {
      const at = ['-u', platform.url, '--retries', '0'];
      const ofHub = (words: readonly string[]): readonly string[] =>
        words === INSTALL ? ['--hub', site.emulator.hub] : [];
      for (const words of BEFORE.find(([one]) => one === line)?.[1] ?? []) {
        const { code, stderr } = await runCli([...words, ...ofHub(words), ...at], { home });
        expect(code, stderr).toBe(0);
      }
      first = platform.calls.length;
      const result = await expectSilence([...line, ...ofHub(line), ...way, ...at], { CDAPCTL_TOKEN: TOKEN }, home);
      return { result, requests: platform.calls.slice(first).map(({ method }) => method) };
    });
  } finally {
    await site.close();
  }
}

const NAMED = LINES.map((line, at) => [line.join(' ').replaceAll(PASSWORD, '***'), line, at] as const);
const CODES = [0, 3, 4, 5, 6, 7, 8, 10, 11, 12, 16];

describe('a command that fails in the middle shows no secret', () => {
  it.each(NAMED)(
    '%s',
    async (name, line, at) => {
      const calm = await run(line, WAYS[at % 2] ?? []);
      expect([1, 2, 3], calm.result.stderr).not.toContain(calm.result.code);
      // What comes with 200 in the place of a log is the log, which is shown as it is.
      const isLog = (kind: string): boolean => line.includes('logs') && /page|JSON/u.test(kind);
      const kinds = Object.keys(KINDS).filter((kind) => !isLog(kind));
      const count = calm.requests.length;
      for (const [index, kind] of kinds.entries()) {
        // Of every line one kind, or each kind at one of its requests, or each at all of them.
        if (DEPTH === 'sample' && index !== at % kinds.length) continue;
        const drawn = 1 + chance(`${name} ${kind}`, count);
        const points = DEPTH === 'all' ? Array.from({ length: count }, (_, n) => n + 1) : [drawn];
        for (const n of points) {
          const { result } = await run(line, WAYS[(n + index) % 2] ?? [], n, kind);
          expect(CODES, `${kind} at ${n}: ${result.stderr}`).toContain(result.code);
        }
      }
      // The message of this one stands in the result, too.
      const write = calm.requests.findIndex((method) => method !== 'GET') + 1;
      if (write === 0) return;
      const { result } = await run(line, WAYS[1] ?? [], write, 'a redirect');
      expect(CODES, result.stderr).toContain(result.code);
    },
    600_000,
  );
});
