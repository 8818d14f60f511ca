import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { backOff, retryAfter } from '../../../src/http/repeat.js';
import { isLoopback, parseBaseUrl, withoutUserinfo } from '../../../src/http/base-url.js';
import { below, path } from '../../../src/http/path.js';
import { NOW } from './support.js';

function usage(text: string): { message: string; hints: string } {
  try {
    parseBaseUrl(text);
  } catch (error) {
    expect(error).toMatchObject({ code: 'USAGE' });
    const { message, details } = error as { message: string; details: { hints?: string[] } };
    return { message, hints: details.hints?.join() ?? '' };
  }
  throw new Error(`${text} was taken`);
}

describe('parseBaseUrl', () => {
  it.each([
    ['http://host:11015', 'http://host:11015', 'http://host:11015', false],
    ['HTTPS://Host.Example.com:443/', 'https://host.example.com', 'https://host.example.com', false],
    ['https://host/a/b//', 'https://host/a/b', 'https://host', false],
    ['http://localhost:11015/', 'http://localhost:11015', 'http://localhost:11015', true],
    ['http://[::1]:80/x', 'http://[::1]/x', 'http://[::1]', true],
    ['http://127.9.9.9', 'http://127.9.9.9', 'http://127.9.9.9', true],
  ])('reads %s', (text, base, origin, loopback) => {
    expect(parseBaseUrl(text)).toEqual({ base, origin, loopback });
  });

  it.each([
    ['cdap.example.com', 'https://cdap.example.com'],
    ['localhost:11015', 'https://localhost:11015'],
    ['cdap.example.com:11015/api', 'https://cdap.example.com:11015/api'],
    ['ftp://host/x', 'https://host/x'],
    ['user:canary@host:1', 'https://host:1'],
    ['', 'https://cdap.example.com:10443'],
  ])('wants a scheme for %j and shows it', (text, hint) => {
    expect(usage(text).hints).toContain(`example ${hint}`);
    expect(usage(text).message).not.toContain('canary');
  });

  it.each([
    'https://user:canary@host/x',
    'https://canary@host',
    'https://host/x?key=canary',
    'https://host/#canary',
    'https://us er:canary@host',
    'https://host\\x',
    'https://:canary@',
    'http://ho\nst',
  ])('refuses %j and shows no secret', (text) => {
    const { message, hints } = usage(text);
    expect(`${message} ${hints}`).not.toContain('canary');
  });
});

describe('what is wrong with an address', () => {
  it.each([
    [
      'see http://host',
      '"see http://host" is not an http(s) URL',
      'add the scheme, for example https://see http://host',
    ],
    ['a/ftp://host', '"a/ftp://host" is not an http(s) URL', 'add the scheme, for example https://a/ftp://host'],
    ['http://me:canary@ho st', '"http://ho st" is not a valid URL', ''],
    [
      'https://me@host/x/',
      'the URL https://host/x has a user name or password',
      'use the URL without them; a token is set separately, and a hub needs none',
    ],
    [
      'https://:canary@host',
      'the URL https://host has a user name or password',
      'use the URL without them; a token is set separately, and a hub needs none',
    ],
    ['https://host/x/?key=canary', 'the URL https://host/x has a query or fragment', 'use https://host/x'],
    ['https://host#', 'the URL https://host has a query or fragment', 'use https://host'],
  ])('%j: %s', (text, message, hints) => {
    expect(usage(text)).toEqual({ message, hints });
  });
});

describe('withoutUserinfo', () => {
  it.each([
    ['https://host/x', 'https://host/x'],
    ['https://me@host/x', 'https://host/x'],
    ['https://me:canary@host:1/x', 'https://host:1/x'],
    ['https://me:can@ary@host', 'https://host'],
    ['https://me:can/ary?#@host', 'https://host'],
    ['https://me:1canary/@host', 'https://host'],
    ['https://me:can\nary@host', 'https://host'],
    ['me:canary@host', 'me:host'],
    ['//me:canary@host', '//host'],
    ['host:8080/a@b', 'host:8080/a@b'],
    ['host:8080', 'host:8080'],
    ['svn+ssh://me:canary@host', 'svn+ssh://host'],
    ['https://host:11015', 'https://host:11015'],
  ])('makes %j %j', (text, clean) => {
    expect(withoutUserinfo(text)).toBe(clean);
  });
});

describe('isLoopback', () => {
  it.each(['localhost', 'LOCALHOST', 'a.localhost', 'one.two.localhost.', '127.0.0.1', '127.100.20.255', '[::1]'])(
    'knows %s',
    (host) => {
      expect(isLoopback(host)).toBe(true);
    },
  );
  it.each(['localhost.example.com', '128.0.0.1', '127.0.0.1.example.com', '[::2]', '0.0.0.0', 'notlocalhost'])(
    'does not take %s for this machine',
    (host) => {
      expect(isLoopback(host)).toBe(false);
    },
  );
});

describe('path', () => {
  it('encodes each value as one segment', () => {
    expect(path`/v3/namespaces/${'a b'}/apps/${'ü%?#'}`).toBe('/v3/namespaces/a%20b/apps/%C3%BC%25%3F%23');
    expect(below(path`/v3`, 'a', 'b c')).toBe('/v3/a/b%20c');
  });

  it.each(['', '.', '..', 'a/b', 'a\\b', '%2e%2e', 'a\u0000'])('refuses %j', (segment) => {
    expect(() => path`/v3/${segment}`).toThrow(/cannot be part of a URL/u);
    expect(() => below(path`/v3`, segment)).toThrow(/cannot be part of a URL/u);
  });
});

describe('backOff', () => {
  it('stays below a bound that doubles from half a second to thirty', () => {
    expect([1, 2, 3, 7, 50].map((attempt) => backOff(attempt, () => 1))).toEqual([500, 1000, 2000, 30_000, 30_000]);
    expect(backOff(3, () => 0)).toBe(0);
    fc.assert(
      fc.property(fc.nat(2000), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, random) => {
        const wait = backOff(attempt + 1, () => random);
        expect(wait >= 0 && wait <= 30_000).toBe(true);
      }),
    );
  });
});

describe('retryAfter', () => {
  it.each([
    ['2', 2000],
    ['0', 0],
    ['Sun, 01 Jun 2025 12:00:05 GMT', 5000],
    ['Sun, 01 Jun 2025 11:59:59 GMT', undefined],
    ['-1', undefined],
    ['2.5', undefined],
    ['1 minute', undefined],
    ['2025-06-01T12:00:05Z', undefined],
    ['Sun, 99 Xxx 2025 12:00:05 GMT', undefined],
    [undefined, undefined],
  ])('reads %j as %j', (header, wait) => {
    expect(retryAfter(header, NOW)).toBe(wait);
  });
});
