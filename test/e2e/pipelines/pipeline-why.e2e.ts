import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startEmulator, type RunningEmulator } from '../../../src/emulator/start.js';
import { runCli, type RunResult } from '../../support/processes/run-cli.js';
import { GENERATIONS, olderPipeline, oneStep, stepArtifacts } from '../../support/sites/upgrade-seed.js';

const SECRET = 'Hunter2-planted';
const PIPELINE = 'etl/orders';
const APP = '/namespaces/etl/apps/orders';
const words = { message: 'm', recipients: 'a@example.org', sender: 'b@example.org', subject: 's' };
const email = { name: 'Email', type: 'postaction', properties: { ...words, runCondition: 'failure' } };

describe.each(['6.11.0', '6.1.1'] as const)('a run that failed on %s', (platform) => {
  let emulator: RunningEmulator;
  let good: string;
  let bad: string;

  const put = (path: string, body: unknown): Promise<Response> =>
    fetch(`${emulator.url}/v3${path}`, { method: 'PUT', body: JSON.stringify(body) });
  const runsLast = (order: object): Promise<Response> =>
    fetch(`${emulator.url}/emulator/runs`, { method: 'POST', body: JSON.stringify(order) });
  const pipeline = (...args: readonly string[]): Promise<RunResult> =>
    runCli(['pipeline', ...args, '-u', emulator.url]);
  const itemOf = ({ stdout }: RunResult): unknown => (JSON.parse(stdout) as { item: unknown }).item;
  const why = async (): Promise<unknown> => itemOf(await pipeline('why', PIPELINE, bad, '--json'));

  beforeAll(async () => {
    const config = { ...oneStep('Copy'), postActions: [{ name: 'mail', plugin: email }] };
    const applications = [olderPipeline(platform, 'etl', 'orders', config)];
    const seed = { namespaces: ['etl'], artifacts: stepArtifacts(platform), applications };
    emulator = await startEmulator({ port: 0, hubPort: 0, platform, seed });
    await put('/preferences', { region: 'eu' });
    await put('/namespaces/etl/preferences', { 'db.password': SECRET });
    await runsLast({ lasts: 100 });
    good = (await pipeline('start', PIPELINE, '--set', 'date=1', '-y', '--wait')).stdout.trim();
    const [, version] = GENERATIONS[platform].pipeline;
    const artifact = { name: 'cdap-data-pipeline', version, scope: 'SYSTEM' };
    const newer = { ...oneStep('Copy', {}, '2.0.0'), postActions: config.postActions };
    expect((await put(APP, { artifact, config: newer })).status).toBe(200);
    await put(`${APP}/preferences`, { table: 'orders' });
    await runsLast({ lasts: 2500, outcome: 'FAILED', token: { offset: '7', 'api.key': SECRET } });
    bad = (await pipeline('start', PIPELINE, '--set', 'date=2', '-y', '--wait')).stdout.trim();
    // It was not there yet when the run began.
    await put('/namespaces/etl/preferences', { 'db.password': SECRET, later: '1' });
  });

  afterAll(async () => {
    await emulator.close();
  });

  it('is told with the arguments in force and where each came from', async () => {
    const short = bad.slice(0, 8);
    expect(await why()).toMatchObject({
      arguments: [
        { key: 'api.key', value: '***', secret: true, from: 'token', place: `token of run ${short}` },
        { key: 'date', value: '2', from: 'run', place: `run ${short}` },
        { key: 'db.password', value: '***', secret: true, from: 'namespace', place: 'namespace etl' },
        { key: 'offset', value: '7', from: 'token' },
        { key: 'region', value: 'eu', from: 'instance', place: 'instance' },
        { key: 'table', value: 'orders', from: 'app', place: 'pipeline orders' },
      ],
      postActions: [{ name: 'mail', plugin: 'Email', runCondition: 'failure' }],
    });
    const page = await pipeline('why', PIPELINE, bad);
    expect(page.stdout).toMatch(/^ {2}region +eu +\(instance\)$/mu);
    expect(page.stdout).toContain(`(token of run ${short})`);
    for (const more of [[], ['--json'], ['-o', 'csv']])
      expect((await pipeline('why', PIPELINE, bad, ...more)).stdout).not.toContain(SECRET);
    expect((await pipeline('why', PIPELINE, bad, '-o', 'csv')).stdout).toContain(`\netl,orders,${bad},FAILED,`);
    expect((await pipeline('why', PIPELINE, bad, '--show-secrets')).stdout).toContain(SECRET);
  });

  it('is compared with the last good run in all that it had', async () => {
    const [before, now] = GENERATIONS[platform].pipeline;
    const version =
      platform === '6.1.1'
        ? []
        : [
            { what: 'version' },
            { what: 'artifact', before: `cdap-data-pipeline ${before}`, now: `cdap-data-pipeline ${now}` },
            { what: 'stage step', before: 'Copy (example-steps 1.0.0)', now: 'Copy (example-steps 2.0.0)' },
          ];
    const others = [
      { what: 'argument date', before: '1', now: '2' },
      { what: 'argument table', now: 'orders' },
      { what: 'duration' },
    ];
    expect(await why()).toMatchObject({ lastGood: { runid: good }, differences: [...version, ...others] });
  });

  it('is told although nobody may read the preferences', async () => {
    const fault = { match: { path: '/v3/preferences' }, kind: 'status', status: 403, when: 'before', times: 1 };
    await fetch(`${emulator.url}/emulator/faults`, { method: 'POST', body: JSON.stringify(fault) });
    const { arguments: values } = (await why()) as { arguments: readonly { key: string; from: string }[] };
    expect(values.find(({ key }) => key === 'region')?.from).toBe('run');
  });

  it('shows its workflow token where the pipeline is shown', async () => {
    const shown = await pipeline('show', PIPELINE, '--json');
    expect(itemOf(shown)).toMatchObject({ lastRun: { runid: bad }, token: { offset: '7', 'api.key': '***' } });
    expect((await pipeline('show', PIPELINE)).stdout).toMatch(/^last token +.*offset=7/mu);
    expect(shown.stdout).not.toContain(SECRET);
  });

  it('is shown as one page, with its workflow token, its post-run actions and the next command', async () => {
    const { stdout, stderr } = await pipeline('show', PIPELINE, bad);
    expect(stdout).toMatch(/^status +FAILED$/mu);
    expect(stdout).toMatch(/^started by +manual, user root$/mu);
    expect(stdout).toMatch(/^failed node +phase-1$/mu);
    expect(stdout).toMatch(/^workflow token +offset=7,api.key=\*\*\*$/mu);
    expect(stdout).toMatch(/^post-run actions +mail \(Email on failure\): ran$/mu);
    expect(stderr).toContain(`next: cdapctl pipeline why ${PIPELINE} ${bad}`);
    const shown = await pipeline('show', PIPELINE, good.slice(0, 8), '--json');
    expect(itemOf(shown)).toMatchObject({
      run: { runid: good, status: 'COMPLETED', runtimeArgs: { date: '1' } },
      started: { by: 'manual', user: 'root' },
      postActions: [{ name: 'mail', outcome: 'skipped' }],
    });
    expect(`${shown.stdout}${stdout}`).not.toContain(SECRET);
    for (const verb of ['show', 'why']) expect((await pipeline(verb, PIPELINE, bad, '--json')).stderr).toBe('');
    expect((await pipeline('show', PIPELINE, bad, '--config')).code).toBe(2);
  });

  it('of the newest run, which did not fail, leads to those that did', async () => {
    await runsLast({ lasts: 100, outcome: 'COMPLETED' });
    await pipeline('start', PIPELINE, '--set', 'date=3', '-y', '--wait');
    const [, hint = ''] = /; those that failed: cdapctl (.*)$/mu.exec((await pipeline('why', PIPELINE)).stderr) ?? [];
    expect((await runCli([...hint.split(' '), '-o', 'name'])).stdout).toBe(`${bad}\n`);
    expect((await pipeline('why', PIPELINE, bad)).stderr).not.toContain('those that failed');
  });

  it('names the node, the stage and the cause', async () => {
    await runsLast({ lasts: 100 });
    const run = (await pipeline('start', PIPELINE, '--set', 'emulator.fail=step', '-y', '--wait')).stdout.trim();
    const found = itemOf(await pipeline('why', PIPELINE, run, '--json'));
    const cause = "java.lang.IllegalArgumentException: Cannot parse <n/a> as number & 'x'";
    expect(found).toMatchObject({ node: 'phase-1', stage: 'step', cause, firstError: { logLevel: 'ERROR' } });
  });
});
