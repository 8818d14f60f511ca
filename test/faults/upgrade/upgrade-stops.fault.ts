import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Site } from '../../support/sites/install-site.js';
import { startCli, type RunningCli } from '../../support/processes/running-cli.js';
import { startStallingProxy } from '../../support/stalling-proxy.js';
import { broken, Disks, fill, isRoot } from '../broken-machine.js';
import { front, impatient, type Front } from '../front.js';
import {
  deploysOf,
  endOf,
  loseSchedules,
  named,
  oldOnes,
  openUpgradeSite,
  runUpgrade,
  upgradeLine,
  upgradeState,
  type EndedUpgrade,
} from './upgrade-site.js';

const COUNT = 20;
const OLD = oldOnes(COUNT).map(named);
const AT_ONCE = 4;
const FOUR = ['--concurrency', String(AT_ONCE)];

let calm: Promise<unknown> | undefined;

async function calmRun(): Promise<unknown> {
  const site = await openUpgradeSite(COUNT);
  expect((await runUpgrade(site)).code).toBe(0);
  const state = await upgradeState(site);
  await site.close();
  return state;
}

/** The end of every run that is resumed: as one that nothing stopped, each pipeline deployed once. */
async function expectEnd(site: Site): Promise<void> {
  expect(await upgradeState(site)).toEqual(await (calm ??= calmRun()));
  expect(await deploysOf(site)).toEqual(OLD);
}

/** The pipelines of a run that ended in a state. */
const those = ({ states }: EndedUpgrade, state: string): readonly string[] =>
  Object.keys(states).filter((name) => states[name] === state);

const isDeploy = (method: string, path: string): boolean => method === 'PUT' && /\/apps\/[^/]+$/u.test(path);

interface Signpost {
  readonly passed: Promise<void>;
  readonly pass: () => void;
}

function signpost(): Signpost {
  let pass: () => void = () => undefined;
  const passed = new Promise<void>((resolve) => {
    pass = resolve;
  });
  return { passed, pass };
}

interface Flying {
  readonly site: Site;
  readonly run: RunningCli;
  /** Lets the answers through. */
  readonly go: () => void;
  readonly close: () => Promise<void>;
}

/** An upgrade of which four deploys are applied and not answered yet. */
async function inFlight(env: Readonly<Record<string, string>> = {}): Promise<Flying> {
  const site = await openUpgradeSite(COUNT);
  const gate = signpost();
  const reached = signpost();
  let count = 0;
  const proxy = await startStallingProxy(site.url, async (method, path) => {
    if (!isDeploy(method, path)) return;
    count += 1;
    if (count === 2 * AT_ONCE) reached.pass();
    if (count > AT_ONCE) await gate.passed;
  });
  void proxy.arm();
  site.through = proxy.url;
  const run = startCli(upgradeLine(site, ...FOUR, '--json'), { home: site.home, env });
  await Promise.race([reached.passed, run.ended]);
  return {
    site,
    run,
    go: gate.pass,
    close: async () => {
      gate.pass();
      await proxy.close();
      await site.close();
    },
  };
}

describe.concurrent('a signal in the middle of an upgrade', () => {
  it.for([
    ['SIGINT', 130, 'INTERRUPTED'],
    ['SIGTERM', 143, 'TERMINATED'],
  ] as const)(
    'L26: %s ends what is in flight, starts nothing new and tells how to go on',
    async ([signal, code, name]) => {
      const { site, run, go, close } = await inFlight();
      run.kill(signal);
      await run.see('stopping after the current requests');
      go();
      const end = endOf(await run.ended);
      expect([end.code, end.error?.code]).toEqual([code, name]);
      const done = those(end, 'upgraded');
      expect(done).toHaveLength(2 * AT_ONCE);
      expect(those(end, 'not-run')).toHaveLength(OLD.length - 2 * AT_ONCE);
      expect(await deploysOf(site, 'all')).toEqual([...done].sort());
      expect(end.retry).toContain('--resume');
      expect(end.error?.hints.join(' ')).toContain(end.retry.join(' '));
      const again = endOf(await site.cdapctl(end.retry));
      expect(again.code, JSON.stringify(again.error)).toBe(0);
      await expectEnd(site);
      await close();
    },
  );

  it('L27: a second Ctrl-C ends at once with one document; --resume goes on', async () => {
    const { site, run, go, close } = await inFlight();
    run.kill('SIGINT');
    await run.see('stopping after the current requests');
    run.kill('SIGINT');
    const end = endOf(await run.ended);
    expect([end.code, end.error?.code]).toEqual([130, 'INTERRUPTED']);
    go();
    const again = await runUpgrade(site, ['--resume']);
    expect(again.code, JSON.stringify(again.error)).toBe(0);
    await expectEnd(site);
    await close();
  });

  it('L26: what is in flight gets no more than its 30 seconds', async () => {
    const { site, run, go, close } = await inFlight(broken({ FAULT_GRACE: '300' }));
    run.kill('SIGINT');
    const end = endOf(await run.ended);
    expect([end.code, end.error?.code]).toEqual([130, 'INTERRUPTED']);
    go();
    expect((await runUpgrade(site, ['--resume'])).code).toBe(0);
    await expectEnd(site);
    await close();
  });
});

describe.concurrent('two upgrades at once', () => {
  it.for([
    ['of the same namespace', ['-n', 'default']],
    ['one of all namespaces', ['--all-namespaces']],
  ] as const)('%s: the second is LOCKED and writes nothing', async ([, where]) => {
    const { site, run, go, close } = await inFlight();
    const before = await deploysOf(site, 'all');
    const second = endOf(await site.cdapctl(['upgrade', '-u', site.through, ...where, '--json']));
    expect([second.code, second.error?.code]).toEqual([6, 'LOCKED']);
    expect(await deploysOf(site, 'all')).toEqual(before);
    go();
    expect(endOf(await run.ended).code).toBe(0);
    await expectEnd(site);
    await close();
  });
});

interface Gap {
  readonly url: string;
  /** Takes connections again. */
  open(): Promise<void>;
  close(): Promise<void>;
}

/** A way to a platform that, once it has passed on the answer of a path, refuses all connections until it is opened again. */
async function startGap(platform: string, last: string): Promise<Gap> {
  let isShut = false;
  const server = createServer((incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    const onward = request(new URL(url, platform), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
    if (isShut || !url.endsWith(last)) return;
    isShut = true;
    outgoing.shouldKeepAlive = false;
    server.close();
    outgoing.once('finish', () => {
      server.closeIdleConnections();
    });
  });
  const listen = (port: number): Promise<unknown> => once(server.listen(port, '127.0.0.1'), 'listening');
  await listen(0);
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    open: async () => {
      await listen(port);
    },
    close: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** A front of a site that does something from a deploy on (1 for the first). */
async function fromDeploy(
  site: Site,
  nth: number,
  act: (call: Parameters<Parameters<typeof front>[1]>[0]) => 'handled' | undefined,
): Promise<Front> {
  let deploys = 0;
  const made = await front(site.url, (call) => {
    if (isDeploy(call.method, call.path)) deploys += 1;
    return deploys >= nth ? act(call) : undefined;
  });
  site.through = made.url;
  return made;
}

describe.concurrent('a platform in the middle of an upgrade', () => {
  it.for([
    ['one after the other', 1],
    ['four at once', AT_ONCE],
  ] as const)(
    'P40: rejects the token from pipeline 11 of 16 on, %s: stops, and asks for a new one',
    async ([, concurrency]) => {
      const site = await openUpgradeSite(COUNT);
      await fromDeploy(site, 11, ({ socket, path, headers }) => {
        if (headers.authorization === 'Bearer new') return undefined;
        const body = `rejected ${path}`;
        socket.end(`HTTP/1.1 401 Unauthorized\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`);
        return 'handled';
      });
      const line = ['--concurrency', String(concurrency)];
      const end = await runUpgrade(site, line, { CDAPCTL_TOKEN: 'old' });
      // What was sent just before, and could not be looked at any more, is not called failed.
      const isUnknown = those(end, 'unknown').length > 0;
      expect([end.code, end.error?.code]).toEqual(isUnknown ? [16, 'UNKNOWN_OUTCOME'] : [10, 'PARTIAL']);
      expect(end.stdout).toContain('the token in CDAPCTL_TOKEN was rejected');
      if (concurrency === 1) expect([those(end, 'upgraded').length, those(end, 'failed').length]).toEqual([10, 1]);
      expect(those(end, 'not-run').length).toBeGreaterThanOrEqual(OLD.length - 10 - concurrency);
      expect(end.retry).toContain('--resume');
      const again = endOf(await site.cdapctl(end.retry, { env: { CDAPCTL_TOKEN: 'new' } }));
      expect(again.code, JSON.stringify(again.error)).toBe(0);
      await expectEnd(site);
      await site.close();
    },
  );

  it.for([
    ['answers 503', 503],
    ['drops connections', 'reset'],
  ] as const)('P16: is away for half a minute (%s): the run waits and goes on', async ([, how]) => {
    const site = await openUpgradeSite(COUNT);
    let left = 60;
    const lossy = await startStallingProxy(site.url, (method, path) => loseSchedules(site, method, path));
    void lossy.arm();
    const through = site.url;
    Object.assign(site, { url: lossy.url });
    await fromDeploy(site, 6, ({ socket }) => {
      if (left-- <= 0) return undefined;
      if (how === 'reset') socket.resetAndDestroy();
      else socket.end('HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
      return 'handled';
    });
    Object.assign(site, { url: through });
    const end = await runUpgrade(site, FOUR, impatient(50).env);
    expect(end.code, JSON.stringify(end.error)).toBe(0);
    expect(end.stdout).toContain('the platform does not respond, retrying');
    await expectEnd(site);
    await lossy.close();
    await site.close();
  });

  it('P16: refuses connections when a deploy is about to be sent: the run waits and goes on', async () => {
    const site = await openUpgradeSite(COUNT);
    const gap = await startGap(site.url, `/apps/${named(5)}/schedules`);
    site.through = gap.url;
    const run = startCli(upgradeLine(site, '--concurrency', '1', '--json'), {
      home: site.home,
      env: impatient(10).env,
    });
    await run.see('retrying');
    await gap.open();
    const end = endOf(await run.ended);
    expect(end.code, JSON.stringify(end.error)).toBe(0);
    await expectEnd(site);
    await gap.close();
    await site.close();
  });

  it('is gone for good: stops soon, tries no more pipelines, and goes on when it is back', async () => {
    const site = await openUpgradeSite(COUNT);
    const made = await fromDeploy(site, 6, ({ socket }) => {
      socket.resetAndDestroy();
      return 'handled';
    });
    const end = await runUpgrade(site, FOUR, impatient(200).env);
    expect(end.code === 10 || end.code === 16, JSON.stringify(end.error)).toBe(true);
    expect(those(end, 'not-run').length).toBeGreaterThanOrEqual(OLD.length - 5 - 2 * AT_ONCE);
    made.heal();
    const again = endOf(await site.cdapctl(end.retry));
    expect(again.code, JSON.stringify(again.error)).toBe(0);
    await expectEnd(site);
    await site.close();
  });
});

describe.skipIf(!isRoot)('a disk that is full (needs root, for a file system of its own)', () => {
  const disks = new Disks();
  afterAll(() => {
    disks.removeAll();
  });
  const folderOf = (site: Site): string => join(site.home, '.local', 'state', 'cdapctl', 'upgrades');

  it.for([1, AT_ONCE])(
    'L02: stops the upgrade, and nothing is sent without its line in the journal, %i at once',
    async (concurrency) => {
      const site = await openUpgradeSite(COUNT);
      const folder = folderOf(site);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      disks.mount(folder, 24_576);
      const end = await runUpgrade(site, ['--concurrency', String(concurrency)]);
      expect([end.code, end.error?.code]).toEqual([15, 'DISK_FULL']);
      expect(end.stdout).toContain('no space left to write');
      expect(those(end, 'not-run').length).toBeGreaterThan(4);
      const [name = ''] = readdirSync(folder);
      const lines = readFileSync(join(folder, name), 'utf8').split('\n').slice(0, -1);
      const entries = lines.map((line) => JSON.parse(line) as { type: string; pipeline: string });
      const begun = entries.filter(({ type }) => type === 'sending').map(({ pipeline }) => pipeline);
      expect(await deploysOf(site, 'all')).toEqual([...begun].sort());
      disks.change(folder, 'size=1000000');
      const again = endOf(await site.cdapctl(end.retry));
      expect(again.code, JSON.stringify(again.error)).toBe(0);
      await expectEnd(site);
      disks.removeAll();
      await site.close();
    },
  );

  it('L03: stops the upgrade on a file of -e, whose request goes to the state folder', async () => {
    const site = await openUpgradeSite(COUNT);
    const failed = join(site.home, 'failed');
    // Room for the index, not for a request besides.
    disks.mount(failed, 8192);
    await site.fail({
      match: { method: 'PUT', path: `/apps/${named(5)}$` },
      status: 403,
      kind: 'status',
      when: 'before',
    });
    const end = await runUpgrade(site, ['--concurrency', '1', '-e', failed]);
    expect([end.code, end.error?.code], end.stdout).toEqual([15, 'DISK_FULL']);
    expect(those(end, 'failed')).toEqual([named(5)]);
    expect(await deploysOf(site)).toEqual(OLD.filter((name) => name < named(5)));
    const unkept = join(folderOf(site), 'unkept');
    const keptFiles = (): readonly string[] =>
      readdirSync(unkept, { recursive: true, encoding: 'utf8' }).filter((file) => file.includes(named(5)));
    const kept = readFileSync(join(unkept, keptFiles()[0] ?? ''), 'utf8');
    expect(JSON.parse(kept)).toMatchObject({ artifact: { version: '6.11.0' } });
    disks.change(failed, 'size=1000000');
    const again = endOf(await site.cdapctl(end.retry));
    expect(again.code, JSON.stringify(again.error)).toBe(0);
    expect(keptFiles()).toEqual([]);
    await expectEnd(site);
    disks.removeAll();
    await site.close();
  });

  it('L02: sends nothing when not even the first line of the journal can be written', async () => {
    const site = await openUpgradeSite(COUNT);
    const folder = folderOf(site);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    disks.mount(folder, 4096);
    fill(folder);
    const end = await runUpgrade(site);
    expect([end.code, end.error?.code]).toEqual([15, 'DISK_FULL']);
    expect(await deploysOf(site, 'all')).toEqual([]);
    rmSync(join(folder, 'filler'));
    disks.change(folder, 'size=1000000');
    expect((await runUpgrade(site, ['--resume'])).code).toBe(0);
    await expectEnd(site);
    disks.removeAll();
    await site.close();
  });
});
