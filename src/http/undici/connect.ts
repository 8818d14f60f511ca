import { connect as connectTcp, isIP, type Socket } from 'node:net';
import {
  connect as connectTls,
  createSecureContext,
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import { CliError } from '../../core/errors.js';
import { joinSignals } from '../../core/join-signals.js';
import { abortReason } from '../exchange-errors.js';
import { connectError } from '../connect-errors.js';
import type { Proxy, ProxySettings } from '../proxy.js';
import { trustedRoots } from '../tls.js';
import type { TlsFacts } from '../transport.js';

/** How connections are made. */
export interface ConnectOptions {
  /** Milliseconds for TCP, proxy and TLS together. */
  readonly timeout: number;
  /** Certificates (PEM) that are trusted besides the usual ones. */
  readonly ca: string | undefined;
  readonly insecure: boolean;
  readonly proxy: ProxySettings | undefined;
  /** Now, in milliseconds since the epoch: an expired certificate is reported beside it. */
  readonly now: () => number;
  /** Aborted when the transport is closed. */
  readonly signal: AbortSignal;
  /** Told of each encrypted connection that is made. */
  readonly encrypted?: ((facts: TlsFacts) => void) | undefined;
}

/** Opens a connection to the host of a URL, through a proxy where one applies; errors are CliError. */
export type Connect = (url: URL, timeout?: number) => Promise<Socket>;

/**
 * A maker of connections. Certificates are checked (docs/faults.md T20) unless it was told to be insecure, and never
 * because of the environment.
 */
export function connector(options: ConnectOptions): Connect {
  let context: SecureContext | undefined;
  const secure = (socket: Socket, url: URL, signal: AbortSignal): Promise<Socket> => {
    context ??= createSecureContext({
      minVersion: 'TLSv1.2',
      ...(options.ca === undefined ? {} : { ca: trustedRoots(options.ca) }),
    });
    return openTls(socket, url, { context, options, signal });
  };
  const open = async (url: URL, signal: AbortSignal): Promise<Socket> => {
    const socket = await openTcp(url, options, signal);
    return url.protocol === 'https:' ? secure(socket, url, signal) : socket;
  };
  return async (url, most = options.timeout) => {
    const timeout = Math.min(most, options.timeout);
    const { signal, abort, release } = joinSignals(options.signal);
    const timer = setTimeout(abort, timeout, new Error('too late'));
    try {
      const proxy = options.proxy?.(url);
      if (proxy === undefined) return await open(url, signal);
      const socket = await openProxy(proxy, url, open, signal);
      if (url.protocol === 'http:') return socket;
      const { tunnel } = await import('../proxy-tunnel.js');
      return await secure(await tunnel(socket, url, proxy, signal), url, signal);
    } catch (error) {
      if (signal.aborted && !options.signal.aborted && !(error instanceof CliError)) {
        throw new CliError('NET_TIMEOUT', `no connection to ${url.host} within ${timeout / 1000} s`, {
          cause: error,
        });
      }
      throw connectError(error, url, options.now());
    } finally {
      clearTimeout(timer);
      release();
    }
  };
}

async function openProxy(
  proxy: Proxy,
  { hostname }: URL,
  open: (url: URL, signal: AbortSignal) => Promise<Socket>,
  signal: AbortSignal,
): Promise<Socket> {
  try {
    return await open(proxy.url, signal);
  } catch (error) {
    if (signal.aborted && !(error instanceof CliError)) throw error;
    const reason = connectError(error, proxy.url, 0);
    throw new CliError('PROXY', `cannot use the proxy ${proxy.shown} (${proxy.from}): ${reason.message}`, {
      cause: error,
      hints: [
        ...(reason.details.hints ?? []),
        `is the proxy running, and is ${proxy.shown} (${proxy.from}) its address?`,
        `to connect without it: export NO_PROXY=${hostname}`,
      ],
    });
  }
}

function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/gu, '');
}

function openTcp(url: URL, options: ConnectOptions, signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
    // Explicit, because NODE_OPTIONS can switch it off: a dead IPv6 address must not hide a live IPv4 one (docs/faults.md N45).
    const socket = connectTcp({ host: hostOf(url), port, autoSelectFamily: true, noDelay: true, keepAlive: true });
    settle(socket, 'connect', signal, resolve, (error) => {
      reject(signal.aborted ? abortReason(signal) : connectError(error, url, options.now()));
    });
  });
}

interface Secure {
  readonly context: SecureContext;
  readonly options: ConnectOptions;
  readonly signal: AbortSignal;
}

function openTls(socket: Socket, url: URL, { context, options, signal }: Secure): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const host = hostOf(url);
    const tls = connectTls({
      socket,
      host,
      ...(isIP(host) === 0 ? { servername: host } : {}),
      secureContext: context,
      rejectUnauthorized: !options.insecure,
      ALPNProtocols: ['http/1.1'],
    });
    let certificate: PeerCertificate | undefined;
    // The socket forgets the certificate before it reports the error that is about it.
    tls.prependListener('secure', () => (certificate = certificateOf(tls)));
    const ready = (): void => {
      options.encrypted?.(factsOf(tls, certificate));
      resolve(tls);
    };
    settle(tls, 'secureConnect', signal, ready, (error) => {
      reject(signal.aborted ? abortReason(signal) : connectError(error, url, options.now(), certificate));
    });
  });
}

function certificateOf(tls: TLSSocket): PeerCertificate | undefined {
  const certificate = tls.getPeerCertificate();
  return Object.keys(certificate).length === 0 ? undefined : certificate;
}

function factsOf(tls: TLSSocket, certificate: PeerCertificate | undefined): TlsFacts {
  const { O: organization, CN: name } = certificate?.issuer ?? {};
  const [issuer] = [name ?? organization].flat();
  return { protocol: tls.getProtocol() ?? 'TLS', validTo: Date.parse(certificate?.valid_to ?? ''), issuer };
}

/**
 * Waits for the one event that means success, else destroys the socket and tells why. An abort rejects with the
 * signal's reason.
 */
function settle<S extends Socket>(
  socket: S,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
  resolve: (socket: S) => void,
  reject: (error: unknown) => void,
): void {
  const abort = (): void => {
    finish();
    socket.on('error', () => undefined).destroy();
    reject(abortReason(signal));
  };
  const fail = (error: Error): void => {
    finish();
    reject(error);
  };
  const closed = (): void => {
    fail(new Error('closed'));
  };
  const ready = (): void => {
    finish();
    resolve(socket);
  };
  const finish = (): void => {
    signal.removeEventListener('abort', abort);
    socket.off('error', fail).off('close', closed).off(event, ready);
    socket.on('error', () => undefined);
  };
  socket.once('error', fail).once('close', closed).once(event, ready);
  if (signal.aborted) abort();
  else signal.addEventListener('abort', abort);
}
