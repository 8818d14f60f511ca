import { describe, expect, it } from 'vitest';
import { choosePipelines } from '../../../../src/services/reports/choose-pipelines.js';
import { fakePlatform, type FakeAnswer } from './fake-platform.js';
import { errorOf, saidBy } from '../../../support/errors.js';

const { signal } = new AbortController();
const artifact = { name: 'cdap-data-pipeline', version: '6.1.1', scope: 'SYSTEM' };
const PLACES: Readonly<Record<string, readonly string[]>> = {
  etl: ['orders', 'orders-live', 'returns'],
  finance: ['invoices', 'orders'],
  dev: [],
};

/** A platform with pipelines in two of three namespaces; into one that is `hidden` nobody can look. */
function site(hidden = '') {
  return fakePlatform((request): FakeAnswer | undefined => {
    if (request === 'GET /v3/namespaces') return { body: Object.keys(PLACES).map((name) => ({ name })) };
    const namespace = /^GET \/v3\/namespaces\/([^/]+)\/apps$/u.exec(request)?.[1] ?? '';
    if (namespace === hidden) return { status: 403, body: 'no' };
    return { body: (PLACES[namespace] ?? []).map((name) => ({ name, artifact })) };
  });
}

const chosen = (patterns: readonly string[], within: readonly string[] = []) =>
  choosePipelines({ patterns, within }, () => Promise.resolve(site().platform), signal);

describe('the pipelines of a report', () => {
  it.for<[readonly string[], readonly string[], object]>([
    [['or*'], ['etl'], { namespace: ['etl'], applicationName: ['orders', 'orders-live'], pipeline: [] }],
    // A namespace of the environment or the context does not bind a pattern that has one.
    [['*/or*'], ['etl'], { namespace: [], applicationName: ['orders', 'orders-live'], pipeline: [] }],
    [['or*'], [], { applicationName: ['orders', 'orders-live'], pipeline: [] }],
    [['f*/*'], [], { namespace: ['finance'], applicationName: ['invoices', 'orders'], pipeline: [] }],
    [['etl/orders', 'etl/returns'], [], { namespace: ['etl'], applicationName: ['orders', 'returns'], pipeline: [] }],
    // A name of one namespace next to that of another: neither is asked for in the other one.
    [
      ['etl/orders', 'finance/invoices'],
      [],
      {
        namespace: ['etl', 'finance'],
        applicationName: ['invoices', 'orders'],
        pipeline: ['etl/orders', 'finance/invoices'],
      },
    ],
    // A pattern without a namespace is one of those of the line alone.
    [
      ['orders', 'finance/invoices'],
      ['etl'],
      {
        namespace: ['etl', 'finance'],
        applicationName: ['invoices', 'orders'],
        pipeline: ['etl/orders', 'finance/invoices'],
      },
    ],
    [['f*/orders', 'etl/orders'], [], { namespace: ['etl', 'finance'], applicationName: ['orders'], pipeline: [] }],
  ])('%j within %j are found in the lists of the namespaces', async ([patterns, within, values]) => {
    expect(await chosen(patterns, within)).toEqual(values);
  });

  it.for<[string, readonly string[], readonly string[], object]>([
    ['*/or*', ['etl'], ['etl'], { namespace: ['etl'], applicationName: ['orders', 'orders-live'], pipeline: [] }],
    ['?*/or*', ['finance'], ['finance'], { namespace: ['finance'], applicationName: ['orders'], pipeline: [] }],
  ])('%j does not leave the namespaces %j of the line', async ([pattern, within, boundTo, values]) => {
    const { platform } = site();
    const found = choosePipelines({ patterns: [pattern], within, boundTo }, () => Promise.resolve(platform), signal);
    expect(await found).toEqual(values);
  });

  it('are not looked for without end in a list that makes no progress', async () => {
    const { platform } = fakePlatform((request): FakeAnswer | undefined => {
      if (request === 'GET /v3/namespaces') return { body: [{ name: 'etl' }] };
      if (request.endsWith('/namespaces/etl')) return { body: { name: 'etl' } };
      return { body: { applications: [{ name: 'orders', artifact }], nextPageToken: 'same' } };
    });
    const error = await errorOf(
      choosePipelines({ patterns: ['or*'], within: ['etl'] }, () => Promise.resolve(platform), signal),
    );
    expect(error.code).toBe('BAD_ANSWER');
  });

  it.for<[readonly string[], object]>([
    [['orders', 'x'], { applicationName: ['orders', 'x'], pipeline: [] }],
    [['etl/gone'], { namespace: ['etl'], applicationName: ['gone'], pipeline: [] }],
  ])('%j are names that no list is needed for', async ([patterns, values]) => {
    const never = () => Promise.reject(new Error('the platform was asked for'));
    expect(await choosePipelines({ patterns, within: ['dev'] }, never, signal)).toEqual(values);
  });

  it.for<[readonly string[], readonly string[], string | undefined, string, readonly string[]]>([
    [['order?'], ['dev'], 'dev', 'order?', []],
    [['orders*', 'etl/retrns'], [], 'etl', 'etl/retrns', ['Did you mean "etl/returns"?']],
    [['finance/r*', 'etl/*'], [], 'finance', 'finance/r*', []],
    [['x*'], [], undefined, 'x*', []],
    [['x*/*'], [], undefined, 'x*/*', []],
  ])('%j within %j are not there', async ([patterns, within, namespace, pipeline, hints]) => {
    const where = namespace === undefined ? 'no namespace has a' : `namespace "${namespace}" has no`;
    expect(saidBy(await errorOf(chosen(patterns, within)))).toEqual({
      ...{ code: 'NOT_FOUND', message: `${where} pipeline "${pipeline}"`, hints },
      target: { ...(namespace !== undefined && { namespace }), pipeline },
    });
  });

  it('are not taken for all there are where a namespace does not show its pipelines', async () => {
    const { platform } = site('finance');
    const error = await errorOf(
      choosePipelines({ patterns: ['or*'], within: [] }, () => Promise.resolve(platform), signal),
    );
    expect(error.code).toBe('FORBIDDEN');
  });

  it('are refused in a namespace that is not there', async () => {
    expect(await errorOf(chosen(['elt/*']))).toMatchObject({ code: 'NOT_FOUND' });
    expect(await errorOf(chosen(['or*'], ['elt']))).toMatchObject({ message: 'the platform has no namespace "elt"' });
  });
});
