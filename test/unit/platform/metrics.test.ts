import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HttpRequest, Transport } from '../../../src/http/transport.js';
import { platformClient } from '../../../src/platform/client.js';
import { queryMetrics, searchMetrics, searchMetricTags } from '../../../src/platform/metrics.js';

const { signal } = new AbortController();

/** A platform that answers everything with one text, and what it was asked. */
function answering(text: string) {
  const asked: HttpRequest[] = [];
  const transport: Transport<'platform'> = {
    peer: 'platform',
    base: 'http://platform.example',
    close: async () => undefined,
    send: async (request) => {
      asked.push(request);
      const body = (async function* () {
        yield Buffer.from(text);
      })();
      const facts = { headers: {}, url: 'http://platform.example/v3', method: 'POST', attempts: 1 };
      return { ...facts, status: 200, body, discard: async () => undefined };
    },
  };
  return { platform: platformClient(transport), asked };
}

interface Recorded {
  readonly id: string;
  readonly request: { readonly path: string; readonly body?: string };
  readonly response: { readonly status: number; readonly headers: Record<string, string>; readonly body: string };
}

const recordings = ['6.11.0/metrics.json', '6.1.1/metrics.json'].flatMap(
  (file) =>
    JSON.parse(readFileSync(join(import.meta.dirname, '../../fixtures/recordings', file), 'utf8')) as Recorded[],
);
const asJson = (text: string): unknown => JSON.parse(text);

describe('the metrics of a platform', () => {
  const isWhole = ({ response: { headers, body } }: Recorded) => Number(headers['content-length']) === body.length;
  const answered = recordings.filter((recorded) => recorded.response.status === 200 && isWhole(recorded));

  it.for(answered.filter(({ request }) => request.path === '/v3/metrics/query'))(
    'are read as recorded: $id',
    async ({ response }) => {
      const { platform } = answering(response.body);
      expect(await platform.call(queryMetrics, {}, signal)).toEqual(asJson(response.body));
    },
  );

  it.for(answered.filter(({ request }) => request.path.startsWith('/v3/metrics/search')))(
    'are searched as recorded: $id',
    async ({ request, response }) => {
      const { platform } = answering(response.body);
      const found = request.path.includes('target=tag')
        ? await platform.call(searchMetricTags, { tags: [] }, signal)
        : await platform.call(searchMetrics, { tags: [] }, signal);
      expect(found).toEqual(asJson(response.body));
    },
  );

  it('are asked for with the tags in their order', async () => {
    const { platform, asked } = answering('[]');
    const tags = [
      { name: 'namespace', value: 'etl' },
      { name: 'app', value: 'a:b' },
    ];
    await platform.call(searchMetricTags, { tags }, signal);
    expect(asked[0]?.query).toEqual([
      ['target', 'tag'],
      ['tag', 'namespace:etl'],
      ['tag', 'app:a:b'],
    ]);
  });

  it('are asked for in a body, without a query string, which would hide it', async () => {
    const { platform, asked } = answering('{}');
    await platform.call(queryMetrics, { q: { tags: { app: 'a' }, metrics: ['user.x'] } }, signal);
    expect(asked[0]?.query).toBeUndefined();
    expect(asked[0]?.body).toMatchObject({ text: '{"q":{"tags":{"app":"a"},"metrics":["user.x"]}}' });
  });

  it.for([
    ['NaN', 'NaN'],
    ['-Infinity', '-Infinity'],
    ['1e308', 1e308],
    ['1e999', '1e999'],
    ['-2.5', -2.5],
    ['9007199254740993', '9007199254740993'],
    ['"NaN"', 'NaN'],
  ] as const)('P34: show the value %s as it is', async ([text, value]) => {
    const series = `{"metricName":"a \\" NaN 1e999","grouping":{},"data":[{"time":0,"value":${text}}]}`;
    const { platform } = answering(`{"q":{"startTime":0,"endTime":1,"series":[${series}],"resolution":60}}`);
    const { q } = await platform.call(queryMetrics, {}, signal);
    expect(q?.series[0]).toEqual({ metricName: 'a " NaN 1e999', grouping: {}, data: [{ time: 0, value }] });
  });

  it.for(['1.2.3', 'NaNa', '--1', '{'])('are refused when a value is %s', async (text) => {
    const { platform } = answering(`{"q":{"startTime":${text},"endTime":1,"series":[],"resolution":""}}`);
    await expect(platform.call(queryMetrics, {}, signal)).rejects.toMatchObject({ code: 'BAD_ANSWER' });
  });
});
