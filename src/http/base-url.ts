import { CliError } from '../core/errors.js';

/** The address of a platform or hub, as requests are built from it. */
export interface BaseUrl {
  /** Without trailing slash, query, fragment and userinfo; the path is kept (docs/platform.md 0.1). */
  readonly base: string;
  /** Scheme, host and port: what a token is tied to. */
  readonly origin: string;
  /** Whether the host is this machine. */
  readonly loopback: boolean;
}

/**
 * Reads an address that a user gave; USAGE when it is none, or holds what does not belong into it. Never shows its
 * credentials.
 */
export function parseBaseUrl(text: string): BaseUrl {
  if (!/^https?:\/\//iu.test(text)) {
    const rest = text.replace(/^[a-z][a-z0-9+.-]*:\/*(?![0-9]+(?:\/|$))/iu, '').replace(/^.*@/u, '');
    throw new CliError('USAGE', `${JSON.stringify(withoutUserinfo(text))} is not an http(s) URL`, {
      hints: [`add the scheme, for example https://${rest === '' ? 'cdap.example.com:10443' : rest}`],
    });
  }
  const url = URL.canParse(text) && !/[\s\\\u0000-\u001f\u007f]/u.test(text) ? new URL(text) : undefined;
  if (url === undefined) throw new CliError('USAGE', `${JSON.stringify(withoutUserinfo(text))} is not a valid URL`);
  const clean = `${url.origin}${url.pathname.replace(/\/+$/u, '')}`;
  if (url.username !== '' || url.password !== '') {
    throw new CliError('USAGE', `the URL ${clean} has a user name or password`, {
      hints: ['use the URL without them; a token is set separately, and a hub needs none'],
    });
  }
  if (/[?#]/u.test(text)) {
    throw new CliError('USAGE', `the URL ${clean} has a query or fragment`, {
      hints: [`use ${clean}`],
    });
  }
  return { base: clean, origin: url.origin, loopback: isLoopback(url.hostname) };
}

/** Whether a host name of a URL means this machine for certain. */
export function isLoopback(hostname: string): boolean {
  return /^(?:(?:.+\.)?localhost\.?|127(?:\.[0-9]{1,3}){3}|\[::1\])$/iu.test(hostname);
}

/** An address for messages: its userinfo is left out, however badly the rest is written. */
export function withoutUserinfo(text: string): string {
  // A slash in a password that nobody encoded does not end it; a port before a path is no password.
  return text.replace(/^((?:[a-z][a-z0-9+.-]*:)?\/*)(?:[^/?#]*@|[^/?#@:]*:(?!\d{1,5}(?:[/?#]|$)).*@)/isu, '$1');
}
