import { describe, expect, it } from 'vitest';
import { checkNamespaces } from '../../../../../src/services/reports/runs/known-namespaces.js';
import type { ReportFilter } from '../../../../../src/services/reports/request/request.js';
import { fakePlatform } from '../fake-platform.js';
import { errorOf } from '../../../../support/errors.js';

const { signal } = new AbortController();
const site = () => fakePlatform(() => ({ body: [{ name: 'default' }, { name: 'etl' }] }));
const named = (...whitelist: readonly string[]): ReportFilter => ({ fieldName: 'namespace', whitelist });

describe('the namespaces of a report', () => {
  it('that the platform does not have are told, with the one that was meant', async () => {
    const error = await errorOf(checkNamespaces(site().platform, { filters: [named('default', 'elt')] }, signal));
    expect(error).toMatchObject({ code: 'NOT_FOUND', message: 'the platform has no namespace "elt"' });
    expect(error.details.hints?.[0]).toBe('Did you mean "etl"?');
  });

  it.each([
    [named('etl', 'system')],
    [{ fieldName: 'namespace', blacklist: ['elt'] }],
    [{ ...named('elt'), fieldName: 'user' }],
  ])('may be named if they are there, and left out if they are not: %j', async (filter) => {
    const { platform, asked } = site();
    await expect(checkNamespaces(platform, { filters: [filter] }, signal)).resolves.toBeUndefined();
    expect(asked).toHaveLength('whitelist' in filter && filter.fieldName === 'namespace' ? 1 : 0);
  });
});
