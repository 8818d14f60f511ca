import { CliError } from '../core/errors.js';
import { withoutUserinfo } from './base-url.js';

/** One proxy, as a connection needs it. */
export interface Proxy {
  readonly url: URL;
  /** Value of `Proxy-Authorization`. */
  readonly authorization: string | undefined;
  /** The address for messages, without credentials. */
  readonly shown: string;
  /** Where the address comes from: a variable, a flag or a context. */
  readonly from: string;
}

/** Which proxy, if any, stands before an address. */
export type ProxySettings = (url: URL) => Proxy | undefined;

/**
 * Reads proxy settings from the environment, or uses one given proxy. Variables are `https_proxy`, `http_proxy`,
 * `all_proxy` and `no_proxy`, lower case first. NO_PROXY also applies to a given proxy.
 * @throws USAGE when an address is not valid
 */
export function proxyFrom(
  environment: Readonly<Record<string, string | undefined>>,
  explicit?: string,
  from = 'the proxy',
): ProxySettings {
  const variable = (name: string): string => (environment[name] === undefined ? name.toUpperCase() : name);
  const read = (name: string): string => (environment[variable(name)] ?? '').trim();
  const exceptions = read('no_proxy')
    .split(/[\s,]+/u)
    .filter((entry) => entry !== '')
    .map(exception);
  const one = explicit === undefined ? undefined : parseProxy(explicit, from);
  return (url) => {
    if (exceptions.some((matches) => matches(url))) return undefined;
    if (one !== undefined) return one;
    const name = url.protocol === 'https:' ? 'https_proxy' : 'http_proxy';
    const found = read(name) === '' ? 'all_proxy' : name;
    return read(found) === '' ? undefined : parseProxy(read(found), variable(found));
  };
}

function parseProxy(text: string, name: string): Proxy {
  const full = /^[a-z][a-z0-9+.-]*:\/\//iu.test(text) ? text : `http://${text}`;
  if (!/^https?:\/\//iu.test(full) || !URL.canParse(full)) {
    throw new CliError('USAGE', `${name} ${JSON.stringify(withoutUserinfo(text))} is not an http(s) URL`, {
      hints: ['use http://host:port or http://user:password@host:port'],
    });
  }
  const { origin, username, password } = new URL(full);
  const credentials = Buffer.from(`${decodeText(username)}:${decodeText(password)}`).toString('base64');
  return {
    url: new URL(origin),
    shown: origin,
    from: name,
    authorization: username === '' && password === '' ? undefined : `Basic ${credentials}`,
  };
}

function decodeText(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/**
 * Matches URLs against one entry of NO_PROXY. An entry is `*`, a host, a suffix with or without `.` or `*.` before it,
 * or an IPv6 address in brackets or plain. Each may have a port.
 */
function exception(entry: string): (url: URL) => boolean {
  const [, bracketed, host = '', port] =
    /^(?:\[([0-9a-f:.]+)\]|([^:]*|[0-9a-f:.]*:[0-9a-f:.]*:[0-9a-f:.]*))(?::([0-9]+))?$/iu.exec(entry) ?? [];
  const name = (bracketed ?? host)
    .toLowerCase()
    .replace(/^\*?\./u, '')
    .replace(/\.$/u, '');
  if (name === '') return () => false;
  return (url) => {
    const given = url.hostname
      .toLowerCase()
      .replace(/^\[|\]$/gu, '')
      .replace(/\.$/u, '');
    const defaultPort = url.protocol === 'https:' ? '443' : '80';
    if (port !== undefined && port !== (url.port === '' ? defaultPort : url.port)) return false;
    return name === '*' || given === name || given.endsWith(`.${name}`);
  };
}
