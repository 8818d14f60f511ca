import { mkdtempSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../../src/emulator/start.js';
import { rawAnswer } from '../../support/raw-server.js';
import { runCli, type RunResult } from '../../support/processes/run-cli.js';
import { startCli, type RunningCli } from '../../support/processes/running-cli.js';
import { olderPipeline, oneStep, stepArtifacts } from '../../support/sites/upgrade-seed.js';
import { front, hurried, type FrontScript } from '../front.js';

const PIPELINE = 'etl/orders-hourly';
const WORKFLOW = '/v3/namespaces/etl/apps/orders-hourly/workflows/DataPipelineWorkflow';
const START = /^POST .*\/etl\/start$/u;
const STOP = /^POST .*\/runs\/[^/]+\/stop$/u;
const STOPPING = 'stopping after the current requests';
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\n$/u;

let emulator: RunningEmulator;
let home: string;

beforeAll(async () => {
  const applications = [olderPipeline('6.11.0', 'etl', 'orders-hourly', oneStep('Copy'))];
  const seed = { namespaces: ['etl'], artifacts: stepArtifacts('6.11.0'), applications };
  emulator = await startEmulator({ port: 0, hubPort: 0, platform: '6.11.0', seed });
  home = mkdtempSync(join(tmpdir(), 'cdapctl-pipeline-runs-'));
});

afterAll(async () => {
  await emulator.close();
  await rm(home, { recursive: true, force: true });
});

beforeEach(async () => {
  await fetch(`${emulator.url}/emulator/faults`, { method: 'DELETE' });
  await runsLast({});
});

const runsLast = (order: object): Promise<Response> =>
  fetch(`${emulator.url}/emulator/runs`, { method: 'POST', body: JSON.stringify(order) });
const fault = (order: object): Promise<Response> =>
  fetch(`${emulator.url}/emulator/faults`, { method: 'POST', body: JSON.stringify(order) });
const pipeline = (args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<RunResult> =>
  runCli(['pipeline', ...args], { home, timeout: 60_000, env: { CDAPCTL_URL: emulator.url, ...env } });
const runs = async (): Promise<readonly { readonly runid: string; readonly status: string }[]> =>
  (await (await fetch(`${emulator.url}${WORKFLOW}/runs?limit=1000`)).json()) as { runid: string; status: string }[];
const ids = async (): Promise<readonly string[]> => (await runs()).map(({ runid }) => runid);
const startByOther = async (runtimeargs: object): Promise<void> => {
  const item = { appId: 'orders-hourly', programType: 'Workflow', programId: 'DataPipelineWorkflow', runtimeargs };
  await fetch(`${emulator.url}/v3/namespaces/etl/start`, { method: 'POST', body: JSON.stringify([item]) });
};

/** The platform, where the answer of a request is lost: with its effect, after something else happened, or without. */
async function losing(
  of: RegExp,
  effect: 'applied' | 'not applied',
  meanwhile: () => Promise<void> = async () => undefined,
): Promise<{ readonly env: Readonly<Record<string, string>>; readonly sent: () => number }> {
  let sent = 0;
  const script: FrontScript = async (call) => {
    if (!of.test(`${call.method} ${call.path}`)) return undefined;
    sent += 1;
    await call.arrived();
    if (effect === 'applied') await call.effect();
    await meanwhile();
    call.socket.destroy();
    return 'handled';
  };
  const { url } = await front(emulator.url, script);
  return { env: { CDAPCTL_URL: url, ...hurried(4).env }, sent: () => sent };
}

describe('a start of a pipeline', () => {
  it('P36: that the platform refuses, as a program of it runs, is a conflict', async () => {
    await fault({
      match: { method: 'POST', path: '/v3/namespaces/etl/start' },
      kind: 'status',
      status: 409,
      when: 'before',
    });
    const before = await ids();
    const { code, stderr } = await pipeline(['start', PIPELINE, '-y']);
    expect([code, stderr]).toEqual([6, expect.stringContaining('[CONFLICT]')]);
    const { url } = await front(emulator.url, async ({ method, path, socket, arrived }) => {
      if (!START.test(`${method} ${path}`)) return undefined;
      await arrived();
      const item = { statusCode: 409, error: 'Program is already running with run ids [x]' };
      socket.end(rawAnswer(200, JSON.stringify([item]), { connection: 'close' }));
      return 'handled';
    });
    const item = await pipeline(['start', PIPELINE, '-y'], { CDAPCTL_URL: url });
    expect([item.code, item.stderr]).toEqual([6, expect.stringContaining('already running with run ids')]);
    expect(await ids()).toEqual(before);
  });

  it('N38: whose answer is lost is found among the runs, and not sent again', async () => {
    const before = (await runs()).length;
    const { env, sent } = await losing(START, 'applied');
    const { code, stdout, stderr } = await pipeline(['start', PIPELINE, '--set', 'n38=1', '-y', '--wait'], env);
    expect([code, stdout, sent()], stderr).toEqual([0, expect.stringMatching(UUID), 1]);
    expect(stderr).toContain('the response was lost');
    expect((await runs())[0]?.runid).toBe(stdout.trim());
    expect(await runs()).toHaveLength(before + 1);
  });

  it.each([408, 520, 524])('N38: whose answer is the %i of a gateway is found among the runs, too', async (status) => {
    const before = (await runs()).length;
    let sent = 0;
    const { url } = await front(emulator.url, async ({ method, path, socket, effect }) => {
      if (!START.test(`${method} ${path}`)) return undefined;
      sent += 1;
      await effect();
      socket.end(rawAnswer(status, 'the gateway gave up', { connection: 'close' }));
      return 'handled';
    });
    const line = ['start', PIPELINE, '--set', `n38=${status}`, '-y'];
    const { code, stdout, stderr } = await pipeline(line, { CDAPCTL_URL: url });
    expect([code, stdout.trim(), sent], stderr).toEqual([0, (await runs())[0]?.runid, 1]);
    expect(await runs()).toHaveLength(before + 1);
  });

  it('that the platform rejects with a value from a file masks it', async () => {
    const { url } = await front(emulator.url, async ({ method, path, socket, arrived }) => {
      if (!START.test(`${method} ${path}`)) return undefined;
      await arrived();
      const item = { statusCode: 400, error: 'cannot use the value hunter3333 for a run' };
      socket.end(rawAnswer(200, JSON.stringify([item]), { connection: 'close' }));
      return 'handled';
    });
    const file = join(home, 'password');
    writeFileSync(file, 'hunter3333');
    const { code, stderr } = await pipeline(['start', PIPELINE, '--set-file', `password=${file}`, '-y'], {
      CDAPCTL_URL: url,
    });
    expect([code, stderr]).toEqual([11, expect.stringContaining('cannot use the value *** for a run')]);
  });

  it('N38: is not taken for a run of somebody else with other arguments', async () => {
    const { env } = await losing(START, 'applied', () => startByOther({ who: 'else' }));
    const { code, stdout } = await pipeline(['start', PIPELINE, '--set', 'who=me', '-y'], env);
    expect(code).toBe(0);
    const record = (await (await fetch(`${emulator.url}${WORKFLOW}/runs/${stdout.trim()}`)).json()) as {
      properties: { runtimeArgs: string };
    };
    expect(JSON.parse(record.properties.runtimeArgs)).toMatchObject({ who: 'me' });
  });

  it('N38: is not taken for a run of somebody else with more arguments', async () => {
    const { env } = await losing(START, 'not applied', () => startByOther({ theirs: '1' }));
    const { code, stdout, stderr } = await pipeline(['start', PIPELINE, '-y'], env);
    expect([code, stdout, stderr]).toEqual([16, '', expect.stringContaining((await ids())[0] ?? '-')]);
  });

  it('sees a run that somebody else started after the first look', async () => {
    await runsLast({ lasts: 60_000 });
    let looks = 0;
    const { url } = await front(emulator.url, async ({ method, path, socket, effect }) => {
      if (!`${method} ${path}`.endsWith('/runs?limit=100') || ++looks > 1) return undefined;
      const { status, body } = await effect();
      await startByOther({});
      socket.end(rawAnswer(status, body, { connection: 'close' }));
      return 'handled';
    });
    const before = await ids();
    const { code, stdout } = await pipeline(['start', PIPELINE, '--if-not-running', '-y'], { CDAPCTL_URL: url });
    const [theirs = '', ...others] = await ids();
    expect([code, stdout, others]).toEqual([0, `${theirs}\n`, before]);
    expect((await pipeline(['stop', PIPELINE, theirs, '-y'])).code).toBe(0);
  });

  it('N40: whose run cannot be told from others is unknown, with those that began since', async () => {
    const { env, sent } = await losing(START, 'applied', () => startByOther({ same: '1' }));
    const { code, stdout, stderr } = await pipeline(['start', PIPELINE, '--set', 'same=1', '-y'], env);
    expect([code, stdout, sent()]).toEqual([16, '', 1]);
    for (const { runid } of (await runs()).slice(0, 2)) expect(stderr).toContain(runid);
    expect(stderr).toContain(`cdapctl pipeline runs ${PIPELINE}`);
  });

  it('N40: that leaves no trace is unknown, and is not sent again', async () => {
    const before = (await runs()).length;
    const { env, sent } = await losing(START, 'not applied');
    const { code, stderr } = await pipeline(['start', PIPELINE, '-y'], env);
    expect([code, sent()], stderr).toEqual([16, 1]);
    expect(await runs()).toHaveLength(before);
  });

  it.each(['[{"statusCode":200,', '[]'])('P48: is found among the runs when the answer is %s', async (body) => {
    const { url } = await front(emulator.url, async ({ method, path, socket, effect }) => {
      if (!START.test(`${method} ${path}`)) return undefined;
      await effect();
      socket.end(rawAnswer(200, body, { connection: 'close' }));
      return 'handled';
    });
    const { code, stdout } = await pipeline(['start', PIPELINE, '--set', `body=${body.length}`, '-y'], {
      CDAPCTL_URL: url,
    });
    expect([code, stdout]).toEqual([0, `${(await runs())[0]?.runid ?? ''}\n`]);
  });

  it('P03: that is forbidden ends with 4 and starts nothing', async () => {
    await fault({
      match: { method: 'POST', path: '/v3/namespaces/etl/start' },
      kind: 'status',
      status: 403,
      when: 'before',
    });
    const before = await ids();
    expect((await pipeline(['start', PIPELINE, '-y', '--json'])).code).toBe(4);
    expect(await ids()).toEqual(before);
  });
});

describe('a stop of a run', () => {
  it.each(['applied', 'not applied'] as const)(
    'N39: whose answer is lost, %s, ends with the run stopped',
    async (effect) => {
      await runsLast({ lasts: 60_000 });
      await startByOther({});
      const [run] = await runs();
      let lost = 0;
      const { url } = await front(emulator.url, async (call) => {
        if (!STOP.test(`${call.method} ${call.path}`) || lost++ > 0) return undefined;
        await call.arrived();
        if (effect === 'applied') await call.effect();
        call.socket.destroy();
        return 'handled';
      });
      const { code, stderr } = await pipeline(['stop', PIPELINE, run?.runid ?? '', '-y'], { CDAPCTL_URL: url });
      expect([code, lost], stderr).toEqual([0, effect === 'applied' ? 1 : 2]);
      expect((await runs())[0]).toMatchObject({ runid: run?.runid, status: 'KILLED' });
    },
  );
});

describe('a stop of several runs', () => {
  /** Two runs, of which the platform handles the stops as it is told. */
  async function stopping(handle: (call: Parameters<FrontScript>[0], n: number) => ReturnType<FrontScript>) {
    await runsLast({ lasts: 60_000 });
    await startByOther({});
    await startByOther({});
    let stops = 0;
    const { url } = await front(emulator.url, (call) =>
      STOP.test(`${call.method} ${call.path}`) ? handle(call, ++stops) : undefined,
    );
    return { CDAPCTL_URL: url };
  }
  const answer = (status: number, call: Parameters<FrontScript>[0]) => {
    call.socket.end(rawAnswer(status, 'no', { connection: 'close' }));
    return 'handled' as const;
  };
  const stopAll = async (env: Readonly<Record<string, string>>, ...more: readonly string[]) => {
    const { code, stdout } = await pipeline(['stop', PIPELINE, '--all-runs', '-y', '--json', ...more], env);
    return { code, ...(JSON.parse(stdout) as { error: { code: string; details: string }; item: object[] }) };
  };
  const end = async (): Promise<void> => {
    expect((await pipeline(['stop', PIPELINE, '--all-runs', '-y'])).code).toBe(0);
  };

  it('P03: that are all forbidden ends with 4, and nothing is stopped', async () => {
    const env = await stopping((call) => answer(403, call));
    const { code, error, item } = await stopAll(env);
    expect([code, error.code, item]).toMatchObject([4, 'FORBIDDEN', [{ state: 'failed' }, { state: 'failed' }]]);
    await end();
  });

  it('N40: tells the others, too, where the outcome of one is not known', async () => {
    const env = await stopping(async (call, n) => {
      if (n === 2) return undefined;
      await call.arrived();
      // A gateway that gave up: nobody knows what it has passed on.
      return answer(504, call);
    });
    const { code, item } = await stopAll(env);
    expect([code, item]).toMatchObject([16, [{ state: 'failed' }, { state: 'stopped' }]]);
    await end();
  });

  it('tells what failed and what goes on where one does not end in time', async () => {
    const env = await stopping((call, n) => answer(n === 1 ? 500 : 200, call));
    const { code, error, item } = await stopAll(env, '--timeout', '1s');
    expect([code, error.code, item]).toMatchObject([10, 'PARTIAL', [{ state: 'failed' }, { state: 'stopping' }]]);
    const [, late = { runid: '' }] = item as { runid: string }[];
    expect(error.details).toContain(`run ${late.runid} is RUNNING after 1s`);
    await end();
  });

  it('L26: stops no further run after Ctrl-C, and shows those that were', async () => {
    let reach: () => void = () => undefined;
    let pass: () => void = () => undefined;
    const reached = new Promise<void>((resolve) => (reach = resolve));
    const gate = new Promise<void>((resolve) => (pass = resolve));
    let stops = 0;
    const env = await stopping(async (call, n) => {
      stops = n;
      reach();
      await gate;
      return answer(200, call);
    });
    const run = startCli(['pipeline', 'stop', PIPELINE, '--all-runs', '-y', '--json'], { home, env });
    await Promise.race([reached, run.ended]);
    run.kill('SIGINT');
    await run.see(STOPPING);
    pass();
    const { code, stdout } = await run.ended;
    expect([code, stops, JSON.parse(stdout)]).toMatchObject([130, 1, { item: [{ state: 'stopping' }] }]);
    await end();
  });

  it('ends with 8 where none ends in time, and shows all of them', async () => {
    const env = await stopping((call) => answer(200, call));
    const { code, item } = await stopAll(env, '--timeout', '1s');
    expect([code, item]).toMatchObject([8, [{ state: 'stopping' }, { state: 'stopping' }]]);
    await end();
  });
});

describe('a wait for a run', () => {
  it('P49: continues through an outage of an hour, and tells the truth afterwards', async () => {
    await runsLast({ lasts: 1_000_000 });
    await startByOther({});
    const [run = { runid: '' }] = await runs();
    // An hour of the tool's clock.
    const [faster, hour] = [1000, 3600];
    let [lost, from] = [0, 0];
    const { url } = await front(emulator.url, async (call) => {
      if (!call.path.endsWith(`/runs/${run.runid}`)) return undefined;
      from ||= performance.now();
      if (performance.now() - from > hour) return undefined;
      lost += 1;
      if (lost === 1) await fetch(`${emulator.url}${WORKFLOW}/runs/${run.runid}/stop`, { method: 'POST' });
      call.socket.destroy();
      return 'handled';
    });
    const env = { CDAPCTL_URL: url, ...hurried(faster, 60_000).env };
    const { code, stderr } = await pipeline(['wait', PIPELINE, run.runid, '--timeout', '9h', '--interval', '5m'], env);
    expect([code, stderr]).toEqual([11, expect.stringContaining('is KILLED')]);
    expect(stderr.match(/platform not responding/gu)).toHaveLength(1);
    expect(lost).toBeGreaterThan(10);
  });

  it('P49: gives up after --outage without saying what it does not know', async () => {
    await runsLast({ lasts: 60_000 });
    await startByOther({});
    const [run = { runid: '' }] = await runs();
    const { url } = await front(emulator.url, (call) => {
      if (!call.path.includes('/runs/')) return undefined;
      call.socket.destroy();
      return 'handled';
    });
    const env = { CDAPCTL_URL: url, ...hurried(100).env };
    const { code, stderr } = await pipeline(['wait', PIPELINE, run.runid, '--outage', '5m', '--timeout', '9h'], env);
    expect([code, stderr]).toEqual([7, expect.stringContaining(`the state of run ${run.runid} is unknown`)]);
    expect((await pipeline(['stop', PIPELINE, run.runid, '-y'])).code).toBe(0);
  });

  it.each([
    ['the wait', ['--timeout', '10s']],
    ['--outage', ['--outage', '10s']],
  ])('P49: does not outlast %s where the platform asks to wait for a minute', async (_, limit) => {
    await runsLast({ lasts: 60_000 });
    await startByOther({});
    const [run = { runid: '' }] = await runs();
    let asked = 0;
    const { url } = await front(emulator.url, ({ path, socket }) => {
      if (!path.endsWith(`/runs/${run.runid}`) || ++asked === 1) return undefined;
      socket.end(rawAnswer(503, '', { connection: 'close', 'retry-after': '60' }));
      return 'handled';
    });
    const env = { CDAPCTL_URL: url, ...hurried(10).env };
    const { code, stderr } = await pipeline(['wait', PIPELINE, run.runid, ...limit], env);
    expect([code, stderr, asked]).toEqual([7, expect.stringContaining('no response within'), 2]);
    expect((await pipeline(['stop', PIPELINE, run.runid, '-y'])).code).toBe(0);
  });

  it('L26: ends with Ctrl-C and names the command that goes on, while the run does', async () => {
    await runsLast({ lasts: 60_000 });
    const run = startCli(['pipeline', 'start', PIPELINE, '-y', '--wait'], { home, env: { CDAPCTL_URL: emulator.url } });
    await run.see('RUNNING');
    run.kill('SIGINT');
    const { code, stdout, stderr } = await run.ended;
    expect(code).toBe(130);
    expect(stderr).toContain(`the run continues: cdapctl pipeline wait ${PIPELINE} ${stdout.trim()}`);
    expect((await runs())[0]).toMatchObject({ runid: stdout.trim(), status: 'RUNNING' });
    expect((await pipeline(['stop', PIPELINE, stdout.trim(), '-y'])).code).toBe(0);
  });
});

const CALL = [
  ...['api', 'POST', '/v3/namespaces/etl/start', '-y', '--data'],
  JSON.stringify([{ appId: 'orders-hourly', programType: 'Workflow', programId: 'DataPipelineWorkflow' }]),
];

/** A start that stands still when the platform has made the run and not answered. */
async function inFlight(
  line = ['pipeline', 'start', PIPELINE, '-y'],
): Promise<{ readonly run: RunningCli; readonly go: () => void }> {
  let pass: () => void = () => undefined;
  let reach: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => (pass = resolve));
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const { url } = await front(emulator.url, async ({ method, path, effect, socket }) => {
    if (!START.test(`${method} ${path}`)) return undefined;
    const { status, body } = await effect();
    reach();
    await gate;
    socket.end(rawAnswer(status, body, { connection: 'close' }));
    return 'handled';
  });
  const run = startCli(line, { home, env: { CDAPCTL_URL: url } });
  await Promise.race([reached, run.ended]);
  return { run, go: pass };
}

describe('Ctrl-C while a start is in flight', () => {
  it('L26: lets it end, and tells the run', async () => {
    const { run, go } = await inFlight();
    run.kill('SIGINT');
    await run.see(STOPPING);
    go();
    const { code, stdout } = await run.ended;
    expect([code, stdout]).toEqual([0, `${(await runs())[0]?.runid ?? ''}\n`]);
  });

  it('L27: twice says that it may have been started, and where to look', async () => {
    const { run, go } = await inFlight();
    run.kill('SIGINT');
    await run.see(STOPPING);
    run.kill('SIGINT');
    const { code, stderr } = await run.ended;
    go();
    expect([code, stderr]).toEqual([130, expect.stringContaining(`cdapctl pipeline runs ${PIPELINE}`)]);
  });

  it('L26: lets a request that a person wrote end', async () => {
    const { run, go } = await inFlight(CALL);
    run.kill('SIGINT');
    await run.see(STOPPING);
    go();
    const { code, stdout } = await run.ended;
    expect([code, stdout]).toEqual([0, expect.stringContaining((await runs())[0]?.runid ?? '-')]);
  });

  it('L27: twice says that a request that a person wrote may have been applied', async () => {
    const { run, go } = await inFlight(CALL);
    run.kill('SIGINT');
    await run.see(STOPPING);
    run.kill('SIGINT');
    const { code, stderr } = await run.ended;
    go();
    expect([code, stderr]).toEqual([130, expect.stringContaining('check on the platform before you send it again')]);
  });
});
