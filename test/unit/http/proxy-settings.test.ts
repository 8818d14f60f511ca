import { describe, expect, it } from 'vitest';
import { parseBaseUrl } from '../../../src/http/base-url.js';
import { proxyFrom } from '../../../src/http/proxy.js';
import { errorOf, saidBy, thrownBy } from '../../support/errors.js';

describe('an address that cannot be used', () => {
  it.each<[string, string, readonly string[] | undefined]>([
    ['cdap.example', '"cdap.example" is not an http(s) URL', ['add the scheme, for example https://cdap.example']],
    [
      'localhost:11015',
      '"localhost:11015" is not an http(s) URL',
      ['add the scheme, for example https://localhost:11015'],
    ],
    [
      'ftp://me:pw@cdap.example',
      '"ftp://cdap.example" is not an http(s) URL',
      ['add the scheme, for example https://cdap.example'],
    ],
    ['', '"" is not an http(s) URL', ['add the scheme, for example https://cdap.example.com:10443']],
    ['http://a b', '"http://a b" is not a valid URL', undefined],
    ['http://a\\b', '"http://a\\\\b" is not a valid URL', undefined],
    ['http://[', '"http://[" is not a valid URL', undefined],
    [
      'http://me@a/b/',
      'the URL http://a/b has a user name or password',
      ['use the URL without them; a token is set separately, and a hub needs none'],
    ],
    [
      'http://:pw@a',
      'the URL http://a has a user name or password',
      ['use the URL without them; a token is set separately, and a hub needs none'],
    ],
    ['http://a/b?c', 'the URL http://a/b has a query or fragment', ['use http://a/b']],
    ['http://a/#', 'the URL http://a has a query or fragment', ['use http://a']],
  ])('is %j', (text, message, hints) => {
    expect(saidBy(thrownBy(() => parseBaseUrl(text)))).toEqual({ code: 'USAGE', message, ...(hints && { hints }) });
  });
});

describe('the proxy of an address', () => {
  const found = (environment: Record<string, string>, url: string, explicit?: string): string | undefined => {
    const proxy = proxyFrom(environment, explicit, 'the flag')(new URL(url));
    return proxy && `${proxy.shown} of ${proxy.from}`;
  };
  it.each<[Record<string, string>, string, string | undefined]>([
    [{}, 'http://a', undefined],
    [{ http_proxy: 'p:1' }, 'http://a', 'http://p:1 of http_proxy'],
    [{ http_proxy: 'p:1' }, 'https://a', undefined],
    [{ https_proxy: 'https://p:1' }, 'https://a', 'https://p:1 of https_proxy'],
    [{ HTTPS_PROXY: ' p:1 ' }, 'https://a', 'http://p:1 of HTTPS_PROXY'],
    [{ https_proxy: '', HTTPS_PROXY: 'p:1' }, 'https://a', undefined],
    [{ all_proxy: 'p:1' }, 'https://a', 'http://p:1 of all_proxy'],
    [{ all_proxy: 'p:1', http_proxy: 'p:2' }, 'http://a', 'http://p:2 of http_proxy'],
    [{ ALL_PROXY: 'p:1', no_proxy: 'a' }, 'http://a', undefined],
  ])('in %j for %s is %s', (environment, url, expected) => {
    expect(found(environment, url)).toBe(expected);
  });

  it.each<[string, string, boolean]>([
    ['*', 'http://a', true],
    ['a', 'http://a', true],
    ['a', 'http://A./', true],
    ['a', 'http://b.a', true],
    ['a', 'http://ba', false],
    ['.a', 'http://b.a', true],
    ['*.a', 'http://a', true],
    ['a.', 'http://a', true],
    ['A', 'http://a', true],
    ['x, a', 'http://a', true],
    ['x a', 'http://a', true],
    [' , ', 'http://a', false],
    ['a:80', 'http://a', true],
    ['a:443', 'https://a', true],
    ['a:80', 'https://a', false],
    ['a:8080', 'http://a:8080', true],
    ['a:8080', 'http://a', false],
    ['::1', 'http://[::1]', true],
    ['[::1]:7', 'http://[::1]:7', true],
    ['[::1]:7', 'http://[::1]:8', false],
    ['.', 'http://a', false],
    ['a:b', 'http://a', false],
  ])('is left out by NO_PROXY=%s for %s: %s', (exceptions, url, out) => {
    const expected = (from: string): string | undefined => (out ? undefined : `http://p:1 of ${from}`);
    expect(found({ no_proxy: exceptions }, url, 'p:1')).toBe(expected('the flag'));
    expect(found({ NO_PROXY: exceptions, all_proxy: 'p:1' }, url)).toBe(expected('all_proxy'));
  });

  it.each<[string, string | undefined]>([
    ['http://p:1', undefined],
    ['http://me@p:1', `Basic ${Buffer.from('me:').toString('base64')}`],
    ['http://m%40e:p%20w@p:1', `Basic ${Buffer.from('m@e:p w').toString('base64')}`],
    ['http://:pw@p:1', `Basic ${Buffer.from(':pw').toString('base64')}`],
    ['http://me:100%@p:1', `Basic ${Buffer.from('me:100%').toString('base64')}`],
  ])('%s gets its credentials', (text, authorization) => {
    const proxy = proxyFrom({}, text)(new URL('http://a'));
    expect(proxy).toEqual({ url: new URL('http://p:1'), shown: 'http://p:1', from: 'the proxy', authorization });
  });

  it.each(['socks5://me:pw@p:1', 'http://', 'ftp://p'])('cannot be %s', (text) => {
    const { code, message, details } = thrownBy(() => proxyFrom({}, text, 'the flag'));
    expect([code, message, details.hints]).toEqual([
      'USAGE',
      `the flag ${JSON.stringify(text.replace('me:pw@', ''))} is not an http(s) URL`,
      ['use http://host:port or http://user:password@host:port'],
    ]);
  });

  it('is read only where it is used', async () => {
    const settings = proxyFrom({ http_proxy: 'socks5://p' });
    expect(settings(new URL('https://a'))).toBeUndefined();
    const { message } = await errorOf(() => settings(new URL('http://a')));
    expect(message).toBe('http_proxy "socks5://p" is not an http(s) URL');
  });
});
