import { CliError } from '../../core/errors.js';
import { withoutSecrets } from '../../core/secrets/hide-error.js';
import { answerBody } from './answer-body.js';
import { backOff, pause, repeat, type RepeatOptions } from '../repeat.js';
import { parseBaseUrl } from '../base-url.js';
import { connector, type Connect } from './connect.js';
import type { WireAnswer } from '../exchange.js';
import { withToken, type TokenSource } from '../kept-token.js';
import { network, type Network } from './network.js';
import { isRedirect, redirectOfWrite, redirectTarget } from '../redirects.js';
import { resumedBody } from '../resume.js';
import { shownHeaders } from '../trace.js';
import { shownUrl } from '../../core/secrets/words.js';
import { isHome, wireRequest, type Sender } from './wire-request.js';
import type { HttpAnswer, HttpRequest, Peer, TlsFacts, Transport, TransportOptions } from '../transport.js';

const MOST_REDIRECTS = 5;
const DRAINED = 65_536;
/** Milliseconds to find out whether a server speaks https. */
const TLS_PATIENCE = 2000;

/**
 * Options of the transport to a platform. `token` is asked before each request; the token goes only to the origin of
 * `base`.
 */
export interface PlatformTransportOptions extends TransportOptions {
  readonly token?: TokenSource | undefined;
}

/** A hub never sees a token. */
export interface HubTransportOptions extends TransportOptions {
  readonly token?: never;
}

/**
 * The way to a platform. Nothing is loaded or opened before the first request.
 * @throws USAGE when the address is none
 */
export function platformTransport(options: PlatformTransportOptions): Transport<'platform'> {
  return transport('platform', options, options.token);
}

/** The way to a hub; see `platformTransport`. */
export function hubTransport(options: HubTransportOptions): Transport<'hub'> {
  return transport('hub', options, undefined);
}

interface Context extends Sender {
  readonly network: Network;
  readonly connect: Connect;
  readonly repeat: RepeatOptions;
}

function transport<P extends Peer>(peer: P, options: TransportOptions, token: Sender['token']): Transport<P> {
  const { base } = parseBaseUrl(options.base);
  const closing = new AbortController();
  let tls: TlsFacts | undefined;
  const connect = connector({
    timeout: options.connectTimeout ?? 10_000,
    ca: options.ca,
    insecure: options.insecure ?? false,
    proxy: options.proxy,
    now: () => options.clock.now(),
    signal: closing.signal,
    encrypted: (facts) => (tls = facts),
  });
  const context: Context = {
    peer,
    base,
    options,
    token,
    connect,
    network: network({
      connect,
      connections: options.connections ?? 8,
      continueTimeout: options.continueTimeout ?? 1000,
    }),
    repeat: { ...options, tries: options.retries ?? 4, maxRetryAfter: options.maxRetryAfter ?? 60_000 },
  };
  return {
    peer,
    base,
    send: (request) => send(context, request),
    get tls() {
      return tls;
    },
    async close() {
      closing.abort(new Error('closed'));
      await context.network.close();
    },
  };
}

async function send(context: Context, request: HttpRequest): Promise<HttpAnswer> {
  try {
    return await answerTo(context, request);
  } catch (error) {
    throw withoutSecrets(error, context.options.hide);
  }
}

async function answerTo(context: Context, request: HttpRequest): Promise<HttpAnswer> {
  request.signal.throwIfAborted();
  const query = (request.query ?? []).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`,
  );
  let url = new URL(`${context.base}${request.path}${query.length === 0 ? '' : `?${query.join('&')}`}`);
  if (request.method !== 'GET') return sendThere(context, request, url);
  for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
    const at = url;
    const ask = (attempt: number): Promise<HttpAnswer> => exchangeOnce(context, request, at, attempt);
    const answer = await repeat(context.repeat, request, at, ask).catch(async (error: unknown) => {
      throw await explainSilence(error, at, context.connect);
    });
    if (!isRedirect(answer.status)) return answer;
    url = redirectTarget(at, answer.headers['location'], context.peer, context.options.hide);
    await answer.discard();
  }
  const message = `${context.base}${request.path} was redirected more than ${MOST_REDIRECTS} times`;
  throw new CliError('REDIRECT_LOOP', message, { request: { method: request.method, url: url.href } });
}

/**
 * Sends a request with a body, only to its own address. Sends it once, or retries it like a read if it only asks.
 * @throws REDIRECT_WRITE when the server redirects it
 */
async function sendThere(context: Context, request: HttpRequest, url: URL): Promise<HttpAnswer> {
  const ask = (attempt: number): Promise<HttpAnswer> => exchangeOnce(context, request, url, attempt);
  const answer = request.asks === true ? await repeat(context.repeat, request, url, ask) : await ask(1);
  if (answer.status < 300 || answer.status > 399) return answer;
  await answer.discard();
  throw redirectOfWrite(request.method, url.href, answer.status, answer.headers['location'], context.options.hide);
}

async function exchangeOnce(context: Context, request: HttpRequest, url: URL, attempt: number): Promise<HttpAnswer> {
  const first = await exchangeWire(context, request, url, attempt);
  if (request.method !== 'GET') return httpAnswer(context, first, first.body, request, url, attempt);
  const rest = resumedBody(first, context.repeat.tries - attempt, async (headers, further, reason) => {
    await pause(context.repeat, request, url, {
      attempt: attempt + further,
      wait: backOff(further, context.options.random),
      reason,
    });
    return exchangeWire(context, { ...request, headers: { ...request.headers, ...headers } }, url, attempt + further);
  });
  return httpAnswer(context, first, rest, request, url, attempt);
}

function exchangeWire(context: Context, request: HttpRequest, url: URL, attempt: number): Promise<WireAnswer> {
  const tokens = isHome(context, url) ? context.token : undefined;
  return withToken(tokens, (token) => exchangeWith(context, request, url, attempt, token));
}

async function exchangeWith(
  context: Context,
  request: HttpRequest,
  url: URL,
  attempt: number,
  token: string | undefined,
): Promise<WireAnswer> {
  const { wire, proxy } = wireRequest(context, request, url, token);
  const { trace, clock } = context.options;
  const started = clock.monotonic();
  const about = { method: request.method, url: url.href };
  trace?.({ ...about, type: 'request', attempt, headers: shownHeaders(wire.headers) });
  const answer = await context.network.send(wire, request.body).catch((error: unknown) => {
    trace?.({ ...about, type: 'failure', milliseconds: clock.monotonic() - started, reason: reasonOf(error) });
    throw error;
  });
  const { status, headers } = answer;
  trace?.({
    ...about,
    type: 'answer',
    status,
    milliseconds: clock.monotonic() - started,
    headers: shownHeaders(headers),
  });
  if (answer.status === 407 && proxy !== undefined) {
    answer.body.cancel();
    const { proxyRefusal } = await import('../proxy-tunnel.js');
    throw proxyRefusal(answer.status, proxy, url.host);
  }
  return answer;
}

function reasonOf(error: unknown): string {
  return error instanceof CliError ? error.code : 'ended';
}

function httpAnswer(
  { options }: Context,
  answer: WireAnswer,
  bytes: AsyncIterable<Uint8Array>,
  request: HttpRequest,
  url: URL,
  attempts: number,
): HttpAnswer {
  const facts = { method: request.method, url: shownUrl(url, options.hide), status: answer.status, attempts };
  const body = answerBody(answer, bytes, request.maxBytes, { facts, sent: true }, options.hide);
  return {
    ...facts,
    headers: answer.headers,
    hide: options.hide,
    body,
    async discard() {
      await body.return();
      await drain(answer);
    },
  };
}

/** Reads what is left of a short answer, so that its connection can be used again; cuts off a long one. */
async function drain(answer: WireAnswer): Promise<void> {
  if (answer.body.ended || !(Number(answer.headers['content-length'] ?? DRAINED + 1) <= DRAINED)) {
    answer.body.cancel();
    return;
  }
  try {
    for await (const piece of answer.body) if (piece.length > DRAINED) break;
  } catch {
    // Nobody wants these bytes, so nobody minds that they did not come.
  }
}

/**
 * Explains a connection reset over plain http if the server turns out to speak https. For reads without any answer:
 * many https servers just close the connection (docs/faults.md N16). Any other error is returned as it is.
 */
async function explainSilence(error: unknown, url: URL, connect: Connect): Promise<unknown> {
  if (!(error instanceof CliError) || error.code !== 'NET_RESET' || url.protocol !== 'http:') return error;
  const secure = new URL(`https://${url.hostname}:${url.port === '' ? '80' : url.port}`);
  if (!(await speaksTls(secure, connect))) return error;
  return new CliError('NET_PROTO', `${url.origin} requires https`, {
    ...error.details,
    hints: [`use https://${url.host}`],
  });
}

async function speaksTls(url: URL, connect: Connect): Promise<boolean> {
  try {
    (await connect(url, TLS_PATIENCE)).destroy();
    return true;
  } catch (error) {
    return error instanceof CliError && error.code === 'TLS';
  }
}
