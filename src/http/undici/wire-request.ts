import type { WireRequest } from '../exchange.js';
import type { TokenSource } from '../kept-token.js';
import type { Proxy } from '../proxy.js';
import { bearer, checkHeaders, checkRouterLimits } from './request-headers.js';
import type { HttpRequest, Peer, TransportOptions } from '../transport.js';

/** Headers that go along when a hub sends a read to another host. Nothing else does (docs/faults.md T19). */
const HARMLESS = ['accept', 'accept-encoding', 'if-none-match', 'if-range', 'range', 'user-agent'];

/** What a hub never gets, whoever gives it. */
const CREDENTIALS = ['authorization', 'cookie', 'proxy-authorization'];

/** Who sends, and as whom. */
export interface Sender {
  readonly peer: Peer;
  readonly base: string;
  readonly options: TransportOptions;
  readonly token: TokenSource | undefined;
}

/** Whether an address is that of the peer itself, which alone gets the token. */
export const isHome = ({ base }: Sender, url: URL): boolean => url.origin === new URL(base).origin;

/**
 * A request as it goes on the wire to an address, and the proxy that sees it in plain. Checked, with the token if there
 * is one.
 */
export function wireRequest(
  sender: Sender,
  request: HttpRequest,
  url: URL,
  token: string | undefined,
): { readonly wire: WireRequest; readonly proxy: Proxy | undefined } {
  const { options, peer } = sender;
  const headers = headersOf(request, options.userAgent, isHome(sender, url) ? peer : 'stranger');
  checkHeaders(headers);
  if (token !== undefined) headers['authorization'] = bearer(token);
  const line = `${url.pathname}${url.search}`;
  if (peer === 'platform') {
    checkRouterLimits(`${request.method} ${line} HTTP/1.1`, { host: url.host, connection: 'keep-alive', ...headers });
  }
  const proxy = url.protocol === 'http:' ? options.proxy?.(url) : undefined;
  if (proxy?.authorization !== undefined) headers['proxy-authorization'] = proxy.authorization;
  const wire: WireRequest = {
    method: request.method,
    url,
    line: proxy === undefined ? line : url.href,
    headers: { host: url.host, ...headers },
    headersTimeout: options.headersTimeout ?? request.headersTimeout ?? 30_000,
    idleTimeout: options.idleTimeout ?? 30_000,
    maxBytes: request.maxBytes,
    clock: options.clock,
    signal: request.signal,
  };
  return { wire, proxy };
}

function headersOf(request: HttpRequest, userAgent: string, to: Peer | 'stranger'): Record<string, string> {
  const given = Object.entries(request.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  const headers: Record<string, string> = {
    'accept-encoding': 'identity',
    'user-agent': userAgent,
    ...Object.fromEntries(given),
  };
  if (request.body !== undefined) headers['content-type'] ??= request.body.contentType;
  if (request.body?.kind === 'file') headers['content-length'] = String(request.body.bytes);
  if (to === 'platform') return headers;
  const may = to === 'hub' ? (name: string) => !CREDENTIALS.includes(name) : (name: string) => HARMLESS.includes(name);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => may(name)));
}
