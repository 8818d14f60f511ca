import { CliError } from './errors.js';

const ENCODED = /%[0-9a-f]{2}/giu;
/** What may stand in a path as it is and with a percent sign, and means the same both ways to servers. */
const PLAIN = /^[\w.~!$&'()*+,;=:@[\]^|-]$/u;

/** Normalises a base URL: lower-case host; no default port, user, query, fragment or trailing slash. */
export function baseAddress(base: string): string {
  if (!URL.canParse(base)) return base;
  const url = new URL(base);
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/u, '')}`;
}

/**
 * Normalises the address of a hub, so that another spelling of it does not lose its keys. Ignores needless percent
 * signs, dots and slashes, and the `/v2` that clients may leave out.
 */
export function hubAddress(base: string): string {
  if (!URL.canParse(base)) return base;
  const url = new URL(base);
  const path = url.pathname.replace(ENCODED, plainly).replace(/\/+/gu, '/').replace(/\/$/u, '').replace(/\/v2$/u, '');
  return `${url.protocol}//${url.host.replace(/\.(?=:|$)/u, '')}${path}`;
}

/** The one spelling of the address of a platform. Loopback is the same by name and by number. */
export const platformAddress = (url: string): string =>
  hubAddress(url).replace(/^(https?:\/\/)(?:localhost|\[::1\])(?=[:/]|$)/u, '$1127.0.0.1');

/** Whether two addresses are spelled alike, so that a token stored for one is for the other. */
export const isSameBase = (one: string, other: string): boolean => baseAddress(one) === baseAddress(other);

/** Whether two addresses are of one platform. */
export const isSameAddress = (one: string, other: string): boolean => platformAddress(one) === platformAddress(other);

function plainly(code: string): string {
  const character = String.fromCharCode(Number.parseInt(code.slice(1), 16));
  return PLAIN.test(character) ? character : code.toUpperCase();
}

/**
 * Refuses an http address that has no one spelling, so that it cannot be told which hub it is.
 * @throws USAGE
 */
export function refuseAddress(text: string): void {
  const fault = addressFault(text);
  if (fault !== undefined) throw new CliError('USAGE', `the address ${baseAddress(text)} ${fault}`);
}

/** What speaks against an http address; undefined for a plain one, and for another text. */
export function addressFault(text: string): string | undefined {
  if (!/^https?:/iu.test(text) || !URL.canParse(text)) return undefined;
  const { pathname } = new URL(text);
  if (/%(?![0-9a-f]{2})/iu.test(pathname)) return 'has an invalid percent encoding';
  if (/%(?:2f|5c)/iu.test(pathname)) return 'has an encoded slash';
  if (/%(?:[01][0-9a-f]|7f)/iu.test(pathname)) return 'has an encoded control character';
  try {
    decodeURIComponent(pathname);
    return undefined;
  } catch {
    return 'has encoded bytes that are not UTF-8';
  }
}
