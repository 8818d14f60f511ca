import { describe, expect, it } from 'vitest';
import { bearer, checkHeaders, checkRouterLimits } from '../../../src/http/undici/request-headers.js';
import { refusalOf, saidBy, thrownBy } from '../../support/errors.js';

describe('the headers of a request', () => {
  it.each([
    ['', 'is empty'],
    ['a b', 'has blanks, line breaks or other characters that are not allowed in a header'],
    ['ä', 'has blanks, line breaks or other characters that are not allowed in a header'],
    ['a\n', 'has blanks, line breaks or other characters that are not allowed in a header'],
  ])('cannot carry the token %j', (token, reason) => {
    expect(saidBy(thrownBy(() => bearer(token)))).toEqual({ code: 'TOKEN_BAD', message: `the access token ${reason}` });
  });

  it('carry a token of any printable characters', () => {
    expect(bearer('!~a=')).toBe('Bearer !~a=');
  });

  it.each([
    [{ 'x y': '1' }, 'x y'],
    [{ '': '1' }, ''],
    [{ ok: '1', bad: 'a\nb' }, 'bad'],
    [{ bad: 'ä' }, 'bad'],
    [{ [`${'x'.repeat(90)} `]: '' }, 'x'.repeat(80)],
  ])('cannot be %j', (headers, name) => {
    const check = (): void => {
      checkHeaders(headers);
    };
    expect(saidBy(thrownBy(check))).toEqual({
      code: 'BAD_FIELD',
      message: `the header ${JSON.stringify(name)} has characters that are not allowed in a header`,
    });
  });

  it('may be tabs and all printable characters, and no others', () => {
    const name = "!#$%&'*+.^`|~-_a1";
    const check = (value: string) => (): void => {
      checkHeaders({ [name]: value });
    };
    const refused = `the header ${JSON.stringify(name)} has characters that are not allowed in a header`;
    const values = ['\t ~', '', '\u0008', '\u001f', '\u007f'];
    expect(values.map((value) => refusalOf(check(value)))).toEqual([undefined, undefined, refused, refused, refused]);
  });

  it('have the limits of the router', () => {
    const check =
      (line: number, ...values: readonly number[]): (() => void) =>
      () => {
        checkRouterLimits(
          'x'.repeat(line),
          Object.fromEntries(values.map((length, at) => [`h${at}`, 'x'.repeat(length)])),
        );
      };
    expect(refusalOf(check(4095, 3996, 3996))).toBeUndefined();
    expect(thrownBy(check(4096)).message).toBe('the request URL has 4096 bytes, but the platform accepts at most 4095');
    expect(saidBy(thrownBy(check(1, 3996, 3997)))).toEqual({
      code: 'BAD_FIELD',
      message: 'the request headers have 8001 bytes, but the platform silently drops more than 8000; the longest is h1',
    });
  });
});
