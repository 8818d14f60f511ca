import { describe, expect, it } from 'vitest';
import { metricsRequest, type MetricFlags } from '../../../../src/flows/watching/metrics-request.js';
import { parsePipelineName } from '../../../../src/services/metrics/pipeline.js';
import { parseTag } from '../../../../src/services/metrics/tags.js';

const NOW = 1_714_687_200_000;
const request = (metrics: readonly string[], flags: MetricFlags) => metricsRequest('etl/orders', metrics, flags, NOW);
const timeOf = (flags: MetricFlags) => request(['user.x'], flags).time(NOW);

describe('the time of a query', () => {
  it.for<[string, MetricFlags, object | undefined]>([
    ['none', {}, undefined],
    ['all time', { aggregate: true }, undefined],
    ['up to now', { start: 'now-1h' }, { start: '1714683600', end: '1714687200' }],
    ['a start and a count', { start: '1h', count: 5 }, { start: '1714683600', count: '5' }],
    [
      'an end and a count',
      { end: 'now', count: 5, resolution: '1m' },
      { end: '1714687200', count: '5', resolution: '1m' },
    ],
    [
      'all of it',
      { start: '2024-05-01', end: '2024-05-02', resolution: 'auto', count: 2 },
      { start: '1714521600', end: '1714608000', count: '2', resolution: 'auto' },
    ],
  ])('is %s', ([, flags, expected]) => {
    expect(timeOf(flags)).toEqual(expected);
  });

  it.for<[string, MetricFlags, string]>([
    ['only an end', { end: 'now' }, '--end needs --start'],
    ['only a resolution', { resolution: '1m' }, '--resolution needs --start'],
    ['a count and a resolution', { count: 3, resolution: '1m' }, '--count and --resolution need --start'],
    ['backwards', { start: 'now', end: 'now-1h' }, '--start is after --end'],
    ['total and course', { aggregate: true, start: 'now-1h' }, '--aggregate and --start cannot be used together'],
    ['a word', { start: 'last week' }, 'is not a time'],
    ['before the epoch', { start: '1969-01-01' }, 'before 1970'],
  ])('is refused before anything is sent: %s', ([, flags, message]) => {
    expect(() => request(['user.x'], flags)).toThrow(message);
  });
});

describe('a line about metrics', () => {
  it.for<[string, readonly string[], MetricFlags, string]>([
    ['a group that nothing is counted by', ['user.x'], { 'group-by': ['runs'] }, 'is not a metric tag'],
    ['a tag that nothing is counted by', ['user.x'], { tag: ['nope=1'] }, 'is not a metric tag'],
    ['a tag that the pipeline says', ['user.x'], { tag: ['app=other'] }, 'already set by the pipeline'],
    ['no name', [' '], {}, 'is not a metric name'],
    ['a name with a line end', ['user.x\n'], {}, 'is not a metric name'],
    ['no condition', ['user.x'], { 'fail-if': ['user.x'] }, 'is not a condition'],
  ])('is refused before anything is sent: %s', ([, metrics, flags, message]) => {
    expect(() => request(metrics, flags)).toThrow(message);
  });

  it.for<MetricFlags>([{ start: 'now-1h' }, { 'group-by': ['run'] }])(
    'without a metric asks for records in and out with %j',
    (flags) => {
      expect(request([], flags).metrics).toEqual(['user.*.records.in', 'user.*.records.out']);
      expect(request([], {}).metrics).toEqual([]);
    },
  );

  it('with a bad condition is answered with one about metrics', () => {
    expect(() => request(['user.x'], { 'fail-if': ['failed'] })).toThrow(
      expect.objectContaining({
        details: { hints: [{ next: 'write-condition', example: 'user.sink.records.error>0' }] },
      }) as Error,
    );
  });

  it('may name stages with dots, blanks and other signs', () => {
    const names = ['user.Read from: a/b.records.in', 'user.ä.b.c.records.in', `user.${'x'.repeat(900)}.records.in`];
    expect(request(names, {}).metrics).toEqual(names);
  });
});

describe('a tag', () => {
  it.for([
    ['app=orders', { name: 'app', value: 'orders' }],
    ['run=*', { name: 'run', value: '*' }],
    ['app=a=b:c', { name: 'app', value: 'a=b:c' }],
  ] as const)('is read: %s', ([text, tag]) => {
    expect(parseTag(text)).toEqual(tag);
  });

  it.for(['', 'app', '=x', 'app=', 'a b=c', 'a:b=c', 'app=x\n'])('is refused: %j', (text) => {
    expect(() => parseTag(text)).toThrow('is not a tag');
  });
});

describe('the name of a pipeline', () => {
  it.for([
    ['orders', { namespace: 'default', name: 'orders' }],
    ['etl/orders', { namespace: 'etl', name: 'orders' }],
  ] as const)('is read: %s', ([text, expected]) => {
    expect(parsePipelineName(text, 'default')).toEqual(expected);
  });

  it.for(['', '/', 'a/', '/a', 'a/b/c'])('is refused: %j', (text) => {
    expect(() => parsePipelineName(text, 'default')).toThrow('is not a pipeline');
  });
});
