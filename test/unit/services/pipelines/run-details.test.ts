import { describe, expect, it } from 'vitest';
import type { RunRecord } from '../../../../src/platform/runs.js';
import { CliError } from '../../../../src/core/errors.js';
import { runDetails } from '../../../../src/services/pipelines/run-details.js';
import { NEVER } from '../../../support/clock.js';
import { foundPipeline, ORDERS, platformWith, RUN, type Replies } from './support.js';

const LOGS = `GET ${ORDERS}/runs/${RUN}/logs`;
const ASKED = 'escape=false&format=json&suppress=isNativeMethod';
const ERRORS = `${LOGS}/prev?${ASKED}&filter=loglevel=ERROR&max=200`;
const HEAD = `${LOGS}/next?${ASKED}&max=100`;
const action = (name: string, runCondition?: string) => ({
  name,
  plugin: { name: 'Email', properties: { ...(runCondition !== undefined && { runCondition }) } },
});
const record: RunRecord = {
  ...{ runid: RUN, status: 'COMPLETED', starting: 100, start: 101, end: 160 },
  properties: { runtimeArgs: '{}' },
};
const NODES = `GET ${ORDERS}/runs/${RUN}/nodes/state`;
const FIRST_ERROR = `${LOGS}/next?${ASKED}&filter=loglevel=ERROR&max=1`;
const line = (message: string, stackTrace?: string) => ({
  ...{ log: { timestamp: 1, logLevel: 'ERROR', message, stackTrace }, offset: '-10000.1' },
});

const setUp = { [HEAD]: { json: [line("Pipeline 'orders' running")] }, [ERRORS]: { json: [] } };

async function details(
  replies: Replies,
  { run = record, actions = [action('mail')] as readonly object[], token = {}, showSecrets = false } = {},
) {
  const { platform, asked } = platformWith(replies);
  const pipeline = foundPipeline(JSON.stringify({ postActions: actions }));
  const told: object[] = [];
  const emit = (event: object): void => void told.push(event);
  const shown = await runDetails(run, pipeline, { token, showSecrets }, { platform, signal: NEVER, emit });
  return { shown, asked, told };
}

describe('what is told of a run', () => {
  it.each([
    ['COMPLETED', 101, ['ran', 'ran', 'skipped', undefined]],
    ['FAILED', 101, ['ran', 'skipped', 'ran', undefined]],
    ['KILLED', 101, ['ran', 'skipped', 'ran', undefined]],
    ['KILLED', undefined, ['skipped', 'skipped', 'skipped', 'skipped']],
    ['RUNNING', 101, ['pending', 'pending', 'pending', 'pending']],
  ])('has the outcome of post-run actions by their conditions: %s, started at %s', async (status, start, outcomes) => {
    const actions = [action('a'), action('b', 'success'), action('c', 'failure'), action('d', '${when}')];
    const run = { ...record, status, start };
    const { shown } = await details(setUp, { run, actions });
    expect(shown.postActions?.map(({ outcome }) => outcome)).toEqual(outcomes);
  });

  it('has the error of an action that the log names, with secrets masked', async () => {
    const trace = 'javax.mail.MessagingException: no relay for Hunter2-planted\n\tat x';
    const errors = [line('Error while running post action mail.', trace), line('Error while running post action b.')];
    const actions = [action('mail', 'success'), action('b'), action('mai')];
    const replies = { ...setUp, [ERRORS]: { json: errors } };
    const token = { 'api.key': 'Hunter2-planted' };
    const { shown } = await details(replies, { actions, token });
    expect(shown.token).toEqual({ 'api.key': '***' });
    expect(shown.postActions).toMatchObject([
      { name: 'mail', outcome: 'failed', error: 'javax.mail.MessagingException: no relay for ***' },
      { name: 'b', outcome: 'failed', error: 'Error while running post action b.' },
      { name: 'mai', outcome: 'ran' },
    ]);
    const unmasked = (await details(replies, { actions, token, showSecrets: true })).shown.postActions;
    expect(unmasked?.[0]?.error).toBe('javax.mail.MessagingException: no relay for Hunter2-planted');
  });

  it.each<[string, RunRecord['status'], Replies]>([
    ['the run has no log', 'COMPLETED', {}],
    ['the log has no line', 'COMPLETED', { [HEAD]: { json: [] }, [ERRORS]: { json: [] } }],
    ['its errors are gone', 'COMPLETED', { [HEAD]: { json: [line('x')] } }],
    ['the run failed before they were set up', 'FAILED', { ...setUp, [HEAD]: { json: [line('x')] } }],
  ])('has no outcome of an action that may have run where %s', async (_, status, replies) => {
    const { shown, told } = await details(replies, { run: { ...record, status } });
    expect(shown.postActions).toEqual([{ name: 'mail', plugin: 'Email' }]);
    expect(told).toEqual([]);
  });

  it('has no outcome of the actions of today where the version that ran is gone', async () => {
    const { shown } = await details(setUp, { run: { ...record, version: 'v1' }, actions: [action('mail', 'failure')] });
    expect(shown.postActions).toEqual([{ name: 'mail', plugin: 'Email', runCondition: 'failure' }]);
  });

  it('has where it failed, for which only the first error of its log is read', async () => {
    const failureCause = { className: 'X', message: "stage 'a' broke on Hunter2-planted" };
    const nodes = { phase: { nodeStatus: 'FAILED', failureCause } };
    const replies = { ...setUp, [NODES]: { json: nodes }, [FIRST_ERROR]: { json: [line('it broke')] } };
    const run = { ...record, status: 'FAILED', properties: { runtimeArgs: '{"api.key":"Hunter2-planted"}' } };
    const { shown, asked } = await details(replies, { run, actions: [] });
    expect([shown.node, shown.cause]).toEqual(['phase', "X: stage 'a' broke on ***"]);
    expect(asked.sort()).toEqual([NODES, HEAD, FIRST_ERROR].sort());
    expect((await details({ ...replies, [NODES]: { json: {} } }, { run })).shown.cause).toBe('it broke');
  });

  it.each<[string, string, readonly string[], object]>([
    ['the log', HEAD, ['the log of the run'], { node: 'phase', cause: 'X: it broke', token: { a: '1' } }],
    ['the nodes', NODES, ['the state of the nodes'], { node: undefined, cause: 'first', token: { a: '1' } }],
    ['the first error', FIRST_ERROR, ['the first error'], { node: 'phase', postActions: [{ outcome: 'ran' }] }],
    ['the last errors', ERRORS, ['the post-run actions'], { node: 'phase', postActions: undefined }],
  ])('leaves out what cannot be read, with a warning: %s', async (_, request, parts, expected) => {
    const refused = new CliError('FORBIDDEN', 'not for you');
    const nodes = { phase: { nodeStatus: 'FAILED', failureCause: { className: 'X', message: 'it broke' } } };
    const all = { ...setUp, [NODES]: { json: nodes }, [FIRST_ERROR]: { json: [line('first')] } };
    const run = { ...record, status: 'FAILED' };
    const { shown, told } = await details({ ...all, [request]: refused }, { run, token: { a: '1' } });
    expect(shown).toMatchObject(expected);
    expect(told).toEqual(
      parts.map((part) => ({ type: 'warning', code: 'FORBIDDEN', message: `${part} cannot be read: not for you` })),
    );
  });

  it('has the actions of the version that ran', async () => {
    const artifact = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' };
    const old = { name: 'orders', artifact, configuration: JSON.stringify({ postActions: [action('old')] }) };
    const replies = { 'GET /v3/namespaces/etl/apps/orders/versions/v1': { json: old } };
    const { shown } = await details(replies, { run: { ...record, version: 'v1' } });
    expect(shown.postActions?.map(({ name }) => name)).toEqual(['old']);
  });

  it.each([
    [{ runtimeArgs: '{}' }, { by: 'manual', user: 'alice' }],
    [{ runtimeArgs: '{"scheduleName":"nightly"}' }, { by: 'schedule', schedule: 'nightly', user: 'alice' }],
    [{}, undefined],
  ])('has what started it: %j', async (properties, started) => {
    const head = line("Pipeline 'orders' is started by user 'alice' with arguments {}");
    const { shown, asked } = await details(
      { [HEAD]: { json: [line('x'), head] } },
      { run: { ...record, properties }, actions: [] },
    );
    expect(shown.started).toEqual(started);
    // Nothing failed, and there are no actions: one request.
    expect(asked).toEqual([HEAD]);
  });
});
