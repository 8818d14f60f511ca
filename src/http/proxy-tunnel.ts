import { request } from 'node:http';
import type { Socket } from 'node:net';
import { CliError } from '../core/errors.js';
import { abortReason } from './exchange-errors.js';
import type { Proxy } from './proxy.js';

/**
 * Asks a proxy for a tunnel to the host of a URL.
 * @throws PROXY when it refuses, PROXY_AUTH when it wants a login (docs/faults.md N43)
 */
export function tunnel(socket: Socket, url: URL, proxy: Proxy, signal: AbortSignal): Promise<Socket> {
  const authority = `${url.hostname}:${url.port === '' ? '443' : url.port}`;
  return new Promise((resolve, reject) => {
    const fail = (cause?: unknown): void => {
      socket.destroy();
      reject(
        signal.aborted
          ? abortReason(signal)
          : new CliError('PROXY', `the proxy ${proxy.shown} closed the connection to ${authority}`, { cause }),
      );
    };
    const connect = request({
      method: 'CONNECT',
      path: authority,
      headers: {
        host: authority,
        ...(proxy.authorization === undefined ? {} : { 'proxy-authorization': proxy.authorization }),
      },
      createConnection: () => socket,
      signal,
    });
    connect.once('connect', (answer, _, head) => {
      if (answer.statusCode === 200 && head.length === 0) {
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(proxyRefusal(answer.statusCode ?? 0, proxy, authority));
    });
    connect.once('error', fail).end();
  });
}

/** The error for a proxy that does not let a request through. */
export function proxyRefusal(status: number, proxy: Proxy, authority: string): CliError {
  if (status !== 407)
    return new CliError('PROXY', `the proxy ${proxy.shown} refused to connect to ${authority} (status ${status})`);
  const how =
    proxy.authorization === undefined ? 'requires a user name and a password' : 'rejected the user name and password';
  return new CliError('PROXY_AUTH', `the proxy ${proxy.shown} ${how}`, {
    hints: ['set them in the proxy URL: http://user:password@host:port'],
  });
}
