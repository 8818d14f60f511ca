import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it as plain } from 'vitest';
import { documentOf, it, sampleHub, type Site } from '../support/sites/install-site.js';
import { environmentOf, STARTER, type RunResult } from '../support/processes/run-cli.js';
import { startCli, type RunningCli } from '../support/processes/running-cli.js';
import { startStallingProxy, type StallingProxy } from '../support/stalling-proxy.js';
import { broken, isRoot, STRANGER, giveTo } from './broken-machine.js';
import { CANARY, judge } from './judge.js';

const TRIM = 'example-trim-fields@1.10.0';
const ARTIFACTS = '/v3/namespaces/default/artifacts';
const TRIM_WRITES = [
  `POST ${ARTIFACTS}/example-trim-fields 200`,
  `PUT ${ARTIFACTS}/example-trim-fields/versions/1.10.0/properties 200`,
];
const ORDERS_WRITES = [
  `POST ${ARTIFACTS}/example-orders-driver 200`,
  `POST ${ARTIFACTS}/example-order-tools 200`,
  `PUT ${ARTIFACTS}/example-order-tools/versions/2.0.1/properties 200`,
  'PUT /v3/namespaces/default/apps/OrderImport 200',
];
const STOPPING = 'stopping after the current requests';
const NO_TRACE = /^\s+at .+:\d+:\d+\)?$/mu;

const install = (site: Site): string[] => site.line([TRIM, '-y']);

/** What installs a package of four actions. */
async function orders(site: Site): Promise<string[]> {
  const driver = (await sampleHub()).files.get('packages/example-memory-driver/1.0.0/example-memory-driver-1.0.0.jar');
  return ['example-order-import', '--jar', `2=${await site.file('driver.jar', driver ?? '')}`, '-y'];
}

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

/** An install that stands still when the platform has applied its upload and not answered it yet; `go` lets the answer through. */
async function inFlight(
  site: Site,
  form: 'json' | 'text',
  env = {},
): Promise<{ run: RunningCli; proxy: StallingProxy; go: () => void }> {
  const gate = signpost();
  const reached = signpost();
  const proxy = await startStallingProxy(site.url, async (method) => {
    if (method !== 'POST') return;
    reached.pass();
    await gate.passed;
  });
  void proxy.arm();
  site.through = proxy.url;
  const run = startCli([...site.line(await orders(site)), ...(form === 'json' ? ['--json'] : [])], {
    home: site.home,
    env,
  });
  await Promise.race([reached.passed, run.ended]);
  return {
    run,
    proxy,
    go: () => {
      gate.pass();
    },
  };
}

/** The same command again ends what was begun, and the upload is sent once in all. */
async function goesOn(site: Site): Promise<void> {
  site.through = site.url;
  const { code, stderr } = await site.install(...(await orders(site)));
  expect(code, stderr).toBe(0);
  expect((await site.writes()).filter((line) => line.endsWith(' 200'))).toEqual(ORDERS_WRITES);
}

async function stopped(
  { code, stdout, stderr }: RunResult,
  form: 'json' | 'text',
  exit: number,
  name: string,
): Promise<void> {
  expect([code, NO_TRACE.exec(stderr)]).toEqual([exit, null]);
  if (form === 'text') expect(stderr).toContain(`[${name}]`);
  else
    expect((await documentOf({ code, signal: undefined, stdout, stderr })).error).toMatchObject({
      code: name,
      exitCode: exit,
    });
}

const FORMS = ['json', 'text'] as const;

describe('a signal in the middle of an install', () => {
  it.for([
    ['L26', 'SIGINT', 'json', 130, 'INTERRUPTED'],
    ['L26', 'SIGINT', 'text', 130, 'INTERRUPTED'],
    ['L28', 'SIGTERM', 'json', 143, 'TERMINATED'],
    ['L28', 'SIGTERM', 'text', 143, 'TERMINATED'],
    ['L28', 'SIGHUP', 'json', 129, 'HANGUP'],
    ['L28', 'SIGHUP', 'text', 129, 'HANGUP'],
  ] as const)('%s: %s lets the request end that is under way (%s)', async ([, signal, form, exit, name], { site }) => {
    const { run, proxy, go } = await inFlight(site, form);
    run.kill(signal);
    await run.see(STOPPING);
    go();
    await stopped(await run.ended, form, exit, name);
    await proxy.close();
    expect(await site.writes()).toEqual(ORDERS_WRITES.slice(0, 1));
    await goesOn(site);
  });

  it('L26: waits for it no longer than half a minute', async ({ site }) => {
    const { run, proxy, go } = await inFlight(site, 'json', broken({ FAULT_GRACE: '200' }));
    run.kill('SIGINT');
    await stopped(await run.ended, 'json', 130, 'INTERRUPTED');
    go();
    await proxy.close();
    await goesOn(site);
  });

  it.for(FORMS)('L27: a second SIGINT ends it at once (%s)', async (form, { site }) => {
    const { run, proxy, go } = await inFlight(site, form);
    run.kill('SIGINT');
    await run.see(STOPPING);
    const from = performance.now();
    run.kill('SIGINT');
    const end = await run.ended;
    await stopped(end, form, 130, 'INTERRUPTED');
    expect(form === 'json' ? end.stdout : end.stderr).toMatch(
      /may or may not have been applied[\s\S]*cdapctl install /u,
    );
    // One that waited for the request would take half a minute.
    expect(performance.now() - from).toBeLessThan(15_000);
    go();
    await proxy.close();
    await goesOn(site);
  });
});

describe('a signal while a local hub is read whose disk stalls', () => {
  it.for([
    ['L26', 'SIGINT', 0, 6000, 'INTERRUPTED'],
    ['L26', 'SIGINT', 1, 6000, 'INTERRUPTED'],
    ['L26', 'SIGINT', 0, 1, 'INTERRUPTED'],
    ['L28', 'SIGTERM', 0, 6000, 'TERMINATED'],
  ] as const)('%s: %s after %i reads of a catalog of %i packages ends the run', async (row, { site }) => {
    const [, signal, after, length, name] = row;
    const packages = Array.from({ length }, (_, at) => ({ name: `p-${at}`, version: '1.0.0', label: 'x'.repeat(900) }));
    const catalog = await site.file('packages.json', JSON.stringify(packages));
    const pipe = join(dirname(catalog), 'pipe');
    execFileSync('mkfifo', [pipe]);
    const run = startCli(['hub', 'list', '--hub', dirname(catalog)], {
      home: site.home,
      env: broken({ FAULT_STALLED: pipe, FAULT_STALLED_AFTER: String(after) }),
      timeout: 10_000,
    });
    await run.see('the disk stalls');
    run.kill(signal);
    const { stderr, ...end } = await run.ended;
    // What the system holds cannot be waited for: the signal ends the process, which a shell calls 130 or 143.
    expect(end).toEqual({ code: undefined, signal, stdout: '' });
    expect(stderr).toContain(`[${name}]`);
  });
});

describe('two runs', () => {
  it('L21: of the same install at once: the second one is told of the first and does nothing', async ({ site }) => {
    const { run, proxy, go } = await inFlight(site, 'json');
    const { error } = await site.install(...(await orders(site)));
    expect(error).toMatchObject({ code: 'LOCKED', exitCode: 6 });
    expect(error.message).toContain(`process ${run.pid} on `);
    go();
    expect((await run.ended).code).toBe(0);
    await proxy.close();
    expect(await site.writes()).toEqual(ORDERS_WRITES);
  });
});

describe('a stream that is closed', () => {
  const shell = async (site: Site, args: readonly string[], rest: string): Promise<RunResult> => {
    const child = spawn('bash', ['-c', `"$@" ${rest}`, 'bash', process.execPath, STARTER, ...args], {
      env: environmentOf(site.home),
    });
    const texts = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const)
      child[name].on('data', (data: Buffer) => {
        texts[name] += data.toString();
      });
    child.stdin.end();
    const [code, signal] = (await once(child, 'close')) as [number, NodeJS.Signals | null];
    return { code, signal: signal ?? undefined, ...texts };
  };

  it.for([
    ['| head -1; exit ${PIPESTATUS[0]}', 'after one line'],
    ['| exec true; exit ${PIPESTATUS[0]}', 'before anything'],
    ['>&-', 'from the beginning'],
  ] as const)('L29: stdout (%s) ends a list quietly', async ([rest], { site }) => {
    const entries = Array.from({ length: 5000 }, (_, at) => ({
      name: `package-${at}`,
      version: '1.0.0',
      label: 'x'.repeat(200),
    }));
    site.publish({ files: new Map([['packages.json', Buffer.from(JSON.stringify(entries))]]) });
    rmSync(join(site.home, '.local'), { recursive: true });
    for (const form of [[], ['--json'], ['-o', 'csv']])
      expect(await shell(site, ['hub', 'list', '--hub', site.hub, ...form], rest)).toMatchObject({
        code: 0,
        stderr: expect.not.stringMatching(NO_TRACE) as string,
      });
  });

  it.for([
    ['L29', 'stdout', '| exec true; exit ${PIPESTATUS[0]}'],
    ['L29', 'stdout', '>&-'],
    ['L30', 'stderr', '2>&-'],
    ['L30', 'stderr', '2> >(exec true)'],
  ] as const)('%s: %s lets an install go on to its end (%s)', async ([, , rest], { site }) => {
    const { code, stderr } = await shell(site, install(site), rest);
    expect([code, NO_TRACE.exec(stderr)]).toEqual([0, null]);
    expect(await site.writes()).toEqual(TRIM_WRITES);
  });

  it.for(['2>&-', '2> >(exec true)'] as const)(
    'L30: stderr does not change how an error ends (%s)',
    async (rest, { site }) => {
      expect((await shell(site, [...install(site), '--only', '9'], rest)).code).toBe(2);
      const { code, stdout } = await shell(site, [...install(site), '--only', '9', '--json'], rest);
      expect([code, (JSON.parse(stdout) as { kind: string }).kind]).toEqual([2, 'Error']);
    },
  );
});

describe('a bug', () => {
  plain('L37: is a wait that never ends: the run does not end with 0', async () => {
    await judge({
      line: install,
      options: { env: {} },
      fault: (site) =>
        site.fail({
          match: { method: 'GET', path: '/v3/version' },
          kind: 'status',
          status: 503,
          when: 'before',
          times: 1,
        }),
      exit: 0,
      holds: 'B',
    });
    await judge({
      line: install,
      options: { env: broken({ FAULT_NEVER: '1' }) },
      fault: (site) =>
        site.fail({
          match: { method: 'GET', path: '/v3/version' },
          kind: 'status',
          status: 503,
          when: 'before',
          times: 1,
        }),
      mend: false,
      exit: 1,
      code: 'INTERNAL',
      says: ['ended before it was finished', /a crash report was written to .*crashes/u],
      holds: 'A',
    });
  });

  plain('L38: is an exception outside of everything: a report without secrets is written', async () => {
    await judge({
      line: install,
      options: { env: broken({ FAULT_THROW: `thrown with ${CANARY} in its text` }) },
      fault: (site) =>
        site.fail({ match: { method: 'GET', path: '/v3/version' }, kind: 'delay', when: 'before', milliseconds: 5000 }),
      mend: false,
      exit: 1,
      code: 'INTERNAL',
      says: [/a crash report was written to .*crashes/u],
      holds: 'A',
      look: (_, site) => {
        const folder = join(site.home, '.local', 'state', 'cdapctl', 'crashes');
        const [name = ''] = readdirSync(folder);
        expect(readFileSync(join(folder, name), 'utf8')).toContain('thrown with ');
        expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
      },
    });
  });

  it.for([
    ['a refused token', 401, 3],
    ['a refused write', 500, 11],
  ] as const)('L40: --debug hides what is secret: %s', async ([, status, exit], { site }) => {
    await site.fail({
      match: { method: status === 401 ? 'GET' : 'POST' },
      kind: 'status',
      status,
      when: 'before',
      times: 9,
      body: `said ${CANARY}`,
    });
    for (const words of [['--debug'], ['--debug', '--json'], ['--debug', '--trace-http', join(site.home, 'trace')]]) {
      const { code, stdout, stderr } = await site.cdapctl([...install(site), ...words], {
        env: { CDAPCTL_TOKEN: CANARY },
      });
      expect([code, words]).toEqual([exit, words]);
      expect(stdout + stderr).not.toContain(CANARY);
    }
    expect(readFileSync(join(site.home, 'trace'), 'utf8')).not.toContain(CANARY);
  });
});

describe('the environment of a run', () => {
  it('L08: allows few open files: an error or a success, nothing between', async ({ site }) => {
    for (const limit of [19, 21, 23, 25, 28, 40]) {
      const out = join(site.home, `out-${limit}`);
      const { code, stdout, stderr, signal } = await site.cdapctl(
        ['hub', 'download', TRIM, '--hub', site.hub, '-D', out, '--json'],
        { env: broken({ FAULT_OPEN_FILES: String(limit) }) },
      );
      expect([0, 15], `${limit}: ${stdout}${stderr}`).toContain(code);
      expect(signal).toBe(undefined);
      if (code === 15) await documentOf({ code, signal, stdout, stderr });
    }
    expect((await site.cdapctl(install(site), { env: broken({ FAULT_OPEN_FILES: '40' }) })).code).toBe(0);
  });

  it.skipIf(!isRoot)('L31: has no HOME and a user that the system does not know (needs root)', async ({ site }) => {
    giveTo(STRANGER, site.home);
    const env = {
      ...broken({ FAULT_USER: String(STRANGER) }),
      HOME: undefined,
      USERPROFILE: undefined,
      XDG_CONFIG_HOME: undefined,
      XDG_STATE_HOME: undefined,
      XDG_CACHE_HOME: undefined,
    };
    const without = await site.cdapctl([...install(site), '--json'], { env });
    const { error } = await documentOf(without);
    expect(error).toMatchObject({ code: 'LOCAL_IO', exitCode: 15 });
    expect(error.hints.join()).toMatch(/export CDAPCTL_\w+_DIR=/u);
    const places = {
      CDAPCTL_CONFIG_DIR: join(site.home, 'config'),
      CDAPCTL_STATE_DIR: join(site.home, '.local/state/cdapctl'),
      CDAPCTL_CACHE_DIR: join(site.home, 'cache'),
    };
    const named = await site.cdapctl(install(site), { env: { ...env, ...places } });
    expect(named.code, named.stderr).toBe(0);
  });

  it.skipIf(!isRoot)('L31: has a HOME that cannot be written (needs root)', async ({ site }) => {
    giveTo(STRANGER, site.home);
    const env = {
      ...broken({ FAULT_USER: String(STRANGER) }),
      HOME: '/proc',
      XDG_CONFIG_HOME: undefined,
      XDG_STATE_HOME: undefined,
      XDG_CACHE_HOME: undefined,
    };
    const { error } = await documentOf(await site.cdapctl([...install(site), '--json'], { env }));
    expect(error).toMatchObject({ code: 'LOCAL_IO', exitCode: 15 });
    const list = await site.cdapctl(['hub', 'list', '--hub', site.hub], { env });
    expect(list.code, list.stderr).toBe(0);
  });

  const YEARS = 10 * 365 * 24 * 3600 * 1000;

  plain.for([
    ['behind', -YEARS, 'SIG_FUTURE'],
    ['ahead', YEARS, 'STALE'],
  ] as const)('L32: has a clock that is ten years %s', async ([, offset, code]) => {
    const env: Record<string, string | undefined> = {};
    await judge({
      line: install,
      options: { env },
      fault: () => {
        Object.assign(env, broken({ FAULT_CLOCK: String(offset) }));
      },
      mend: () => {
        env['NODE_OPTIONS'] = undefined;
      },
      exit: 9,
      code,
      says: [/clock/u],
      holds: 'AD',
    });
  });

  it('L33: has a clock that went back since the last run: told, and the later time stays', async ({ site }) => {
    const ahead = await site.cdapctl(install(site), { env: broken({ FAULT_CLOCK: String(3_600_000) }) });
    expect(ahead.code, ahead.stderr).toBe(0);
    const seen = (): string => {
      const folder = join(site.home, '.local/state/cdapctl/trust');
      const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
        statSync(join(folder, name)).isFile(),
      );
      return names
        .flatMap((name) => /"lastSeenAt":\s*"[^"]+"/u.exec(readFileSync(join(folder, name), 'utf8')) ?? [])
        .join();
    };
    const before = seen();
    const { code, warnings } = await site.install(TRIM, '-y');
    expect(code).toBe(0);
    expect(warnings.map(({ message }) => message).join()).toContain('the clock of this machine is wrong');
    expect(before).not.toBe('');
    expect(seen()).toBe(before);
  });

  plain.for([
    ['back', -3_600_000],
    ['ahead', 3600],
  ] as const)('L34: has a clock that steps %s while the run waits', async ([, step]) => {
    await judge({
      line: install,
      options: { env: broken({ FAULT_CLOCK_STEPS: String(step / 100) }) },
      fault: (site) =>
        site.fail({
          match: { method: 'GET', path: '/v3/version' },
          kind: 'status',
          status: 503,
          when: 'before',
          times: 2,
        }),
      exit: 0,
      holds: 'B',
    });
  });

  it('L35: lets everybody read new files: ours are private all the same', async ({ site }) => {
    rmSync(join(site.home, '.local'), { recursive: true });
    const env = broken({ FAULT_UMASK: '000' });
    const key = await site.file('key.asc', (await sampleHub()).publicKey);
    const add = ['hub', 'key', 'add', key, '--hub', site.hub, '--fingerprint', (await sampleHub()).fingerprint];
    expect((await site.cdapctl(add, { env })).code).toBe(0);
    expect((await site.cdapctl(['context', 'add', 'here', '-u', site.url], { env })).code).toBe(0);
    expect((await site.cdapctl(install(site), { env })).code).toBe(0);
    const loose = ['.local', '.config'].flatMap((top) =>
      readdirSync(join(site.home, top), { recursive: true, encoding: 'utf8' })
        .map((name) => join(top, name))
        .filter((name) => (statSync(join(site.home, name)).mode & 0o077) !== 0),
    );
    expect(loose.filter((name) => name.includes('cdapctl'))).toEqual([]);
  });

  it('L41: has an odd language and time zone: what programs read is the same', async ({ site }) => {
    const odd = { LANG: 'tr_TR.UTF-8', LC_ALL: 'ar_EG.UTF-8', LC_NUMERIC: 'de_DE.UTF-8', TZ: 'Asia/Kathmandu' };
    for (const words of [
      ['hub', 'list'],
      ['hub', 'show', TRIM],
    ])
      for (const format of ['json', 'ndjson', 'yaml', 'csv']) {
        const line = [...words, '--hub', site.hub, '-o', format];
        const usual = await site.cdapctl(line);
        expect((await site.cdapctl(line, { env: odd })).stdout, line.join(' ')).toBe(usual.stdout);
        expect(usual.code).toBe(0);
      }
  });
});
