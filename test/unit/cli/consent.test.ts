import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { consentOf, sentenceOf, type ConsentDeps } from '../../../src/cli/consent.js';
import type { Platform } from '../../../src/platform/client.js';
import { putApplication } from '../../../src/platform/apps.js';
import { createReport } from '../../../src/platform/reports.js';
import { getVersion } from '../../../src/platform/system.js';
import { buildSampleHub } from '../../../src/emulator/hub/build.js';
import { startEmulator } from '../../../src/emulator/start.js';
import { writeLogin } from '../../../src/state/login/logins.js';
import { addKey } from '../../../src/state/trust-store.js';
import { runInProcess } from '../../support/processes/in-process.js';
import { ROOT } from '../../support/processes/run-cli.js';
import { fakeTerminal } from '../../support/processes/terminal.js';
import { olderPipeline, oneStep, verdictSeed } from '../../support/sites/upgrade-seed.js';

/** What is asked by POST. */
const QUESTION = /^\/emulator\/|\/(?:status|nextruntime)$|\/metrics\//u;
const NEVER = new AbortController().signal;
const MANIFEST = JSON.parse(readFileSync(join(ROOT, 'oclif.manifest.json'), 'utf8')) as {
  readonly commands: Readonly<
    Record<string, { readonly changes?: string; readonly flags: Readonly<Record<string, object>> }>
  >;
};
const CHANGING = Object.entries(MANIFEST.commands).filter(([, { changes }]) => changes !== undefined);

let home: string;
let platform: Awaited<ReturnType<typeof startEmulator>>;
let empty: Awaited<ReturnType<typeof startEmulator>>;
let fingerprint: string;

const run = (id: string, ...words: readonly string[]) => runInProcess(id, words, home);

async function done(id: string, ...words: readonly string[]): Promise<void> {
  const { error, terminal } = await run(id, ...words);
  expect(error, terminal.notes.join('\n')).toBeUndefined();
}

/** What the platforms have taken, and all files of ours. */
async function state(): Promise<unknown> {
  const writes: string[] = [];
  for (const { url } of [platform, empty]) {
    const log = await (await fetch(`${url}/emulator/requests`)).text();
    for (const line of log.split('\n').filter((text) => text !== '')) {
      const { method, path, applied } = JSON.parse(line) as { method: string; path: string; applied: boolean };
      if (method !== 'GET' && applied && !QUESTION.test(path)) writes.push(`${method} ${path}`);
    }
  }
  const config = await readFile(join(home, '.config/cdapctl/config.yaml'), 'utf8');
  const folders = ['trust', 'logins'].map((name) => join(home, '.local/state/cdapctl', name));
  const entries = folders.map((folder) => readdir(folder, { recursive: true, withFileTypes: true }));
  const files = (await Promise.all(entries)).flat().filter((entry) => entry.isFile());
  const kept = await Promise.all(files.map((entry) => readFile(join(entry.parentPath, entry.name), 'utf8')));
  return { writes, config, kept };
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'cdapctl-consent-'));
  const sampleHub = await buildSampleHub({ now: Date.now() });
  fingerprint = sampleHub.fingerprint;
  const options = { port: 0, hubPort: 0, platform: '6.1.1', sampleHub } as const;
  const { applications = [], ...seed } = verdictSeed('6.1.1');
  const late = olderPipeline('6.1.1', 'etl', 'late', oneStep('Copy'));
  platform = await startEmulator({ ...options, seed: { ...seed, applications: [...applications, late] } });
  empty = await startEmulator({ ...options, seed: {} });
  await done('context:add', 'here', '-u', platform.url);
  await done('context:add', 'guarded', '-u', 'http://127.0.0.1:9', '-n', 'etl', '--protected');
  await done('hub:add', 'sample', platform.hub);
  await addKey(join(home, '.local/state/cdapctl/trust'), platform.hub, {
    fingerprint,
    armored: sampleHub.publicKey,
    addedAt: '2025-01-01T00:00:00Z',
  });
  await writeLogin(join(home, '.local/state/cdapctl'), { context: 'guarded', url: 'http://127.0.0.1:9', token: 't' });
  const catalogs = ['tree/packages.json', 'public/packages.json', 'public/.cdapctl-published'];
  for (const file of [...catalogs, 'tree/packages/one/1/spec.json', 'public/packages/old/1/spec.json']) {
    await mkdir(dirname(join(home, file)), { recursive: true });
    await writeFile(join(home, file), '[]');
  }
  await done('hub:mirror', 'example-trim-fields', '-D', join(home, 'mirror'));
  await done('install', 'example-trim-fields', '-y');
  await done('upgrade', '-n', 'etl', '--match', 'orders');
  await done('preferences:set', '-n', 'etl', '--set', 'region=eu', '-y');
  await fetch(`${platform.url}/emulator/runs`, { method: 'POST', body: JSON.stringify({ lasts: 3_600_000 }) });
  await done('pipeline:start', 'etl/orders', '-y');
  await done('args:set', 'etl/orders', '--set', 'region=eu', '-y');
  await done('schedule:resume', 'etl/orders', '-y');
  await done('report:service:enable', '-y');
  await done('report:generate', '--last', '7d', '--engine', 'platform', '--wait', '--interval', '100ms');
});

afterEach(() => {
  vi.unstubAllEnvs();
});

afterAll(async () => {
  await platform.close();
  await empty.close();
  await rm(home, { recursive: true, force: true });
});

/** A line of each command that changes something, which would do it. */
const LINES: Readonly<Record<string, () => readonly string[]>> = {
  api: () => ['PUT', '/v3/namespaces/made'],
  install: () => ['example-trim-fields'],
  'upgrade:rollback': () => [],
  'installed:uninstall': () => ['example-trim-fields'],
  uninstall: () => ['example-trim-fields'],
  'report:delete': () => ['latest'],
  'report:save': () => ['latest', '--name', 'kept'],
  'report:share': () => ['latest'],
  'report:service:enable': () => ['-u', empty.url],
  'report:service:stop': () => [],
  'preferences:set': () => ['-n', 'etl', '--set', 'other=1'],
  'preferences:unset': () => ['-n', 'etl', '--key', 'region'],
  'preferences:clear': () => ['-n', 'etl'],
  'args:set': () => ['etl/orders', '--set', 'region=us'],
  'args:unset': () => ['etl/orders', '--key', 'region'],
  'args:clear': () => ['etl/orders'],
  'pipeline:start': () => ['etl/clicks'],
  'pipeline:stop': () => ['etl/orders'],
  'schedule:suspend': () => ['-A', '-n', 'etl'],
  'schedule:resume': () => ['-n', 'etl', '--match', 'leg*'],
  'hub:mirror': () => ['example-csv-copy', '-D', join(home, 'mirror'), '--prune'],
  'hub:publish': () => [join(home, 'tree'), join(home, 'public'), '--prune'],
  'hub:key:remove': () => [fingerprint],
  'hub:remove': () => ['sample'],
  logout: () => ['--all'],
  'context:remove': () => ['here'],
  'context:set': () => ['guarded', '--no-protected'],
  'context:rename': () => ['guarded', 'free'],
  'config:set': () => ['namespace', 'web', '--context', 'guarded'],
  'config:unset': () => ['namespace', '--context', 'guarded'],
};

/** What needs a yes only where a context is protected. */
const REPORTS: Readonly<Record<string, readonly string[]>> = {
  'report:generate': ['--last', '7d'],
  'report:run': ['--last', '7d', '--interval', '100ms'],
};

/** Changes of one pipeline that a line names as a whole; a yes is wanted for them, too. */
const OF_ONE: readonly (readonly [string, readonly string[], string, string])[] = [
  [
    'args:set',
    ['etl/orders', '--set', 'region=us'],
    '~ region  eu -> us',
    'change 1 argument of pipeline orders in namespace etl',
  ],
  [
    'args:unset',
    ['etl/orders', '--key', 'region'],
    '- region  eu',
    'remove 1 argument of pipeline orders in namespace etl',
  ],
  [
    'preferences:set',
    ['etl/orders', '--set', 'a.password=p4ss'],
    '+ a.password  ***',
    'change 1 preference of pipeline orders in namespace etl',
  ],
  ['schedule:suspend', ['etl/orders'], 'Target: here', 'suspend 1 schedule in namespace etl'],
];

describe('a command that changes a platform or removes something of ours', () => {
  it('declares it, and has a line here', () => {
    expect(CHANGING.map(([id]) => id).sort()).toEqual(
      [...Object.keys(LINES), ...Object.keys(REPORTS), 'upgrade'].sort(),
    );
    for (const [id, { changes, flags }] of CHANGING)
      if (changes === 'platform') expect(Object.keys(flags), id).toContain('confirm');
  });

  it.each(Object.keys(LINES))('ends with 13 and changes nothing where nobody can be asked: %s', async (id) => {
    const before = await state();
    const { error } = await run(id, ...(LINES[id]?.() ?? []));
    expect(error).toMatchObject({ code: 'CONSENT_MISSING', exitCode: 13 });
    expect(error?.message).toMatch(/^confirmation required: /u);
    expect(error?.details.hints?.[0]).toMatch(/ (?:-y|--confirm (?:guarded|\d))$/u);
    expect(await state()).toEqual(before);
  });

  it('is a logout, which needs confirmation only where there is a login', async () => {
    const one = ['--context', 'guarded'];
    const { error } = await run('logout', ...one);
    expect(error?.message).toBe('confirmation required: remove the login of context guarded');
    expect(error?.details.hints).toEqual(['cdapctl logout --context guarded -y']);
    await writeLogin(join(home, '.local/state/cdapctl'), { context: 'twin', url: 'http://127.0.0.1:9', token: 't' });
    const all = await run('logout', '--all', '--json');
    expect(all.error?.message).toBe('confirmation required: remove the logins of contexts guarded, twin');
    await done('logout', '--all', '-y');
    const none = await run('logout', '--context', 'here', '--json');
    expect(none.error).toBeUndefined();
    expect(JSON.parse(none.terminal.out.join(''))).toMatchObject({ items: [{ context: 'here', state: 'none' }] });
    for (const words of [one, ['--all']]) await done('logout', ...words);
  });

  it.each(OF_ONE)('names what is changed of one pipeline, where and how: %s %j', async (id, words, line, deed) => {
    const before = await state();
    const { error, terminal } = await run(id, ...words);
    expect(error).toMatchObject({ code: 'CONSENT_MISSING', exitCode: 13 });
    expect(terminal.notes.join('\n')).toContain(line);
    expect(terminal.notes.join('\n')).toMatch(/^Target: here .* {2}namespace etl /mu);
    expect(error?.message).toContain(deed);
    expect(error?.message).toContain(` on here (${platform.url})`);
    expect(await state()).toEqual(before);
  });

  it('is an upgrade on a terminal that must not ask; off a terminal it runs, and says so first', async () => {
    const before = await state();
    for (const facts of [{ attended: true }, { attended: true, interactive: true }]) {
      const { error } = await runInProcess('upgrade', ['-n', 'etl', '--match', 'clicks', '--no-input'], home, facts);
      expect(error).toMatchObject({ code: 'CONSENT_MISSING', exitCode: 13 });
    }
    expect(await state()).toEqual(before);
    const note = 'note: no terminal: upgrading without confirmation';
    for (const words of [['--check'], ['-p', 'none', '-q']]) {
      const { terminal } = await run('upgrade', '-n', 'etl', ...words);
      expect(terminal.notes.filter((line) => line.startsWith(note))).toEqual([]);
    }
    const { terminal, error } = await run('upgrade', '-n', 'etl', '--match', 'clicks');
    expect(error).toBeUndefined();
    expect(terminal.notes[0]).toContain(note);
    expect(terminal.notes[1]).toMatch(/^Target: here /u);
    const again = await run('upgrade', '-n', 'etl', '--match', 'clicks');
    expect(again.error).toBeUndefined();
    expect(again.terminal.notes.filter((line) => line.startsWith(note))).toEqual([]);
  });
});

describe('a dry run', () => {
  it.each([
    ['pipeline:start', ['etl/clicks', '--set', 'day=1', '--wait'], { state: 'planned', runtimeArgs: { day: '1' } }],
    ['pipeline:stop', ['etl/orders'], [{ state: 'planned', status: 'RUNNING' }]],
  ] as const)('asks nothing and changes nothing: %s', async (id, words, expected) => {
    const before = await state();
    const { error, terminal } = await run(id, ...words, '--dry-run', '--json');
    expect(error).toBeUndefined();
    expect(terminal.notes.join('\n')).toMatch(/^Target: here .* {2}namespace etl /mu);
    const { item, items } = JSON.parse(terminal.out.join('')) as { item?: unknown; items?: unknown };
    expect(item ?? items).toMatchObject(expected);
    expect(await state()).toEqual(before);
  });
});

it('a stop names the namespace of each run in csv', async () => {
  const { terminal } = await run('pipeline:stop', 'etl/orders', '--dry-run', '-o', 'csv');
  expect(terminal.out.join('')).toMatch(
    /^runid,namespace,pipeline,state,status,message\r?\n[0-9a-f-]+,etl,orders,planned,/u,
  );
});

it('a start that is only planned has a kind of its own, and the name of the pipeline', async () => {
  const planned = async (...words: readonly string[]): Promise<string> => {
    const { terminal } = await run('pipeline:start', 'etl/clicks', '--set', 'day=1', '--dry-run', ...words);
    return terminal.out.join('');
  };
  const item = { namespace: 'etl', pipeline: 'clicks', state: 'planned', runtimeArgs: { day: '1' } };
  expect(JSON.parse(await planned('--json'))).toMatchObject({ kind: 'PipelineStart', item });
  expect(await planned('-o', 'name')).toBe('etl/clicks\n');
  expect(await planned()).toMatch(/^state +planned\narguments +day=1$/mu);
});

describe('a protected context', () => {
  const guard = ['--protected', '--no-protected'];

  it.each([
    ['without its name', [], 13],
    ['with -y alone', ['-y'], 13],
    ['with another name', ['--confirm', 'there', '-y'], 13],
    ['by another spelling of its address', ['-u', 'URL//', '-y'], 13],
    ['by another context of its address', ['--context', 'twin', '-y'], 13],
    ['in a dry run', ['--dry-run'], 0],
    ['with its name', ['--confirm', 'here'], 0],
  ])('wants its name for a write: %s', async (_, flags, code) => {
    await done('context:set', 'here', guard[0] ?? '');
    const twin = await run('context:add', 'twin', '-u', platform.url.replace('127.0.0.1', 'localhost'));
    expect([0, undefined]).toContain(twin.error?.exitCode);
    const words = flags.map((flag) => flag.replace('URL', platform.url));
    const { error } = await run('install', 'example-trim-fields', '--hub', 'sample', ...words);
    expect(error?.exitCode ?? 0, error?.message).toBe(code);
    if (code === 13) expect(error?.details.hints?.[0]).toMatch(/--confirm here$/u);
    await done('context:set', 'here', guard[1] ?? '', '--confirm', 'here');
  });

  it('that is chosen wants its own name, not that of another one of its address', async () => {
    await done('context:add', 'double', '-u', platform.url.replace('127.0.0.1', 'localhost'), '--protected');
    await done('context:set', 'here', guard[0] ?? '');
    try {
      const install = ['example-trim-fields', '--hub', 'sample', '--confirm'];
      const other = await run('install', ...install, 'double');
      expect(other.error?.message).toMatch(/--confirm "double" is not the name of the context to change$/u);
      expect(other.error?.details.hints?.[0]).toMatch(/--confirm here$/u);
      await done('install', ...install, 'double', '-u', platform.url);
    } finally {
      await done('context:set', 'here', guard[1] ?? '', '--confirm', 'here');
      await done('context:remove', 'double', '--confirm', 'double');
    }
  });

  it.each(Object.keys(REPORTS))(
    'wants its name for a report of the platform, and makes one here without: %s',
    async (id) => {
      await done('context:set', 'here', '--protected');
      try {
        const before = await state();
        const words = REPORTS[id] ?? [];
        for (const more of [[], ['-y']]) {
          const { error } = await run(id, ...words, '--engine', 'platform', ...more);
          expect(error).toMatchObject({ code: 'CONSENT_MISSING', exitCode: 13 });
          expect(error?.details.hints?.[0]).toMatch(/--confirm here$/u);
        }
        const local = await run(id, ...words);
        expect(local.error).toBeUndefined();
        expect(local.terminal.notes.join('\n')).toContain(
          'locally from run records, because context here is protected',
        );
        expect(await state()).toEqual(before);
        await done(id, ...words, '--engine', 'platform', '--confirm', 'here');
        expect(await state()).not.toEqual(before);
      } finally {
        await done('context:set', 'here', '--no-protected', '--confirm', 'here');
      }
    },
  );

  describe('of every line', () => {
    let before: unknown;
    const writes = async (): Promise<unknown> => ((await state()) as { readonly writes: unknown }).writes;

    beforeAll(async () => {
      await done('context:set', 'here', '--protected');
      await done('context:add', 'vacant', '-u', empty.url, '--protected');
      before = await writes();
    });

    afterAll(async () => {
      await done('context:set', 'here', '--no-protected', '--confirm', 'here');
      await done('context:remove', 'vacant', '--confirm', 'vacant');
    });

    const upgrade = ['-n', 'etl', '-p', 'late'];
    const lines = CHANGING.flatMap(([id, { changes }]) => {
      const line = LINES[id];
      return changes === 'platform' && line !== undefined ? [[id, () => [...line(), '-y']] as const] : [];
    });
    it.each([
      ...lines,
      ['upgrade', () => upgrade] as const,
      ['upgrade', () => [...upgrade, '-y']] as const,
      ['upgrade', () => [...upgrade, '--resume', '-y']] as const,
    ])('wants its name for a write, whatever stands there: %s', async (id, words) => {
      const { error } = await run(id, ...words());
      expect(error).toMatchObject({ code: 'CONSENT_MISSING', exitCode: 13 });
      expect(error?.details.hints?.[0]).toMatch(/ --confirm (?:here|vacant)$/u);
      expect(await writes()).toEqual(before);
    });
  });

  it('is not what a --confirm names that stands for an unprotected one', async () => {
    const { error } = await run('hub:remove', 'sample');
    expect(error?.exitCode).toBe(13);
    const other = await run('report:service:stop', '--confirm', 'prod', '-y');
    expect(other.error).toMatchObject({ code: 'CONSENT_MISSING' });
    expect(other.error?.message).toMatch(/; this changes no protected context: remove --confirm$/u);
    expect(other.error?.details.hints).toEqual(['cdapctl report service stop -y']);
  });

  it("is named on the line alone: a variable is no answer, and stands in nobody's way", async () => {
    vi.stubEnv('CDAPCTL_CONFIRM', 'guarded');
    const env = { CDAPCTL_CONFIRM: 'guarded' };
    const kept = await runInProcess('context:rename', ['guarded', 'free'], home, { env });
    expect(kept.error).toMatchObject({ code: 'CONSENT_MISSING', exitCode: 13 });
    const { error } = await runInProcess('report:service:enable', ['-y'], home, { env });
    expect(error).toBeUndefined();
  });
});

describe('a platform before there is a yes', () => {
  const deps = (changes: ConsentDeps['changes'], flags: ConsentDeps['flags'] = {}): ConsentDeps => ({
    changes,
    flags,
    session: { argv: ['x'], terminal: fakeTerminal() },
    asker: undefined,
    found: { settings: { context: undefined }, sources: {} },
  });
  const sent: string[] = [];
  const bare = {
    base: 'http://127.0.0.1:1',
    call: async ({ method }: { method: string }) => void sent.push(method),
    find: async ({ method }: { method: string }) => void sent.push(method),
  } as unknown as Platform;
  const place = { namespace: 'etl', application: 'a', request: '{}' };

  it('takes questions and no write', async () => {
    const consent = consentOf(deps('platform', { yes: true }));
    const guarded = consent.guard(bare);
    await guarded.call(getVersion, {}, NEVER);
    await expect(guarded.call(createReport, '{}' as never, NEVER)).rejects.toMatchObject({ code: 'INTERNAL' });
    await expect(guarded.call(putApplication, place, NEVER)).rejects.toMatchObject({ code: 'INTERNAL' });
    await expect(guarded.find(putApplication, place, NEVER)).rejects.toMatchObject({ code: 'INTERNAL' });
    expect(sent).toEqual(['GET']);
    await consent.ask({ deed: 'change it' });
    await guarded.call(putApplication, place, NEVER);
    expect(sent).toEqual(['GET', 'PUT']);
  });

  it('gets no yes from a command that does not declare what it changes', async () => {
    await expect(consentOf(deps(undefined, { yes: true })).ask({ deed: 'x' })).rejects.toMatchObject({
      code: 'INTERNAL',
    });
  });
});

describe('the name of a protected context', () => {
  const context = { name: 'here', url: 'http://cdap', protected: true };
  const found = { settings: { context: { value: context } }, sources: {} } as unknown as ConsentDeps['found'];

  /** Answers the question for the name; the keys are pressed when it was drawn. */
  async function answer(keys: string): Promise<{ readonly error: unknown; readonly screen: string }> {
    const [input, output] = [new PassThrough(), new PassThrough()];
    let screen = '';
    output.setEncoding('utf8').on('data', (text: string) => {
      if (screen === '') setImmediate(() => input.write(keys));
      screen += text;
    });
    const look = { terminal: true, color: false, columns: 200, unicode: true, utc: true };
    const asker = { input, output, look, home: undefined, signal: NEVER };
    const session = { argv: ['upgrade'], terminal: fakeTerminal() };
    const consent = consentOf({ changes: 'platform', flags: { yes: true }, session, asker, found });
    const target = { url: 'http://cdap', context: 'here' };
    const error: unknown = await consent.ask({ deed: 'upgrade 1 pipeline', target }).catch((cause: unknown) => cause);
    return { error, screen };
  }

  it.each([
    ['the name itself is a yes', 'here\r', undefined],
    ['another name is none', 'there\r', { code: 'DECLINED', message: 'the name does not match; nothing was changed' }],
    ['y is none', 'y\r', { code: 'DECLINED', message: 'the name does not match; nothing was changed' }],
    ['nor is the end of the input', '\u0004', { code: 'DECLINED' }],
  ])('is typed on a terminal, also with -y: %s', async (_, keys, expected) => {
    const { error, screen } = await answer(keys);
    expect(screen).toMatch(/Context here is protected\. Type its\s+name to confirm:/u);
    if (expected === undefined) expect(error).toBeUndefined();
    else expect(error).toMatchObject({ ...expected, exitCode: 13 });
  });
});

describe('what is asked for', () => {
  const target = { url: 'http://cdap', context: 'demo' };
  it.each([
    [{ deed: 'delete 2 reports', target }, 'delete 2 reports on demo (http://cdap)'],
    [
      {
        deed: 'remove 3 objects',
        preposition: 'from',
        namespaces: new Map([['etl', 3]]),
        target: { ...target, context: undefined },
      },
      'remove 3 objects from namespace etl on http://cdap',
    ],
    [
      {
        deed: 'upgrade 9 pipelines',
        namespaces: new Map([
          ['a', 1],
          ['b', 5],
          ['c', 1],
          ['d', 1],
          ['e', 1],
          ['f', 0],
        ]),
        target,
      },
      'upgrade 9 pipelines in 6 namespaces on demo (http://cdap): b 5, a 1, c 1, d 1, e 1 and 1 more',
    ],
    [{ deed: 'remove hub \u001b[31m' }, 'remove hub \\x1b[31m'],
  ] as const)('names platform, context and namespaces with counts: %#', (change, sentence) => {
    expect(sentenceOf(change)).toBe(sentence);
  });
});
