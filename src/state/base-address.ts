import { createHash } from 'node:crypto';

/** A base URL in its one spelling: lower-case host, no default port, no user, query, fragment or slash at the end. */
export function baseAddress(base: string): string {
  if (!URL.canParse(base)) return base;
  const url = new URL(base);
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/u, '')}`;
}

/** The address of a hub in its one spelling: with and without the `/v2` that clients may leave out it is the same hub, so that no spelling loses its keys. */
export function hubAddress(base: string): string {
  return baseAddress(base).replace(/\/v2$/u, '');
}

/** The name of all that is kept for a hub (cli.md decision 16): SHA-256 of its normalised base URL, 64 hexadecimal digits. */
export function hubKey(base: string): string {
  return createHash('sha256').update(hubAddress(base)).digest('hex');
}
