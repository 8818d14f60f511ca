import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/core/errors.js';
import { baseAddress, hubAddress, refuseAddress } from '../../../src/core/hub-address.js';
import { refusalOf } from '../../support/errors.js';

describe('the address of a hub', () => {
  it.each([
    'https://hub.example.com',
    'https://hub.example.com/v2',
    'https://hub.example.com/v2/',
    'https://HUB.example.com:443/v2//',
    'https://hub.example.com./v2',
    'https://hub.example.com//v2',
    'https://hub.example.com/%76%32',
    'https://hub.example.com/v%32/',
    'https://hub.example.com/x/../%76%32',
    'https://hub.example.com/x/%2e%2E/v2',
    'https://hub.example.com/./v2/.',
  ])('is the same for %s', (text) => {
    expect(hubAddress(text)).toBe('https://hub.example.com');
    const refusals = [text, `${new URL(text).origin}/%2f`].map((one) =>
      refusalOf(() => {
        refuseAddress(one);
      }),
    );
    expect(refusals).toEqual([undefined, expect.stringContaining('has an encoded slash')]);
  });

  it.each([
    ['http://h/%7Eme/a%3ab', 'http://h/~me/a:b'],
    ['http://h/caf%c3%a9', 'http://h/caf%C3%A9'],
    ['http://h/café', 'http://h/caf%C3%A9'],
    ['http://h/a%20b', 'http://h/a%20b'],
    ['http://h/%2576%2532', 'http://h/%2576%2532'],
    ['http://h/V2', 'http://h/V2'],
    ['http://h:8080./v2', 'http://h:8080./v2'],
    ['http://h/v2/v2', 'http://h/v2'],
    ['file:///srv/my%20hub/%7ex', 'file:///srv/my%20hub/~x'],
    ['./hub', './hub'],
  ])('of %s is %s', (text, expected) => {
    expect(hubAddress(text)).toBe(expected);
  });

  it.each([
    ['http://h/v2%', 'http://h/v2%', 'has an invalid percent encoding'],
    ['http://me:pw@h/%zz', 'http://h/%zz', 'has an invalid percent encoding'],
    ['http://h/a%2Fv2', 'http://h/a%2Fv2', 'has an encoded slash'],
    ['http://h/a%5cv2', 'http://h/a%5cv2', 'has an encoded slash'],
    ['http://h/v2%00', 'http://h/v2%00', 'has an encoded control character'],
    ['http://h/v2%0a', 'http://h/v2%0a', 'has an encoded control character'],
    ['http://h/%ff', 'http://h/%ff', 'has encoded bytes that are not UTF-8'],
    ['http://h/%c0%af', 'http://h/%c0%af', 'has encoded bytes that are not UTF-8'],
  ])('is refused where it has no one spelling: %s', (text, shown, why) => {
    expect(() => {
      refuseAddress(text);
    }).toThrow(new CliError('USAGE', `the address ${shown} ${why}`));
  });

  it('of a folder is never refused', () => {
    const refusals = ['file:///srv/new%0Aline', 'https://srv/new%0Aline'].map((text) =>
      refusalOf(() => {
        refuseAddress(text);
      }),
    );
    expect(refusals).toEqual([undefined, expect.stringContaining('has an encoded control character')]);
    expect(baseAddress('file:///srv/new%0Aline/')).toBe('file:///srv/new%0Aline');
  });
});
