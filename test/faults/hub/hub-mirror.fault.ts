import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { HubSigner } from '../../../src/emulator/hub/sign.js';
import { hubKey, hubPackage, serveHub, signedHub, type ServedHub } from '../../support/sites/hub-tree.js';
import { ROOT, runCli, withTempDir, type RunResult } from '../../support/processes/run-cli.js';
import { Disks, isRoot } from '../broken-machine.js';
import { DEPTH, draw } from '../depth.js';

const KEYS = resolve(import.meta.dirname, '../../fixtures/keys/signing');
const PRELOAD = join(ROOT, 'test/support/processes/kill-at-write.cjs');
const NOW = Date.now();
const ARGUMENTS = [
  { name: 'name', value: 'plug' },
  { name: 'version', value: '1.0.0' },
  { name: 'scope', value: 'user' },
  { name: 'config', value: 'plug.json' },
  { name: 'jar', value: 'plug.jar' },
];
const plugin = (name: string, jar: Buffer | string = `jar of ${name}`) =>
  hubPackage({
    name,
    spec: { actions: [{ type: 'one_step_deploy_plugin', label: 'Deploy', arguments: ARGUMENTS }] },
    resources: { 'plug.jar': jar, 'plug.json': '{}' },
  });

interface Site {
  readonly home: string;
  readonly folder: string;
  readonly mirror: (env?: Readonly<Record<string, string>>, more?: readonly string[]) => Promise<RunResult>;
  /** The exit code, and the packages that are seen. */
  readonly verify: (keyring?: string) => Promise<readonly [number | undefined, unknown]>;
}

let key: Promise<HubSigner> | undefined;

/** A hub whose key is trusted, with these packages; another one can be served in its place. */
async function withHub(
  test: (
    hub: ServedHub,
    serve: (sequence: number, ...packages: ReturnType<typeof plugin>[]) => Promise<void>,
  ) => Promise<void>,
): Promise<void> {
  const files = new Map<string, Buffer>();
  const hub = await serveHub(files);
  try {
    await test(hub, async (sequence, ...packages) => {
      const made = await signedHub({ packages, key: await (key ??= hubKey({ now: NOW - 1000 })), now: NOW, sequence });
      files.clear();
      for (const [name, bytes] of made.files) files.set(name, bytes);
    });
  } finally {
    await hub.close();
  }
}

/** A home in which the key of a hub is trusted, perhaps a copy of another one. */
async function atSite(url: string, test: (site: Site) => Promise<void>, from?: string): Promise<void> {
  await withTempDir(async (home) => {
    const folder = join(home, 'mirror');
    const run = (line: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<RunResult> =>
      runCli(line, { home, cwd: home, env, alone: Object.keys(env).length > 0 });
    if (from !== undefined) cpSync(from, home, { recursive: true, preserveTimestamps: true });
    else {
      const { publicKey, fingerprint } = await (key ??= hubKey({ now: NOW - 1000 }));
      writeFileSync(join(home, 'key.asc'), publicKey);
      const pin = ['hub', 'key', 'add', 'key.asc', '--hub', url, '--fingerprint', fingerprint];
      expect((await run(pin)).code).toBe(0);
    }
    await test({
      home,
      folder,
      mirror: (env, more = ['--hub', url]) =>
        run(['hub', 'mirror', '-D', './mirror', '--concurrency', '1', ...more], env),
      async verify(keyring = 'key.asc') {
        const line = ['hub', 'verify', './mirror', '--all', '--keyring', keyring, '--strict', '--json'];
        const { code, stdout } = await run(line);
        return [code, (JSON.parse(stdout) as Record<string, unknown>)['packages']];
      },
    });
  });
}

const filesIn = (folder: string): ReadonlyMap<string, string> =>
  new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .filter((name) => !name.startsWith('.cdapctl-mirror/'))
      .sort()
      .map((name) => [name, readFileSync(join(folder, name), 'latin1')]),
  );

/** How often each file of a package was asked for, without its signatures. */
function fetches({ requests }: ServedHub, since: number): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { path } of requests.slice(since))
    if (path.includes('/packages/') && !path.endsWith('.asc')) counts.set(path, (counts.get(path) ?? 0) + 1);
  return counts;
}

/** What clients read first, as far as each publication of the tests changes it. */
const FRONT = ['packages.json', 'index.json.asc', 'index.json'];

/** Whether a file is as before a run or as after it. */
function stateOf(
  folder: string,
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  name: string,
): 'old' | 'new' | 'other' {
  const path = join(folder, name);
  const text = existsSync(path) ? readFileSync(path, 'latin1') : undefined;
  if (text === after.get(name)) return 'new';
  return text === before.get(name) ? 'old' : 'other';
}

/** Whether a write is one of the renames that come right after each other, without any other write between them. */
function isMoving(log: readonly string[], at: number): boolean {
  return log[at - 2] === 'rename' || log[at] === 'rename';
}

/** Kills a mirror at some of its writes, looks at the folder as a reader does, and runs it again. */
async function killAndGoOn(
  hub: ServedHub,
  made: string | undefined,
  isFirst: boolean,
  more?: readonly string[],
  keyring?: string,
): Promise<void> {
  let log: readonly string[] = [];
  let whole: ReadonlyMap<string, string> = new Map();
  let packages: unknown;
  await atSite(
    hub.url,
    async ({ home, folder, mirror, verify }) => {
      const env = { NODE_OPTIONS: `--require=${PRELOAD}`, KILL_FOLDER: folder, KILL_LOG: join(home, 'log') };
      expect((await mirror(env, more)).code).toBe(0);
      log = readFileSync(join(home, 'log'), 'utf8').trimEnd().split('\n');
      whole = filesIn(folder);
      packages = (await verify(keyring))[1];
    },
    made,
  );
  expect(log.length).toBeGreaterThan(30);
  const before = isFirst || made === undefined ? new Map<string, string>() : filesIn(join(made, 'mirror'));
  const all = log.flatMap((kind, at) =>
    (kind === 'write' ? ['before', 'half'] : ['before', 'after']).map((moment) => ({ at: at + 1, moment })),
  );
  for (const { at, moment } of DEPTH === 'all'
    ? all
    : draw(all, more === undefined ? 5 : 3, `hub mirror ${String(isFirst)}`))
    await atSite(
      hub.url,
      async ({ folder, mirror, verify }) => {
        const since = hub.requests.length;
        const env = {
          NODE_OPTIONS: `--require=${PRELOAD}`,
          KILL_FOLDER: folder,
          KILL_N: String(at),
          KILL_MOMENT: moment,
        };
        expect(
          (await mirror(env, more)).signal,
          `the run ended before it was killed: ${at} of ${log.length} ${moment}`,
        ).toBe('SIGKILL');
        const isThere = ['packages', 'packages.json'].some((name) => existsSync(join(folder, name)));
        // What clients read first are several files, renamed one right after the other; readers refuse some of each.
        const front = FRONT.filter((name) => before.has(name) || whole.has(name));
        const states = new Set(front.map((name) => stateOf(folder, before, whole, name)));
        const point = `${log[at - 1] ?? ''} ${at} ${moment}`;
        const [code, seen] = await verify(keyring);
        if (isFirst) expect([code, isThere && seen], point).toEqual(isThere ? [0, packages] : [5, false]);
        else if (!(states.has('old') && states.has('new'))) expect(code, point).toBe(0);
        else expect([log[at - 1], isMoving(log, at), code], point).toEqual(['rename', true, 9]);
        expect((await mirror({}, more)).code).toBe(0);
        // An index of one's own has the times of its run.
        const after = filesIn(folder);
        if (keyring === undefined) expect(after).toEqual(whole);
        else expect([[...after.keys()], await verify(keyring)]).toEqual([[...whole.keys()], [0, packages]]);
        // The one that was being written when the run was killed may be fetched again.
        const twice = [...fetches(hub, since)].filter(([, count]) => count > 1);
        expect(twice.length, `${at} ${moment}: ${twice.join()}`).toBeLessThanOrEqual(1);
      },
      made,
    );
}

describe('a mirror', () => {
  it(`V13: is killed at a write: readers see the old hub or the new one, and a second run fetches no whole file again (${DEPTH} points)`, () =>
    withHub(async (hub, serve) => {
      await serve(1, plugin('one'));
      await atSite(hub.url, async ({ home, mirror }) => {
        expect((await mirror()).code).toBe(0);
        await serve(2, plugin('one'), plugin('two'), plugin('three'));
        await killAndGoOn(hub, home, false);
      });
    }));

  it(`V13: is killed at a write before there is a hub: readers see none or all of it (${DEPTH} points)`, () =>
    withHub(async (hub, serve) => {
      await serve(1, plugin('one'), plugin('two'));
      await killAndGoOn(hub, undefined, true);
    }));

  it(`V13: of some packages is killed at a write before there is a hub: readers see none or all of it (${DEPTH} points)`, () =>
    withHub(async (hub, serve) => {
      await serve(1, plugin('one'), plugin('two'), plugin('three'));
      await killAndGoOn(hub, undefined, true, ['one', 'two', '--hub', hub.url]);
    }));

  it(`V13: of other packages than before is killed while it removes some, too (${DEPTH} points)`, () =>
    withHub(async (hub, serve) => {
      const part = ['--hub', hub.url, '--prune', '--confirm', '1'];
      await serve(1, plugin('one'), plugin('two'), plugin('three'));
      await atSite(hub.url, async ({ home, mirror }) => {
        expect((await mirror({}, ['one', 'two', ...part])).code).toBe(0);
        await killAndGoOn(hub, home, false, ['one', 'three', ...part]);
      });
    }));

  it(`V13: that signs is killed while it is updated: readers see the old hub or the new one (${DEPTH} points)`, () =>
    withHub(async (hub, serve) => {
      await serve(1, plugin('one'), plugin('two'), plugin('three'));
      await atSite(hub.url, async ({ home, mirror }) => {
        for (const name of ['ed25519.secret.asc', 'ed25519.public.asc'])
          copyFileSync(join(KEYS, name), join(home, name));
        chmodSync(join(home, 'ed25519.secret.asc'), 0o600);
        const more = ['--hub', hub.url, '--key', 'ed25519.secret.asc'];
        expect((await mirror({}, ['one', ...more])).code).toBe(0);
        await killAndGoOn(hub, home, false, ['one', 'two', ...more], 'ed25519.public.asc');
      });
    }));

  it(`V13: that signs is killed at a write before there is a hub: readers see none or all of it (${DEPTH} points)`, () =>
    withHub(async (hub, serve) => {
      await serve(1, plugin('one'), plugin('two'), plugin('three'));
      await atSite(hub.url, async ({ home }) => {
        for (const name of ['ed25519.secret.asc', 'ed25519.public.asc'])
          copyFileSync(join(KEYS, name), join(home, name));
        chmodSync(join(home, 'ed25519.secret.asc'), 0o600);
        const more = ['one', 'two', '--hub', hub.url, '--key', join(home, 'ed25519.secret.asc')];
        await killAndGoOn(hub, home, true, more, 'ed25519.public.asc');
      });
    }));
});

describe('a bundle', () => {
  it(`V13: is killed at a write: there is none or all of it, and a second run writes it (${DEPTH} points)`, () =>
    withHub(async (hub, serve) => {
      await serve(1, plugin('one'), plugin('two', Buffer.alloc(200_000, 'two')));
      await atSite(hub.url, async ({ home, folder, mirror }) => {
        const write = (out: string, env?: Readonly<Record<string, string>>): Promise<RunResult> => {
          mkdirSync(join(home, out), { recursive: true });
          const paths = env && { NODE_OPTIONS: `--require=${PRELOAD}`, KILL_FOLDER: join(home, out) };
          return mirror({ ...paths, ...env }, ['--hub', hub.url, '--bundle', join(home, out, 'hub.tar')]);
        };
        expect((await write('whole', { KILL_LOG: join(home, 'log') })).code).toBe(0);
        const log = readFileSync(join(home, 'log'), 'utf8').trimEnd().split('\n');
        const all = log.flatMap((kind, at) =>
          ['before', kind === 'write' ? 'half' : 'after'].map((moment) => ({ at: at + 1, moment })),
        );
        expect(log.length).toBeGreaterThan(20);
        // The last ones give the bundle its name.
        const points = DEPTH === 'all' ? all : [...draw(all.slice(0, -6), 2, 'hub bundle'), ...all.slice(-6)];
        for (const { at, moment } of points) {
          const out = `out-${at}-${moment}`;
          expect((await write(out, { KILL_N: String(at), KILL_MOMENT: moment })).signal, out).toBe('SIGKILL');
          const isThere = existsSync(join(home, out, 'hub.tar'));
          expect((await write(out)).code, out).toBe(isThere ? 6 : 0);
          if (!isThere) expect(readdirSync(join(home, out)), out).toEqual(['hub.tar']);
          const load = ['hub', 'mirror', '--from', 'hub.tar', '-D', './copy'];
          const copied = await runCli(load, { home, cwd: join(home, out) });
          expect(copied.code, `${out} ${copied.stderr}`).toBe(0);
          expect(filesIn(join(home, out, 'copy'))).toEqual(filesIn(folder));
        }
      });
    }));
});

describe('the import of a bundle', () => {
  it(`V13: is killed at a write: as a mirror (${DEPTH} points)`, () =>
    withHub(async (hub, serve) => {
      await atSite(hub.url, async ({ home, mirror }) => {
        const [first, second] = [join(home, '1.tar'), join(home, '2.tar')];
        await serve(1, plugin('one'));
        expect((await mirror({}, ['--hub', hub.url, '--bundle', first])).code).toBe(0);
        await serve(2, plugin('one'), plugin('two'));
        expect((await mirror({}, ['--hub', hub.url, '--bundle', second, '--since', first])).code).toBe(0);
        await atSite(hub.url, async (closed) => {
          expect((await closed.mirror({}, ['--from', first])).code).toBe(0);
          await killAndGoOn(hub, closed.home, false, ['--from', second]);
        });
      });
    }));
});

const disks = new Disks();
afterEach(() => {
  disks.removeAll();
});

describe.skipIf(!isRoot)('a disk (needs root, for a file system of its own)', () => {
  it('V15: is full in the middle of a mirror: nothing that is served changes, and with room it continues', () =>
    withHub(async (hub, serve) => {
      await serve(1, plugin('one'));
      await atSite(hub.url, async ({ folder, mirror, verify }) => {
        disks.mount(folder, 600_000);
        expect((await mirror()).code).toBe(0);
        const before = filesIn(folder);
        await serve(2, plugin('one'), plugin('two'), plugin('zero', Buffer.alloc(800_000, 'x')));
        const full = await mirror();
        expect([full.code, full.stderr]).toEqual([15, expect.stringContaining('DISK_FULL')]);
        expect(filesIn(folder)).toEqual(before);
        expect((await verify())[0]).toBe(0);
        disks.change(folder, 'size=4000000');
        expect((await mirror()).code).toBe(0);
        expect((await verify())[0]).toBe(0);
        expect(filesIn(folder).has('packages/zero/1.0.0/plug.jar')).toBe(true);
        disks.removeAll();
      });
    }));
});
