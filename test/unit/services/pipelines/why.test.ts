import { describe, expect, it } from 'vitest';
import type { ServiceEvent } from '../../../../src/core/events.js';
import type { RunRecord } from '../../../../src/platform/runs.js';
import { argumentsOfRun } from '../../../../src/services/preferences/run-layers.js';
import { whyOf } from '../../../../src/services/pipelines/why.js';
import { NEVER } from '../../../support/clock.js';
import { codeOf } from '../../../support/errors.js';
import { foundPipeline, ORDERS, platformWith, RUN, type Replies } from './support.js';

const part = (way: 'next' | 'prev', rest: string): string =>
  `GET ${ORDERS}/runs/${RUN}/logs/${way}?escape=false&format=json&suppress=isNativeMethod&${rest}`;
const FIRST_ERROR = part('next', 'filter=loglevel=ERROR&max=1');
const NODES = `GET /v3/namespaces/etl/apps/orders/workflows/DataPipelineWorkflow/runs/${RUN}/nodes/state`;
const GOOD = `GET ${ORDERS}/runs?limit=1000&status=COMPLETED&end=101`;
const version = (name: string): string => `GET /v3/namespaces/etl/apps/orders/versions/${name}`;
const record: RunRecord = { runid: RUN, status: 'FAILED', starting: 100, end: 160, properties: {} };
const own = { name: 'orders', artifact: { name: 'cdap-data-pipeline', version: '6.10.0', scope: 'SYSTEM' } };
const plugin = (name: string, artifactVersion = '1', properties = {}) => ({
  plugin: { name, type: 't', artifact: { name: 'core', version: artifactVersion }, properties },
});
const configuration = JSON.stringify({
  stages: [
    { name: 'Read', ...plugin('File', '1', { path: 'file:///data/in', format: 'csv' }) },
    { name: 'failure', ...plugin('A') },
    { name: '0.0', ...plugin('B') },
    { name: 'Write', ...plugin('Table', '1', { path: '${root}/in/done/', url: 'jdbc:x://h/db', format: 'csv' }) },
  ],
  postActions: [{ name: 'mail', ...plugin('Email') }],
});
const line = (at: number, message: string | null, logLevel = 'INFO', more: object = {}) => ({
  ...{ log: { timestamp: at * 1000, logLevel, message, ...more }, offset: `-10000.${at}` },
});
const short = (at: number, message: string, logLevel = 'INFO') => ({
  ...{ timestamp: at * 1000, timestampAt: `1970-01-01T00:00:0${at}Z`, logLevel, message },
});
type LogLine = ReturnType<typeof line>;
const timeOf = ({ offset }: LogLine): number => Number(offset.split('.')[1]);
/** A log, with what is asked of it around its first error. */
function logOf(...lines: readonly LogLine[]): Replies {
  const error = lines.find(({ log }) => log.logLevel === 'ERROR');
  const at = error === undefined ? 0 : timeOf(error);
  const earlier = lines.filter((one) => timeOf(one) < at).slice(-5);
  const from = lines.filter((one) => timeOf(one) >= at);
  const pages = [64, 256].map((max) => [
    part('next', `max=${max}&fromOffset=-10000.${at - 1}`),
    { json: from.slice(0, max) },
  ]);
  return {
    [FIRST_ERROR]: { json: error === undefined ? [] : [error] },
    [part('prev', `max=5&fromOffset=-10000.${at}`)]: { json: earlier },
    ...(Object.fromEntries(pages) as Replies),
    [GOOD]: { json: [] },
  };
}
const nothing = logOf();

async function why(replies: Replies, { run = record, secrets = [] as readonly string[], showSecrets = false } = {}) {
  const { platform, asked } = platformWith(replies);
  const pipeline = foundPipeline(configuration);
  const shown = { ...pipeline, detail: { ...pipeline.detail, appVersion: 'v2' } };
  const told: ServiceEvent[] = [];
  const asking = { platform, signal: NEVER, emit: (fact: ServiceEvent) => void told.push(fact) };
  return { asked, told, found: await whyOf(run, shown, { secrets, showSecrets }, asking) };
}

describe('why a run ended', () => {
  it('may be unknown', async () => {
    expect((await why(nothing)).found).toEqual({
      ...{ namespace: 'etl', pipeline: 'orders', linesBefore: [], linesAfter: [], differences: [] },
      logReadable: true,
      postActions: [{ name: 'mail', plugin: 'Email' }],
      run: {
        ...{ runid: RUN, status: 'FAILED', durationSeconds: 60 },
        ...{ starting: 100, startingAt: '1970-01-01T00:01:40Z', end: 160, endAt: '1970-01-01T00:02:40Z' },
      },
    });
  });

  it('is the first error of its log with five lines on both sides', async () => {
    const lines = [1, 2, 3, 4, 5, 6].map((at) => line(at, `before ${at}`));
    const after = [8, 9].map((at) => line(at, null, 'ERROR')).concat([10, 11, 12, 13].map((at) => line(at, 'x')));
    const error = line(7, 'it broke', 'ERROR', { stackTrace: 'at x' });
    const { found } = await why(logOf(...lines, error, ...after));
    expect(found.linesBefore).toEqual([2, 3, 4, 5, 6].map((at) => short(at, `before ${at}`)));
    expect(found.firstError).toEqual({ ...short(7, 'it broke', 'ERROR'), stackTrace: 'at x' });
    expect(found.linesAfter.map(({ timestamp, message }) => [timestamp, message])).toEqual([
      ...[
        [8000, ''],
        [9000, ''],
      ],
      ...[10, 11, 12].map((at) => [at * 1000, 'x']),
    ]);
    // Lines without an error tell nothing.
    expect((await why(logOf(...lines))).found.linesBefore).toEqual([]);
  });

  it('is found among many lines of its millisecond, and no more of the log is read', async () => {
    const same = Array.from({ length: 100 }, (_, at) => line(3, `same ${at}`));
    const rest = Array.from({ length: 300 }, (_, at) => line(4 + at, `after ${at}`));
    const log = [line(1, 'a'), line(2, 'b'), ...same, line(3, 'it broke', 'ERROR'), ...rest];
    const { found, asked } = await why(logOf(...log));
    expect(found.linesBefore.map(({ message }) => message)).toEqual([95, 96, 97, 98, 99].map((at) => `same ${at}`));
    expect(found.linesAfter.map(({ message }) => message)).toEqual([0, 1, 2, 3, 4].map((at) => `after ${at}`));
    expect(asked.filter((one) => one.includes('/logs'))).toHaveLength(4);
  });

  it('is told without a log that cannot be read, with a warning', async () => {
    const nodes = { phase: { nodeStatus: 'FAILED', failureCause: { message: 'm' } } };
    const { found, told } = await why({ ...nothing, [NODES]: { json: nodes }, [FIRST_ERROR]: { status: 500 } });
    expect(found).toMatchObject({ cause: 'm', logReadable: false, linesBefore: [] });
    expect(told).toMatchObject([{ type: 'warning', message: expect.stringContaining('the log of the run') as string }]);
  });

  it('is the innermost cause of the node that failed', async () => {
    const cause = { className: 'A', message: 'outer', cause: { className: 'B', message: 'inner', cause: null } };
    const nodes = { ok: { nodeStatus: 'COMPLETED' }, phase: { nodeStatus: 'FAILED', failureCause: cause } };
    const { found } = await why({ ...nothing, [NODES]: { json: nodes } });
    expect([found.node, found.cause]).toEqual(['phase', 'B: inner']);
  });

  it('is the twenty-first cause where there are more', async () => {
    const causes = Array.from({ length: 30 }, (_, at) => `cause ${at}`);
    const failureCause = causes.reduceRight<object | null>((cause, message) => ({ message, cause }), null);
    const nodes = { phase: { nodeStatus: 'FAILED', failureCause } };
    const { found } = await why({ ...nothing, [NODES]: { json: nodes } });
    expect(found.cause).toBe('cause 20');
  });

  it.each<[string, unknown, string | undefined]>([
    ['without a cause', undefined, undefined],
    ['with none', null, undefined],
    ['without a class', { message: 'm' }, 'm'],
    ['without a message', { className: 'C', message: '' }, 'C'],
    ['with neither', { className: null }, ''],
  ])('is little for a node %s', async (_, failureCause, cause) => {
    const nodes = { phase: { nodeStatus: 'FAILED', failureCause } };
    const { found } = await why({ ...nothing, [NODES]: { json: nodes } });
    expect([found.node, found.cause]).toEqual(['phase', cause]);
  });

  it.each<[string, object, string | undefined]>([
    ['the context of its line', { mdc: { x: '1', 'MyStage.name': 'Join' } }, 'Join'],
    ['its message', { message: "Failed in Stage 'write'" }, 'Write'],
    ['its message in double quotes', { message: 'stage "Read" failed' }, 'Read'],
    ['its message without quotes', { message: 'stage Read failed' }, 'Read'],
    ['its message before a colon', { message: 'Error when transforming stage Read: java.lang.Error' }, 'Read'],
    ['no stage of Spark', { message: 'Job aborted due to stage failure: Task 0 in stage 0.0 (TID 0)' }, undefined],
    ['its message before a comma', { message: 'of stage Read, see' }, 'Read'],
    ['its trace', { stackTrace: "at stage 'Read'" }, 'Read'],
    ['nothing that is no whole name', { message: 'stage Reader failed' }, undefined],
    ['no stage of it', { message: "stage 'Other'" }, undefined],
    ['no context that is no text', { mdc: { stage: 7 } }, undefined],
    ['no context that is empty', { mdc: { stage: '' } }, undefined],
    ['no context that is none', { mdc: null }, undefined],
    ['no other context', { mdc: 'stage' }, undefined],
  ])('names the stage by %s', async (_, more, stage) => {
    expect((await why(logOf(line(1, '', 'ERROR', more)))).found.stage).toBe(stage);
  });

  it('names the stage by the cause of the node, too', async () => {
    const inner = { message: "stage 'Write' broke" };
    for (const failureCause of [inner, { message: 'outer', cause: { ...inner, cause: { message: 'bad row' } } }]) {
      const nodes = { phase: { nodeStatus: 'FAILED', failureCause } };
      expect((await why({ ...nothing, [NODES]: { json: nodes } })).found.stage).toBe('Write');
    }
  });

  it.each<[string, string | undefined]>([
    ['Input path does not exist: file:/data/in', 'Read'],
    ['cannot open file:///data/in/x.csv', 'Read'],
    ['Output directory file:/data/in/done already exists', 'Write'],
    ['refused: jdbc:x://h/db?user=a', 'Write'],
    ['no csv', undefined],
    ['file:/data/in and file:/data/other', 'Read'],
    ['file:/data', undefined],
    ['file:/data/input', undefined],
  ])('names the stage whose path or address the cause names: %s', async (message, stage) => {
    const nodes = { phase: { nodeStatus: 'FAILED', failureCause: { message } } };
    const run = { ...record, properties: { runtimeArgs: JSON.stringify({ root: 'file:///data' }) } };
    expect((await why({ ...nothing, [NODES]: { json: nodes } }, { run })).found.stage).toBe(stage);
  });

  const trace = (...frames: readonly string[]) =>
    ['java.lang.Error: first', ...frames.map((at) => `\tat ${at}.x(X.java:1)`)].join('\n');
  it.each<[string, string, string | undefined]>([
    ['a class with its name', trace('io.cdap.cdap.etl.Write', 'io.corp.Read'), 'Read'],
    [
      'a class that begins with the name of its plugin',
      trace('org.apache.spark.File', 'io.cdap.plugin.TableSink$1'),
      'Write',
    ],
    ['no class of the platform', trace('io.cdap.cdap.etl.Write', 'java.lang.Read'), undefined],
    ['no class of neither', trace('io.corp.Other'), undefined],
  ])('names the stage by %s in its trace', async (_, stackTrace, stage) => {
    expect((await why(logOf(line(1, '', 'ERROR', { stackTrace })))).found.stage).toBe(stage);
  });

  it.each<[string, string, string | undefined]>([
    ['its first line', trace('io.corp.Read'), 'java.lang.Error: first'],
    [
      'its innermost cause',
      `${trace('a.B')}\nCaused by: a.OneException: one\n\tat a.B.c(D)\nCaused by: a.b.CException: s3cret`,
      'a.b.CException: ***',
    ],
    ['nothing else', 'at x', undefined],
  ])('is in the trace of its log where no node tells it: %s', async (_, stackTrace, cause) => {
    const replies = logOf(line(1, '', 'ERROR', { stackTrace }));
    expect((await why(replies, { secrets: ['s3cret'] })).found.cause).toBe(cause);
  });

  it('does not repeat secrets unless they are asked for', async () => {
    const error = line(2, 'no s3cret', 'ERROR', { stackTrace: 'at s3cret' });
    const nodes = { phase: { nodeStatus: 'FAILED', failureCause: { message: 'for s3cret' } } };
    const replies = { ...logOf(line(1, 'with s3cret'), error, line(3, 'by s3cret')), [NODES]: { json: nodes } };
    const told = async (showSecrets: boolean) => {
      const { cause, firstError, linesBefore, linesAfter } = (await why(replies, { secrets: ['s3cret'], showSecrets }))
        .found;
      const lines = [firstError?.message, firstError?.stackTrace, linesBefore[0]?.message, linesAfter[0]?.message];
      return [cause, ...lines];
    };
    expect(await told(false)).toEqual(['for ***', 'no ***', 'at ***', 'with ***', 'by ***']);
    expect(await told(true)).toEqual(['for s3cret', 'no s3cret', 'at s3cret', 'with s3cret', 'by s3cret']);
  });

  it('is told of the version that ran, not of that of today', async () => {
    const stages = [{ name: 'Old', ...plugin('Gone', '1', { path: '/then/in' }) }];
    const configuration = JSON.stringify({ stages, postActions: [{ name: 'call', ...plugin('HTTP') }] });
    const nodes = { phase: { nodeStatus: 'FAILED', failureCause: { message: 'no /then/in here' } } };
    const replies = { ...nothing, [NODES]: { json: nodes }, [version('v1')]: { json: { ...own, configuration } } };
    const { found } = await why(replies, { run: { ...record, version: 'v1' } });
    expect(found).toMatchObject({ stage: 'Old', postActions: [{ name: 'call' }] });
  });

  it('is not asked of nodes where a realtime pipeline has none', async () => {
    const { platform, asked } = platformWith({
      [FIRST_ERROR.replace('workflows/DataPipelineWorkflow', 'spark/S')]: { json: [] },
      [GOOD.replace('workflows/DataPipelineWorkflow', 'spark/S')]: { json: [] },
    });
    const batch = foundPipeline();
    const kind = { ...batch.kind, kind: 'realtime' } as const;
    const pipeline = { ...batch, kind, place: { ...batch.place, type: 'spark', program: 'S' } };
    const asking = { platform, signal: NEVER, emit: () => undefined };
    await whyOf(record, pipeline, { secrets: [], showSecrets: false }, asking);
    expect(asked).toHaveLength(2);
  });
});

describe('what was otherwise in the last good run', () => {
  const run = (more: object, given?: Readonly<Record<string, string>>): RunRecord => ({
    ...{ ...record, ...more, properties: given === undefined ? {} : { runtimeArgs: JSON.stringify(given) } },
  });
  const good = { runid: 'good', status: 'COMPLETED', starting: 10 };
  const differences = async (before: RunRecord, now: RunRecord, more: Replies = {}, showSecrets = false) => {
    const { found } = await why({ ...nothing, [GOOD]: { json: [now, before] }, ...more }, { run: now, showSecrets });
    return { lastGood: found.lastGood?.runid, differences: found.differences };
  };

  it('is nothing where it was the same', async () => {
    expect(await differences(run({ ...good, end: 70 }), run({ status: 'COMPLETED' }))).toEqual({
      lastGood: 'good',
      differences: [],
    });
  });

  it('is its arguments by name, with secrets masked, and how long it took', async () => {
    const before = run({ ...good, end: 11 }, { b: '1', same: 'x', password: 'old', gone: '' });
    const now = run({ end: 130 }, { b: '2', same: 'x', password: 'new', a: 'y' });
    const others = [
      { what: 'argument a', now: 'y' },
      { what: 'argument b', before: '1', now: '2' },
      { what: 'argument gone', before: '' },
    ];
    const took = { what: 'duration', before: '1 s', now: '30 s' };
    expect((await differences(before, now)).differences).toEqual([
      ...[...others, { what: 'argument password', before: '***', now: '***' }, took],
    ]);
    expect((await differences(before, now, {}, true)).differences).toEqual([
      ...[...others, { what: 'argument password', before: 'old', now: 'new' }, took],
    ]);
  });

  it('is no argument where those of one run cannot be read', async () => {
    expect((await differences(run({ ...good, end: 70 }), run({}, { a: 'y' }))).differences).toEqual([]);
  });

  it('is its version, with the artifact and plugins of both', async () => {
    const old = JSON.stringify({
      stages: [
        { name: 'Read', ...plugin('File', '0') },
        { name: 'Join', ...plugin('Joiner') },
      ],
      postActions: [{ name: 'mail', ...plugin('HTTP') }, { name: 'bare' }],
    });
    const before = run({ ...good, end: 70, version: 'v1' });
    const found = await differences(before, run({ version: 'v2' }), {
      [version('v1')]: { json: { ...own, configuration: old } },
    });
    expect(found.differences).toEqual([
      { what: 'version', before: 'v1', now: 'v2' },
      { what: 'artifact', before: 'cdap-data-pipeline 6.10.0', now: 'cdap-data-pipeline 6.11.0' },
      { what: 'stage Read', before: 'File (core 0)', now: 'File (core 1)' },
      { what: 'stage Join', before: 'Joiner (core 1)' },
      { what: 'post-run action mail', before: 'HTTP', now: 'Email' },
      { what: 'post-run action bare', before: '' },
      { what: 'stage failure', now: 'A (core 1)' },
      { what: 'stage 0.0', now: 'B (core 1)' },
      { what: 'stage Write', now: 'Table (core 1)' },
      { what: 'stage Read property format', stage: 'Read', property: 'format', now: 'csv' },
      { what: 'stage Read property path', stage: 'Read', property: 'path', now: 'file:///data/in' },
    ]);
  });

  it('is a property of a stage that both versions have, with secrets masked', async () => {
    const old = JSON.stringify({
      stages: [
        { name: 'Read', ...plugin('File', '1', { path: '/old', format: 'csv' }) },
        { name: 'Write', ...plugin('Table', '1', { root: 1, url: 'jdbc:x://me:s3cret@h/db', password: 's3cret' }) },
      ],
    });
    const now = JSON.stringify({
      stages: [
        { name: 'Read', ...plugin('File', '1', { path: '/new', format: 'csv' }) },
        { name: 'Write', ...plugin('Table', '1', { root: 2, url: 'jdbc:x://me:newer@h/db', password: 'newer' }) },
      ],
    });
    const found = await differences(run({ ...good, end: 70, version: 'v1' }), run({ version: 'v3' }), {
      [version('v1')]: { json: { ...own, configuration: old } },
      [version('v3')]: { json: { ...own, configuration: now } },
    });
    const of = (stage: string, property: string, before: string, after: string) => ({
      ...{ what: `stage ${stage} property ${property}`, stage, property, before, now: after },
    });
    expect(found.differences.slice(1)).toEqual([
      of('Read', 'path', '/old', '/new'),
      of('Write', 'password', '***', '***'),
      of('Write', 'url', 'jdbc:x://***@h/db', 'jdbc:x://***@h/db'),
    ]);
  });

  it.each<[string, string | undefined]>([
    ['is gone', 'v1'],
    ['is not known', undefined],
  ])('is its version alone where that %s', async (_, old) => {
    const before = run({ ...good, end: 70, ...(old !== undefined && { version: old }) });
    expect((await differences(before, run({ version: 'v2' }))).differences).toEqual([
      { what: 'version', before: old, now: 'v2' },
    ]);
  });

  it('is looked for among all runs where it is not known when the run was asked for', async () => {
    const bare = { ...record };
    delete bare.starting;
    const { asked } = await why({ ...nothing, [GOOD.replace('&end=101', '')]: { json: [] } }, { run: bare });
    expect(asked.at(-1)).not.toContain('end=');
  });
});

describe('the arguments that a run had', () => {
  const stored: Replies = {
    'GET /v3/preferences': { json: { region: 'eu', since: '1' } },
    'GET /v3/namespaces/etl/preferences': { json: {} },
    'GET /v3/namespaces/etl/apps/orders/preferences': { json: { day: 'monday' } },
    [`GET ${ORDERS}/preferences`]: { json: {} },
  };
  const run = { ...record, properties: { runtimeArgs: JSON.stringify({ region: 'eu', day: 'friday' }) } };
  const had = (replies: Replies) =>
    argumentsOfRun(foundPipeline(), run, { platform: platformWith(replies).platform, signal: NEVER });

  it('are told with where each came from, without what was stored since', async () => {
    expect((await had(stored)).map(({ key, value, from }) => [key, value, from])).toEqual([
      ['day', 'friday', 'run'],
      ['region', 'eu', 'instance'],
    ]);
  });

  it('are its own where preferences cannot be read', async () => {
    const forbidden = { ...stored, 'GET /v3/preferences': { status: 403 } };
    expect((await had(forbidden)).map(({ key, from }) => [key, from])).toEqual([
      ['day', 'run'],
      ['region', 'run'],
    ]);
    expect(await codeOf(had({ ...stored, 'GET /v3/preferences': { status: 500 } }))).toBe('REMOTE_FAILED');
  });
});
