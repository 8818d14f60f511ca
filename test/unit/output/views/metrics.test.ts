import { describe, expect, it } from 'vitest';
import type { Format } from '../../../../src/output/format.js';
import type { Look } from '../../../../src/output/look.js';
import { render } from '../../../../src/output/views/view.js';
import { type RenderOptions, type View } from '../../../../src/output/view-types.js';
import { metricsResult, type MetricsShown } from '../../../../src/output/views/metrics.js';
import { metricList, metricTagList } from '../../../../src/output/views/metrics-names.js';
import { stageMetricsList } from '../../../../src/output/views/metrics-stages.js';

const plain: Look = { terminal: false, color: false, columns: undefined, unicode: true, utc: true };
const screen: Look = { ...plain, terminal: true, columns: 80 };

async function textOf<R>(
  view: View<R>,
  result: R,
  format: Format,
  options: Partial<RenderOptions> = {},
): Promise<string> {
  let text = '';
  for await (const piece of render(view, result, { format, look: plain, ...options })) text += piece;
  return text;
}

const error = 'user.clean.records.error';
const total: MetricsShown = {
  spark: true,
  startTime: 0,
  endTime: 1_714_687_200,
  series: [{ metricName: error, grouping: {}, resolution: 'total', data: [{ time: 0, value: 12_345 }] }],
};
const course: MetricsShown = {
  spark: true,
  startTime: 1_714_687_200,
  endTime: 1_714_687_440,
  series: ['r1', 'r2'].map((run, at) => ({
    metricName: 'user.=a,b.records.in',
    grouping: { run },
    resolution: '60s',
    data: [
      { time: 1_714_687_200, value: 1000 + at },
      { time: 1_714_687_320, value: 'NaN' },
    ],
  })),
};

describe('numbers of metrics', () => {
  it('are the JSON that is promised', async () => {
    expect(JSON.parse(await textOf(metricsResult, total, 'json'))).toEqual({
      schemaVersion: 1,
      kind: 'MetricsResult',
      items: [{ metricName: error, grouping: {}, resolution: 'total', data: [{ time: 0, value: 12_345 }] }],
      page: { offset: 0, returned: 1, total: 1, next: null },
      startTime: 0,
      endTime: 1_714_687_200,
      endTimeAt: '2024-05-02T22:00:00Z',
      warnings: [],
    });
  });

  it('are a line each in a table, in groups of digits on a terminal only', async () => {
    expect(await textOf(metricsResult, total, 'table')).toBe(`METRIC                    VALUE\n${error}  12345\n`);
    expect(await textOf(metricsResult, total, 'table', { look: screen })).toContain(`${error}  12 345\n`);
  });

  it('have their course on a terminal, unless it is not wanted', async () => {
    const [, first] = (await textOf(metricsResult, course, 'table', { look: screen })).split('\n');
    expect(first).toBe('user.=a,b.records.in  run=r1       2  NaN   NaN  1m          █▁?▁');
    for (const text of [
      await textOf(metricsResult, { ...course, spark: false }, 'table', { look: screen }),
      await textOf(metricsResult, course, 'table'),
    ])
      expect(text).toMatch(/^METRIC {16}GROUP {3}POINTS {2}SUM {2}LAST {2}RESOLUTION\n/u);
  });

  it('have as wide a course as there is room for, and none where there is hardly any', async () => {
    const day = { ...course, startTime: course.endTime - 86_400 };
    const lengths = async (columns: number): Promise<readonly number[]> => {
      const text = await textOf(metricsResult, day, 'table', { look: { ...screen, columns } });
      return text
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => line.length);
    };
    expect(await lengths(80)).toEqual([80, 80]);
    expect(await lengths(200)).toEqual([101, 101]);
    expect(await lengths(66)).toEqual([51, 51]);
  });

  it('are a row for each point in csv', async () => {
    expect((await textOf(metricsResult, course, 'csv')).split('\r\n').slice(0, 3)).toEqual([
      'metricName,grouping,resolution,time,timeAt,value',
      '"user.=a,b.records.in","{""run"":""r1""}",60s,1714687200,2024-05-02T22:00:00Z,1000',
      '"user.=a,b.records.in","{""run"":""r1""}",60s,1714687320,2024-05-02T22:02:00Z,NaN',
    ]);
    expect(await textOf(metricsResult, total, 'csv', { header: false })).toBe(`${error},,total,0,,12345\r\n`);
  });

  it('are a line each in ndjson, then the result', async () => {
    const lines = (await textOf(metricsResult, course, 'ndjson')).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual(['item', 'item', 'result']);
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ startTime: 1_714_687_200, endTime: 1_714_687_440 });
  });
});

describe('what stages have counted', () => {
  const items = [
    { stage: 'read-orders', recordsOut: 10_423, errors: 0, processTimeAvgMicros: 400 },
    { stage: 'clean', recordsIn: 10_423, recordsOut: 10_398, errors: 25, processTimeAvgMicros: 1100 },
    { stage: 'odd', recordsIn: 'NaN', errors: 0 },
  ];

  it('is a table', async () => {
    const text = await textOf(stageMetricsList, { items }, 'table', { look: screen });
    expect(text).toBe(
      [
        'STAGE        RECORDS IN  RECORDS OUT  ERRORS  TIME (AVG)',
        'read-orders           -       10 423       0      400 µs',
        'clean            10 423       10 398      25      1.1 ms',
        'odd                 NaN            -       0           -',
        '',
      ].join('\n'),
    );
  });

  it('is red where there are errors', async () => {
    const text = await textOf(stageMetricsList, { items }, 'table', { look: { ...screen, color: true } });
    expect(text).toContain('\u001b[31m    25\u001b[0m');
    expect(text).not.toContain('\u001b[31m     0');
  });

  it('is in the units of the platform for programs', async () => {
    const [header, first] = (await textOf(stageMetricsList, { items }, 'csv')).split('\r\n');
    expect([header, first]).toEqual([
      'stage,recordsIn,recordsOut,errors,processTimeAvgMicros',
      'read-orders,,10423,0,400',
    ]);
    expect(JSON.parse(await textOf(stageMetricsList, { items }, 'json'))).toMatchObject({ items });
  });
});

describe('names', () => {
  it('of metrics and of tags are listed so that they can be used', async () => {
    const names = { items: [{ name: error, scope: 'user' as const }] };
    expect(await textOf(metricList, names, 'name')).toBe(`${error}\n`);
    const tags = { items: [{ name: 'app', value: 'orders' }] };
    expect(await textOf(metricTagList, tags, 'name')).toBe('app=orders\n');
    expect(await textOf(metricTagList, tags, 'table')).toBe('TAG  VALUE\napp  orders\n');
  });
});
