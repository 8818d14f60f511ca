import { describe, expect, it } from 'vitest';
import { checkApplications } from '../../../../../src/services/reports/runs/known-applications.js';
import type { ReportFilter } from '../../../../../src/services/reports/request/request.js';
import { fakePlatform, type FakeAnswer } from '../fake-platform.js';
import { hintText } from '../../../../../src/output/next-steps.js';
import { errorOf, hintsOf } from '../../../../support/errors.js';

const { signal } = new AbortController();
const artifact = { name: 'cdap-data-pipeline', version: '6.1.1', scope: 'SYSTEM' };
const PLACES: Readonly<Record<string, string>> = { orders: 'etl', invoices: 'finance' };

/** A platform with one application in two of its namespaces; into one that is `hidden` nobody can look. */
function site(hidden = '', instead: FakeAnswer = { status: 403, body: 'no' }) {
  return fakePlatform((request): FakeAnswer | undefined => {
    if (request === 'GET /v3/namespaces') return { body: ['default', 'etl', 'finance'].map((name) => ({ name })) };
    const [, namespace = '', name] = /^GET \/v3\/namespaces\/([^/]+)\/apps(?:\/(.*))?$/u.exec(request) ?? [];
    if (namespace === hidden) return instead;
    const here = Object.keys(PLACES).filter((application) => PLACES[application] === namespace);
    if (name === undefined) return { body: here.map((application) => ({ name: application, artifact })) };
    return here.includes(name) ? { body: { name, artifact } } : undefined;
  });
}
const of = (...whitelist: readonly string[]): ReportFilter => ({ fieldName: 'applicationName', whitelist });
const within = (...whitelist: readonly string[]): ReportFilter => ({ fieldName: 'namespace', whitelist });

describe('the applications of a report', () => {
  it.for<[ReportFilter[], string, string]>([
    [
      [of('orders', 'ordesr'), within('etl')],
      'namespace "etl" has no pipeline or application "ordesr"',
      'Did you mean "orders"?',
    ],
    [[of('order')], 'no namespace of the report has a pipeline or application "order"', 'Did you mean "orders"?'],
    [
      [of('invoices'), within('etl')],
      'namespace "etl" has no pipeline or application "invoices"',
      'cdapctl pipeline list -n etl',
    ],
  ])('that no namespace of it has are told: %j', async ([filters, message, hint]) => {
    const error = await errorOf(checkApplications(site().platform, { filters }, signal));
    expect(error).toMatchObject({ code: 'NOT_FOUND', message });
    expect(hintsOf(error).map(hintText)[0]).toContain(hint);
  });

  it.for<[ReportFilter[], readonly string[]]>([
    [[of('orders'), within('etl')], ['/etl/apps/orders']],
    [[of('orders', 'orders'), of('orders'), within('etl')], ['/etl/apps/orders']],
    [[{ fieldName: 'applicationName', blacklist: ['nope'] }], []],
    [[{ fieldName: 'user', whitelist: ['nope'] }], []],
  ])('may be named if they are there, each of which is asked for once: %j', async ([filters, places]) => {
    const { platform, asked } = site();
    await checkApplications(platform, { filters }, signal);
    expect(asked).toEqual(places.map((place) => `GET /v3/namespaces${place}`));
  });

  it('are looked for in no more than all namespaces', async () => {
    const { platform, asked } = site();
    await checkApplications(platform, { filters: [of('orders')] }, signal);
    expect(asked[0]).toBe('GET /v3/namespaces');
    expect(asked).toContain('GET /v3/namespaces/etl/apps/orders');
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked.length).toBeLessThanOrEqual(5);
  });

  it.for<[string, FakeAnswer]>([
    ['nobody may look into', { status: 403, body: 'no' }],
    ['cannot show them', { status: 500, body: 'java.lang.NullPointerException' }],
    ['shows them in words that are not known', { body: { name: 1 } }],
  ])('may be in a namespace that %s', async ([, answer]) => {
    const { platform } = site('etl', answer);
    await expect(checkApplications(platform, { filters: [of('else')] }, signal)).resolves.toBeUndefined();
  });

  it.for([401, 503])('are not taken to be there when the platform answers nobody: %d', async (status) => {
    const { platform } = site('etl', { status, body: 'no' });
    const error = await errorOf(checkApplications(platform, { filters: [of('else'), within('etl')] }, signal));
    expect(error.details.request).toMatchObject({ status });
  });

  it('are not asked for by names that no application can have', async () => {
    const { platform, asked } = site();
    const error = await errorOf(checkApplications(platform, { filters: [of('a b/..'), within('etl')] }, signal));
    expect(error.code).toBe('NOT_FOUND');
    expect(asked).toEqual(['GET /v3/namespaces/etl/apps?pageSize=1000']);
  });
});
