import { describe, expect, it } from 'vitest';
import { path, writtenPath } from '../../../src/http/path.js';
import { hintsOf, thrownBy } from '../../support/errors.js';

describe('a path that a person wrote', () => {
  it.each([
    '/v3/namespaces',
    '/',
    '/v3/apps/a%20b',
    "/v3/x;y=1/$metadata('a')",
    '/v3/apps?a=1&b=/c?d[0]=e',
    '/v3/..a/b.',
  ])('is taken as it is: %s', (text) => {
    expect(writtenPath(text)).toBe(text);
  });

  it.each([
    '',
    'v3/namespaces',
    '//other.example/v3',
    '/v3/../admin',
    '/v3/%2e%2E/admin',
    '/v3/.%2e',
    '/v3/./x',
    '/v3/a b',
    '/v3/a%2',
    '/v3/ä',
    '/v3/x?a b',
    '/v3/x#part',
    'https://other.example/',
  ])('is refused where a server could take it for another: %j', (text) => {
    const error = thrownBy(() => writtenPath(text));
    expect(error.code).toBe('USAGE');
    expect(hintsOf(error).join()).toContain('/v3/namespaces');
  });
});

it('a name with a slash is no segment', () => {
  expect(thrownBy(() => path`/v3/apps/${'a/b'}`).code).toBe('BAD_NAME');
  expect(path`/v3/apps/${'a b'}`).toBe('/v3/apps/a%20b');
});
