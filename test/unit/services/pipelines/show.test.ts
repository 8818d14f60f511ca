import { describe, expect, it } from 'vitest';
import { partsOf, showPipeline, storedConfiguration } from '../../../../src/services/pipelines/show.js';
import { pipelineStatuses } from '../../../../src/services/pipelines/status.js';
import { NEVER } from '../../../support/clock.js';
import { codeOf } from '../../../support/errors.js';
import { foundPipeline, ORDERS, platformWith, RUN, type Replies } from './support.js';

const APP = '/v3/namespaces/etl/apps/orders';
const args = { runtimeArgs: JSON.stringify({ token: 't', day: '1' }) };
const configuration = JSON.stringify({
  stages: [
    {
      name: 'read',
      plugin: { name: 'File', type: 'batchsource', artifact: { name: 'core-plugins', version: '2.9' }, properties: {} },
    },
    { name: 'bare' },
    { name: 'odd', plugin: { artifact: { version: '1' } } },
    { name: 'odder', plugin: { artifact: { name: 'a' } } },
  ],
  postActions: [
    { name: 'mail', plugin: { name: 'Email', properties: { runCondition: 'failure' } } },
    { name: 'call', plugin: { name: 'HTTP', properties: { runCondition: 7 } } },
    { name: 'none' },
  ],
});
const stages = [
  { name: 'read', plugin: 'File', type: 'batchsource', artifact: 'core-plugins 2.9' },
  { name: 'bare' },
  { name: 'odd', artifact: '1' },
  { name: 'odder', artifact: 'a' },
];
const postActions = [
  { name: 'mail', plugin: 'Email', runCondition: 'failure' },
  { name: 'call', plugin: 'HTTP' },
  { name: 'none' },
];

describe('a pipeline that is shown', () => {
  const base = {
    ...{ namespace: 'etl', name: 'orders', kind: 'batch' },
    artifact: { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' },
    program: { type: 'Workflow', name: 'DataPipelineWorkflow' },
  };

  it('has what it is made of, what it does and when it runs', async () => {
    const { platform } = platformWith({
      [`GET ${ORDERS}/status`]: { json: { status: 'RUNNING' } },
      [`GET ${ORDERS}/runs?limit=1`]: { json: [{ runid: RUN, status: 'RUNNING', properties: args }] },
      [`GET ${APP}/schedules`]: {
        json: [
          { name: 'nightly', status: 'SCHEDULED', trigger: { type: 'TIME', cronExpression: '0 1 * * *' } },
          { name: 'after', status: 'SUSPENDED', trigger: { type: 'PROGRAM_STATUS' } },
          { name: 'odd', trigger: { type: 7 } },
          { name: 'bare' },
        ],
      },
    });
    const found = foundPipeline(configuration);
    const pipeline = { ...found, detail: { ...found.detail, appVersion: 'v7', description: 'all orders' } };
    const shown = await showPipeline(pipeline, false, platform, NEVER);
    expect(shown).toEqual({
      ...{ ...base, status: 'RUNNING', version: 'v7', description: 'all orders', stages, postActions },
      lastRun: { runid: RUN, status: 'RUNNING', runtimeArgs: { token: '***', day: '1' } },
      schedules: [
        { name: 'nightly', status: 'SCHEDULED', cron: '0 1 * * *', trigger: 'TIME' },
        { name: 'after', status: 'SUSPENDED', trigger: 'PROGRAM_STATUS' },
        { name: 'odd' },
        { name: 'bare' },
      ],
    });
    const open = await showPipeline(pipeline, true, platform, NEVER);
    expect(open.lastRun?.runtimeArgs).toEqual({ token: 't', day: '1' });
  });

  it('has neither run nor schedules where there are none', async () => {
    const { platform } = platformWith({
      [`GET ${ORDERS}/status`]: { json: { status: 'STOPPED' } },
      [`GET ${ORDERS}/runs?limit=1`]: { json: [] },
    });
    expect(await showPipeline(foundPipeline(), false, platform, NEVER)).toEqual({
      ...{ ...base, status: 'STOPPED', schedules: [], stages: [], postActions: [] },
    });
  });
});

describe('the parts of a configuration', () => {
  it.each([undefined, '', 'no json', '7', '[]', '{}', '{"stages":7,"postActions":[{}]}'])('are none in %j', (text) => {
    expect(partsOf({ ...(text !== undefined && { configuration: text }) })).toEqual({ stages: [], postActions: [] });
  });

  it('are read although the other ones cannot be', () => {
    expect(partsOf({ configuration: '{"stages":[{"name":"a"}],"postActions":7}' })).toEqual({
      stages: [{ name: 'a' }],
      postActions: [],
    });
    expect(partsOf({ configuration: '{"stages":{},"postActions":[{"name":"b"}]}' })).toEqual({
      stages: [],
      postActions: [{ name: 'b' }],
    });
  });
});

describe('a stored configuration', () => {
  const stored = (value: unknown, showSecrets = false) =>
    storedConfiguration(foundPipeline(typeof value === 'string' ? value : JSON.stringify(value)), showSecrets);

  it('is shown with secrets masked wherever they are, but not macros', () => {
    const text = {
      stages: [{ password: 'a', name: 'x', list: [{ token: 'b' }, 'token', null, 7] }],
      secret: { token: 'c', deep: null },
      ...{ apiKey: '', 'db.password': '${db.password}', other: '${x}', password: 7 },
      ...{ token: '${a', secretKey: 'x${a}', accessKey: '${a}\n${b}', clientKey: '${a} ' },
    };
    expect(stored(text)).toEqual({
      text: JSON.stringify(
        {
          stages: [{ password: '***', name: 'x', list: [{ token: '***' }, 'token', null, 7] }],
          secret: { token: '***', deep: null },
          ...{ apiKey: '', 'db.password': '${db.password}', other: '${x}', password: 7 },
          ...{ token: '***', secretKey: '***', accessKey: '${a}\n${b}', clientKey: '***' },
        },
        undefined,
        2,
      ),
      masked: 6,
    });
  });

  it('is shown without what a value itself says is secret', () => {
    const properties = {
      connectionString: 'jdbc:mysql://u:hunter2@host/db',
      url: 'https://me:hunter2@host',
      headers: [
        { name: 'password', value: 'hunter2' },
        { key: 'token', value: 'hunter2' },
        { name: 'day', value: '1' },
      ],
      password: ['hunter2', '${p}'],
      nested: '{"password":"hunter2","day":"1"}',
      list: ['https://me:hunter2@host'],
    };
    const { text, masked } = stored({ stages: [{ name: 'read', plugin: { properties } }] });
    expect(JSON.parse(text)).toEqual({
      stages: [
        {
          name: 'read',
          plugin: {
            properties: {
              connectionString: 'jdbc:mysql://***@host/db',
              url: 'https://***@host',
              headers: [
                { name: 'password', value: '***' },
                { key: 'token', value: '***' },
                { name: 'day', value: '1' },
              ],
              password: ['***', '${p}'],
              nested: '{"password":"***","day":"1"}',
              list: ['https://***@host'],
            },
          },
        },
      ],
    });
    expect(masked).toBe(7);
  });

  it('is shown without secrets where it is no JSON', () => {
    expect(stored('{"password": "hunter2", ')).toEqual({ text: '{"password": "***", ', masked: 1 });
  });

  it.each(['{"stages":  []}', 'no json', '', '{"stages":["a"]}', 'null', '"token"'])(
    'is shown as it is where nothing in it is masked: %j',
    (text) => {
      expect(stored(text)).toEqual({ text, masked: 0 });
    },
  );

  it('is shown as it is where secrets are asked for, and as nothing where there is none', () => {
    expect(stored('{"token": "t"}', true)).toEqual({ text: '{"token": "t"}', masked: 0 });
    expect(storedConfiguration(foundPipeline(), false)).toEqual({ text: '', masked: 0 });
  });
});

describe('what pipelines do now', () => {
  const artifact = { name: 'x', version: '1', scope: 'SYSTEM' };
  const app = (name: string, program: string) => ({
    json: { name, artifact, programs: [{ type: 'x', name: program }] },
  });
  const CLICKS = '/v3/namespaces/sales/apps/clicks';
  const replies: Replies = {
    [`GET ${APP}`]: app('orders', 'DataPipelineWorkflow'),
    [`GET ${ORDERS}/status`]: { json: { status: 'RUNNING' } },
    [`GET ${ORDERS}/runs?limit=1000`]: {
      json: ['RUNNING', 'COMPLETED', 'STOPPING', 'FAILED'].map((status, at) => ({ runid: `r${at}`, status })),
    },
    [`GET ${CLICKS}`]: app('clicks', 'DataStreamsSparkStreaming'),
    [`GET ${CLICKS}/spark/DataStreamsSparkStreaming/status`]: { json: { status: 'STOPPED' } },
  };
  const ORDER = { namespace: 'etl', name: 'orders' };
  const CLICK = { namespace: 'sales', name: 'clicks' };

  it('is told in the order of their names, with the runs that have not ended', async () => {
    const { platform, asked } = platformWith(replies);
    expect(await pipelineStatuses([CLICK, ORDER], platform, NEVER)).toEqual([
      { ...CLICK, kind: 'realtime', status: 'STOPPED', runs: [] },
      { ...ORDER, kind: 'batch', status: 'RUNNING', runs: ['r0', 'r2'] },
    ]);
    // What has stopped has no runs to look for.
    expect(asked.filter((line) => line.includes('/runs'))).toHaveLength(1);
  });

  it('is an error where one is absent', async () => {
    const { platform } = platformWith({ ...replies, 'GET /v3/namespaces': { json: [{ name: 'etl' }] } });
    expect(await codeOf(pipelineStatuses([ORDER, { ...ORDER, name: 'nope' }], platform, NEVER))).toBe('NOT_FOUND');
  });
});
