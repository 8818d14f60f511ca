import { describe, expect, it } from 'vitest';
import { isRedirect, redirectOfWrite, redirectTarget } from '../../../src/http/redirects.js';
import { saidBy, thrownBy } from '../../support/errors.js';

const FROM = new URL('https://hub.example/v2/a.json');

describe('a redirect', () => {
  it.each([
    [300, false],
    [301, true],
    [302, true],
    [303, true],
    [304, false],
    [307, true],
    [308, true],
    [309, false],
  ])('is an answer with status %i: %s', (status, expected) => {
    expect(isRedirect(status)).toBe(expected);
  });

  it.each<[string, 'platform' | 'hub', string, string]>([
    ['https://hub.example/v2/a.json', 'hub', '/b?c=d#e', 'https://hub.example/b?c=d'],
    ['http://hub.example/a', 'platform', 'b', 'http://hub.example/b'],
    ['https://hub.example/a', 'hub', 'https://other.example/b#x', 'https://other.example/b'],
    ['http://hub.example/a', 'hub', 'https://other.example/b', 'https://other.example/b'],
  ])('of a read from %s of a %s to %s is followed', (from, peer, location, to) => {
    expect(redirectTarget(new URL(from), location, peer).href).toBe(to);
  });

  it.each<[string, string | undefined, 'platform' | 'hub', string, string]>([
    ['nowhere', undefined, 'hub', 'nowhere', 'which is not a URL'],
    ['to what is no URL', 'http://[', 'hub', 'http://[', 'which is not a URL'],
    ['to a file', 'file:///etc/passwd', 'hub', 'file:///etc/passwd', 'which is not an http(s) URL'],
    [
      'with a user name',
      'https://a@hub.example/',
      'hub',
      'https://hub.example/',
      'with a user name or password in the URL',
    ],
    [
      'with a password',
      'https://:b@hub.example/',
      'hub',
      'https://hub.example/',
      'with a user name or password in the URL',
    ],
    [
      'of a platform to elsewhere',
      'https://other.example/',
      'platform',
      'https://other.example/',
      'another address; platform requests are only sent to the configured address',
    ],
  ])('of a read %s is refused', (_, location, peer, shown, why) => {
    expect(saidBy(thrownBy(() => redirectTarget(FROM, location, peer)))).toEqual({
      code: 'REDIRECT_BAD',
      message: `https://hub.example redirects to ${shown}, ${why}`,
      target: { location: shown },
    });
  });

  it('of a read to another host without encryption is refused', () => {
    const away = thrownBy(() => redirectTarget(new URL('http://hub.example/'), 'http://other.example/', 'hub'));
    expect([away.code, away.message]).toEqual([
      'REDIRECT_BAD',
      'http://hub.example redirects to http://other.example/, another host without encryption',
    ]);
    const plain = 'http://hub.example/a';
    expect(saidBy(thrownBy(() => redirectTarget(FROM, plain, 'platform')))).toEqual({
      code: 'REDIRECT_INSECURE',
      message: `https://hub.example redirects to ${plain}, which is not encrypted`,
      target: { location: plain },
    });
  });

  it('shows no more than 300 characters of the place', () => {
    const long = `file:///${'x'.repeat(400)}`;
    expect(thrownBy(() => redirectTarget(FROM, long, 'hub')).details.target).toEqual({ location: long.slice(0, 300) });
    const { target } = redirectOfWrite('PUT', 'http://a/', 302, `http://b/${'x'.repeat(400)}`).details;
    expect(target?.['location']).toHaveLength(300);
  });

  it.each([
    [undefined, 'another place'],
    ['/b', 'http://cdap.example/b'],
    ['http://[', 'http://['],
    ['http://me:secret@cdap.example/b', 'http://cdap.example/b'],
  ])('of a write to %s is an error', (location, shown) => {
    const url = 'http://cdap.example/v3/a';
    expect(saidBy(redirectOfWrite('PUT', url, 307, location))).toEqual({
      code: 'REDIRECT_WRITE',
      message: `the server redirects ${url} to ${shown}, but a PUT is not redirected`,
      hints: ['use the new address as the base URL'],
      request: { method: 'PUT', url, status: 307 },
      target: { location: shown },
    });
  });
});
