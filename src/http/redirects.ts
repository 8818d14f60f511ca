import { CliError } from '../core/errors.js';
import type { Hide } from '../core/secrets/hide-error.js';
import { withoutUserinfo } from './base-url.js';
import type { Peer } from './transport.js';
import { wordsOf } from '../core/secrets/words.js';

/** Characters of an address that a message has at most. */
const MOST_SHOWN = 300;
const FOLLOWED: readonly number[] = [301, 302, 303, 307, 308];

/** Whether an answer to a read says that it is found elsewhere. */
export function isRedirect(status: number): boolean {
  return FOLLOWED.includes(status);
}

/**
 * The address a redirected read goes on to.
 * @throws REDIRECT_BAD or REDIRECT_INSECURE where it may not go (docs/faults.md N22 to N25)
 */
export function redirectTarget(from: URL, location: string | undefined, peer: Peer, hide?: Hide): URL {
  const shown = location === undefined ? 'nowhere' : wordsOf(withoutUserinfo(location), MOST_SHOWN, hide);
  const bad = (why: string): CliError =>
    new CliError('REDIRECT_BAD', `${from.origin} redirects to ${shown}, ${why}`, { target: { location: shown } });
  if (location === undefined || !URL.canParse(location, from)) throw bad('which is not a URL');
  const to = new URL(location, from);
  if (to.protocol !== 'http:' && to.protocol !== 'https:') throw bad('which is not an http(s) URL');
  if (to.username !== '' || to.password !== '') throw bad('with a user name or password in the URL');
  to.hash = '';
  if (to.origin === from.origin) return to;
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw new CliError('REDIRECT_INSECURE', `${from.origin} redirects to ${shown}, which is not encrypted`, {
      target: { location: shown },
    });
  }
  if (peer === 'platform') throw bad('another address; platform requests are only sent to the configured address');
  if (to.protocol !== 'https:') throw bad('another host without encryption');
  return to;
}

/**
 * The error for any redirect of a write (docs/faults.md N26). A write that follows a redirect would become a read or be
 * sent twice.
 */
export function redirectOfWrite(
  method: string,
  url: string,
  status: number,
  location: string | undefined,
  hide?: Hide,
): CliError {
  const to = location !== undefined && URL.canParse(location, url) ? new URL(location, url).href : location;
  const shown = to === undefined ? 'another place' : wordsOf(withoutUserinfo(to), MOST_SHOWN, hide);
  return new CliError('REDIRECT_WRITE', `the server redirects ${url} to ${shown}, but a ${method} is not redirected`, {
    hints: ['use the new address as the base URL'],
    request: { method, url, status },
    target: { location: shown },
  });
}
