import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { onlyToken } from '../../../src/http/kept-token.js';
import { proxyFrom } from '../../../src/http/proxy.js';
import { rawAnswer, type RawServer } from '../../support/raw-server.js';
import { failure, get, hub, platform, serve, testClock, textOf } from './support.js';

const file = (name: string): Buffer => readFileSync(resolve(import.meta.dirname, '../../fixtures/tls', name));
const tls = { key: file('good.key'), cert: file('good.pem') };
const ca = file('root.pem').toString();

/** A proxy that tunnels everything to one port, and answers plain requests itself. */
async function proxy(port: number, options: { tls?: typeof tls } = {}): Promise<RawServer> {
  return serve((socket, request) => {
    if (request.method !== 'CONNECT') return void socket.write(rawAnswer(200, 'by the proxy'));
    socket.removeAllListeners('data');
    const onward = connect(port, '127.0.0.1');
    onward.on('error', () => socket.destroy());
    socket.write('HTTP/1.1 200 Connected\r\n\r\n');
    socket.pipe(onward).pipe(socket);
  }, options);
}

describe('a proxy', () => {
  it('N44: is asked for a tunnel to an https host, and checked certificates are those of the host', async () => {
    const server = await serve(
      (socket) => {
        socket.write(rawAnswer(200, 'by the host'));
      },
      { tls },
    );
    const between = await proxy(server.port);
    const settings = proxyFrom({ HTTPS_PROXY: `http://us%40er:can%20ary@127.0.0.1:${between.port}` });
    expect(await textOf(hub(`https://localhost:${server.port}`, { ca, proxy: settings }))).toBe('by the host');
    expect(between.requests[0]).toMatchObject({
      method: 'CONNECT',
      target: `localhost:${server.port}`,
      headers: { 'proxy-authorization': `Basic ${Buffer.from('us@er:can ary').toString('base64')}` },
    });
    expect(JSON.stringify(server.requests)).not.toContain('proxy-authorization');
    await failure(textOf(hub(`https://127.0.0.2:${server.port}`, { ca, proxy: settings })), 'TLS');
  });

  it('N44: is given the whole address of an http host', async () => {
    const between = await proxy(1);
    const settings = proxyFrom({ http_proxy: `http://user:pw@127.0.0.1:${between.port}/` });
    const transport = platform('http://cdap.invalid:11015/api', { proxy: settings, token: onlyToken('tok') });
    expect(await textOf(transport)).toBe('by the proxy');
    expect(
      await textOf(transport, get({ method: 'POST', body: { kind: 'text', text: 'x', contentType: 'a/b' } })),
    ).toBe('by the proxy');
    expect(between.requests[0]).toMatchObject({
      target: 'http://cdap.invalid:11015/api/x',
      headers: { host: 'cdap.invalid:11015', authorization: 'Bearer tok', 'proxy-authorization': 'Basic dXNlcjpwdw==' },
    });
  });

  it('may itself be spoken to by TLS', async () => {
    const server = await serve(
      (socket) => {
        socket.write(rawAnswer(200, 'by the host'));
      },
      { tls },
    );
    const between = await proxy(server.port, { tls });
    expect(await textOf(hub(server.url, { ca, proxy: proxyFrom({}, between.url) }))).toBe('by the host');
  });

  it.each([
    ['refuses', 403, 'PROXY'],
    ['wants a login', 407, 'PROXY_AUTH'],
  ] as const)('N43: that %s says so, without its password', async (_, status, code) => {
    const between = await serve((socket) => {
      socket.write(rawAnswer(status, 'no'));
    });
    const settings = proxyFrom({}, `http://user:canary@127.0.0.1:${between.port}`);
    for (const url of ['https://host.invalid', ...(status === 407 ? ['http://host.invalid'] : [])]) {
      const error = await failure(hub(url, { proxy: settings }).send(get()), code);
      expect(error.message).toContain(`http://127.0.0.1:${between.port}`);
      expect(JSON.stringify([error.message, error.details, error.stack])).not.toContain('canary');
    }
    expect(between.requests.length).toBeLessThanOrEqual(2);
  });

  it.each(['http://127.0.0.1:1', 'http://no-such-proxy.invalid:3128'])(
    'that is not there (%s) is named, not the host',
    async (address) => {
      const error = await failure(
        hub('https://host.invalid', { proxy: proxyFrom({}, address), clock: testClock() }).send(get()),
        'PROXY',
      );
      expect(error.message).toContain(address);
    },
  );

  it('that breaks off or hangs is named', async () => {
    const breaking = await serve((socket) => void socket.destroy());
    await failure(hub('https://host.invalid', { proxy: proxyFrom({}, breaking.url) }).send(get()), 'PROXY');
    const silent = await serve(() => undefined);
    await failure(
      hub('https://host.invalid', { proxy: proxyFrom({}, silent.url), connectTimeout: 80 }).send(get()),
      'NET_TIMEOUT',
    );
  });
});

describe('proxyFrom', () => {
  const pick = (environment: Record<string, string>, url: string, explicit?: string): string | undefined =>
    proxyFrom(environment, explicit)(new URL(url))?.shown;

  it('takes the small spelling first, the setting of the scheme, then the one for all', () => {
    expect(pick({ https_proxy: 'http://a:1', HTTPS_PROXY: 'http://b:1' }, 'https://h')).toBe('http://a:1');
    expect(pick({ https_proxy: '', HTTPS_PROXY: 'http://b:1' }, 'https://h')).toBeUndefined();
    expect(pick({ HTTPS_PROXY: 'b:1' }, 'https://h')).toBe('http://b:1');
    expect(pick({ HTTPS_PROXY: 'http://b:1' }, 'http://h')).toBeUndefined();
    expect(pick({ ALL_PROXY: 'http://b:1' }, 'http://h')).toBe('http://b:1');
    expect(pick({ http_proxy: 'http://b:1' }, 'http://h', 'https://x:9')).toBe('https://x:9');
    expect(pick({}, 'http://h')).toBeUndefined();
  });

  it.each([
    ['host.example.com', 'http://host.example.com', true],
    ['HOST.example.com', 'http://host.EXAMPLE.com', true],
    ['example.com', 'http://host.example.com', true],
    ['.example.com', 'http://host.example.com', true],
    ['*.example.com', 'http://host.example.com', true],
    ['example.com', 'http://badexample.com', false],
    ['host', 'http://host.example.com', false],
    ['example.com:8080', 'http://host.example.com:8080', true],
    ['example.com:8080', 'http://host.example.com', false],
    ['example.com:443', 'https://example.com', true],
    ['example.com:80', 'https://example.com', false],
    ['*', 'http://anything', true],
    ['other, localhost', 'http://localhost:11015', true],
    ['other 127.0.0.1', 'http://127.0.0.1:11015', true],
    ['::1', 'http://[::1]:11015', true],
    ['[::1]:11015', 'http://[::1]:11015', true],
    ['[::1]:11016', 'http://[::1]:11015', false],
    ['', 'http://host', false],
    [',,', 'http://host', false],
  ])('NO_PROXY=%s and %s: left out is %s', (exceptions, url, isLeftOut) => {
    const environment = { http_proxy: 'http://p:1', https_proxy: 'http://p:1', NO_PROXY: exceptions };
    expect(pick(environment, url)).toBe(isLeftOut ? undefined : 'http://p:1');
    expect(pick({ no_proxy: exceptions }, url, 'http://q:1')).toBe(isLeftOut ? undefined : 'http://q:1');
  });

  it.each(['socks5://user:canary@host:1080', 'http://user:canary@ho st', 'http://'])(
    'refuses %s without showing its password',
    (address) => {
      let message = '';
      try {
        proxyFrom({}, address);
      } catch (error) {
        expect(error).toMatchObject({ code: 'USAGE' });
        message = String(error);
      }
      expect(message).toContain('is not an http(s) URL');
      expect(message).not.toContain('canary');
    },
  );
});
