import type { Transport } from '../../../../src/http/transport.js';
import { platformClient, type Platform } from '../../../../src/platform/client.js';
import type { MetricQuery } from '../../../../src/platform/metrics.js';

/** A pipeline with its runs, and what was counted: numbers by the name of the metric, for a run with its tags. */
export interface FakePipeline {
  readonly program?: 'DataPipelineWorkflow' | 'DataStreamsSparkStreaming' | 'Hello';
  readonly configuration?: string;
  readonly runs?: readonly { readonly runid: string; readonly version?: string }[];
  readonly versions?: Readonly<Record<string, string>>;
  readonly counted?: Readonly<Record<string, unknown>>;
  /** A tag, as in `run:x`, that nothing was counted for. */
  readonly strayTag?: string;
}

/** A platform with one pipeline, `etl/orders`; `queries` are the bodies of queries in order, `asked` all requests. */
export function fakePlatform(pipeline: FakePipeline) {
  const queries: Record<string, MetricQuery>[] = [];
  const asked: string[] = [];
  const app = '/v3/namespaces/etl/apps/orders';
  const program = pipeline.program ?? 'DataPipelineWorkflow';
  const runs = `${app}/${program === 'DataStreamsSparkStreaming' ? 'spark' : 'workflows'}/${program}/runs`;
  const counted = pipeline.counted ?? {};
  const detail = (configuration: string | undefined) => ({
    name: 'orders',
    appVersion: 'v2',
    artifact: { name: 'a', version: '1', scope: 'SYSTEM' },
    programs: [{ type: 'Workflow', name: program }],
    configuration,
  });
  const record = (run: object) => ({ status: 'COMPLETED', ...run });
  function answer(path: string, body: string | undefined, line: string): unknown {
    if (path === app) return detail(pipeline.configuration);
    if (path === '/v3/namespaces') return [{ name: 'default' }, { name: 'etl' }];
    if (path === '/v3/namespaces/etl/apps') return [{ ...detail(''), name: 'orders' }];
    if (path === '/v3/namespaces/default/apps') return [{ ...detail(''), name: 'billing' }];
    if (path === runs) return (pipeline.runs ?? []).map(record);
    if (path.startsWith(`${runs}/`)) return pipeline.runs?.filter(({ runid }) => path.endsWith(runid)).map(record)[0];
    if (path.startsWith(`${app}/versions/`)) {
      const then = pipeline.versions?.[path.slice(`${app}/versions/`.length)];
      return then === undefined ? undefined : detail(then);
    }
    if (path === '/v3/metrics/search')
      return line.includes(`tag=${pipeline.strayTag ?? '-'}`) ? [] : Object.keys(counted);
    if (path !== '/v3/metrics/query') return undefined;
    const wanted = JSON.parse(body ?? '') as Record<string, MetricQuery>;
    queries.push(wanted);
    return Object.fromEntries(Object.entries(wanted).map(([key, query]) => [key, resultOf(query)]));
  }
  const resultOf = ({ metrics, timeRange }: MetricQuery) => ({
    startTime: 0,
    endTime: 1_700_000_000,
    resolution: timeRange?.aggregate === 'true' ? '2147483647s' : 60,
    // The platform gives them in no order.
    series: [...metrics].reverse().flatMap((metricName) => {
      const value = counted[metricName];
      if (value === undefined) return [];
      return Array.isArray(value)
        ? (value as object[]).map((series) => ({ metricName, grouping: {}, ...series }))
        : [{ metricName, grouping: {}, data: [{ time: 0, value }] }];
    }),
  });
  const transport: Transport<'platform'> = {
    peer: 'platform',
    base: 'http://platform.example',
    close: async () => undefined,
    send: async ({ method, path, query = [], body }) => {
      const line = query.map(([name, value]) => `${name}=${value}`).join('&');
      asked.push(`${method} ${path}${line === '' ? '' : `?${line}`}`);
      const value = answer(path, body?.kind === 'text' ? body.text : undefined, line);
      const bytes = (async function* () {
        yield Buffer.from(JSON.stringify(value ?? 'not found'));
      })();
      const facts = { headers: {}, url: `http://platform.example${path}`, method, attempts: 1 };
      return { ...facts, status: value === undefined ? 404 : 200, body: bytes, discard: async () => undefined };
    },
  };
  return { platform: platformClient(transport) satisfies Platform, queries, asked };
}

/** The configuration of a pipeline with these stages. */
export const stagesConfig = (...names: readonly string[]): string =>
  JSON.stringify({ stages: names.map((name) => ({ name, plugin: {} })) });
