import { CliError } from '../../core/errors.js';

const MOST_BYTES = 8000;
const LONGEST_LINE = 4095;

/**
 * The value of `Authorization` for a token.
 * @throws TOKEN_BAD, which does not quote it, for one that no header can carry
 */
export function bearer(token: string): string {
  if (/^[\x21-\x7e]+$/u.test(token)) return `Bearer ${token}`;
  const reason =
    token === '' ? 'is empty' : 'has blanks, line breaks or other characters that are not allowed in a header';
  throw new CliError('TOKEN_BAD', `the access token ${reason}`);
}

/** Refuses headers that cannot be sent: BAD_FIELD with the name, never the value. */
export function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    if (!/^[\w!#$%&'*+.^`|~-]+$/u.test(name) || !/^[\t\x20-\x7e]*$/u.test(value)) {
      throw new CliError(
        'BAD_FIELD',
        `the header ${JSON.stringify(name.slice(0, 80))} has characters that are not allowed in a header`,
      );
    }
  }
}

/**
 * Refuses requests that the router of the platform would silently cut (docs/platform.md 0.4). Limits are 8000 bytes of
 * header lines and 4095 of the request line.
 * @throws BAD_FIELD when one is exceeded
 */
export function checkRouterLimits(line: string, headers: Readonly<Record<string, string>>): void {
  if (line.length > LONGEST_LINE) {
    throw new CliError(
      'BAD_FIELD',
      `the request URL has ${line.length} bytes, but the platform accepts at most ${LONGEST_LINE}`,
    );
  }
  const lines = Object.entries(headers).map(([name, value]) => ({ name, bytes: name.length + 2 + value.length }));
  const total = lines.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= MOST_BYTES) return;
  const [longest] = lines.sort((a, b) => b.bytes - a.bytes);
  throw new CliError(
    'BAD_FIELD',
    `the request headers have ${total} bytes, but the platform silently drops more than ${MOST_BYTES}; the longest is ${longest?.name ?? 'none'}`,
  );
}
