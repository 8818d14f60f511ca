import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { rootCertificates, type TLSSocket, type TlsOptions } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { readCertificates, trustedRoots } from '../../../src/http/tls.js';
import { rawAnswer, type RawServer } from '../../support/raw-server.js';
import { hintsOf } from '../../support/errors.js';
import { failure, get, hub, platform, serve, testClock, textOf } from './support.js';

const file = (name: string): Buffer => readFileSync(resolve(import.meta.dirname, '../../fixtures/tls', name));
const ca = file('root.pem').toString();

async function secure(name: string, options: TlsOptions = {}): Promise<RawServer> {
  const tls = { key: file(`${name}.key`), cert: file(`${name}.pem`), ...options };
  return serve(
    (socket) => {
      socket.write(rawAnswer(200, 'secret'));
    },
    { tls },
  );
}

const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
afterEach(() => {
  if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
});

describe('a connection over TLS', () => {
  it('is made to a server whose authority was given, by address and by name', async () => {
    const server = await secure('good');
    expect(await textOf(hub(server.url, { ca }))).toBe('secret');
    expect(await textOf(hub(`https://localhost:${server.port}`, { ca }))).toBe('secret');
  });

  it('speaks HTTP/1.1 to a server that also knows newer versions, and tells of its encryption', async () => {
    const tls = { key: file('good.key'), cert: file('good.pem'), ALPNProtocols: ['h2', 'http/1.1'] };
    const server = await serve(
      (socket) => void socket.write(rawAnswer(200, String((socket as TLSSocket).alpnProtocol))),
      {
        tls,
      },
    );
    const transport = platform(server.url, { ca });
    expect(transport.tls).toBeUndefined();
    expect(await textOf(transport)).toBe('http/1.1');
    expect(transport.tls).toEqual({
      protocol: 'TLSv1.3',
      validTo: Date.parse(new X509Certificate(file('good.pem')).validTo),
      issuer: 'Test Authority',
    });
  });

  it('is reused', async () => {
    const server = await secure('good');
    const transport = hub(server.url, { ca });
    await textOf(transport);
    await textOf(transport);
    expect(server.requests.map((request) => request.connection)).toEqual([1, 1]);
  });

  it.each(['good', 'self'])(
    'N17: is refused when the authority is unknown (%s), with the way out, once',
    async (name) => {
      const server = await secure(name);
      const clock = testClock();
      const error = await failure(hub(server.url, { clock }).send(get()), 'TLS');
      expect(error.message).toContain(name === 'good' ? '"Test Authority"' : '"localhost"');
      expect(hintsOf(error).join()).toContain('--ca-file');
      expect(server.requests).toHaveLength(0);
      expect(clock.slept).toEqual([]);
    },
  );

  it('N18: is refused when the certificate is for another name', async () => {
    const server = await secure('other');
    const error = await failure(hub(server.url, { ca }).send(get()), 'TLS');
    expect(error.message).toContain('for other.example.com, not for 127.0.0.1');
  });

  it.each([
    ['expired', 'has expired, valid from Jan  1 00:00:00 2001 GMT to Jan  1 00:00:00 2002 GMT'],
    ['future', 'is not valid yet, valid from Jan  1 00:00:00 2110 GMT'],
  ])('N19: is refused when the certificate is %s, with dates and clock', async (name, words) => {
    const server = await secure(name);
    const error = await failure(hub(server.url, { ca }).send(get()), 'TLS');
    expect(error.message).toContain(words.replace(/ +/gu, ' '));
    expect(error.message).toContain('the local clock shows Sun, 01 Jun 2025 12:00:00 GMT');
  });

  it('N20: is refused below TLS 1.2', async () => {
    const server = await secure('good', { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' });
    await failure(hub(server.url, { ca }).send(get()), 'TLS');
  });

  it.each(['self', 'other', 'expired', 'good'])(
    'N21: is refused (%s) whatever the environment says, and says so',
    async (name) => {
      process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
      const server = await secure(name);
      const error = await failure(hub(server.url, name === 'good' ? {} : { ca }).send(get()), 'TLS');
      expect(hintsOf(error).join()).toContain('NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored');
      expect(server.requests).toHaveLength(0);
    },
  );

  it('is made to anybody when told to be insecure', async () => {
    const server = await secure('self');
    expect(await textOf(platform(server.url, { insecure: true }))).toBe('secret');
  });

  it('N16: is hinted at when a TLS server is addressed by http', async () => {
    const server = await secure('good');
    const error = await hub(server.url.replace('https', 'http'), { retries: 1 })
      .send(get())
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'NET_PROTO', details: { hints: [expect.stringContaining('https://')] } });
  });

  it('is refused, with a hint, when the server speaks plain http', async () => {
    const server = await serve(
      (socket) => {
        socket.write(rawAnswer(200));
      },
      { onConnect: (socket) => void socket.write('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n') },
    );
    const error = await failure(hub(server.url.replace('http', 'https')).send(get()), 'NET_PROTO');
    expect(hintsOf(error).join()).toContain(`http://127.0.0.1:${server.port}`);
  });

  it('N23: a hub may move a read to another https host, which learns nothing about us', async () => {
    const other = await secure('good');
    const server = await serve(
      (socket) => {
        socket.write(rawAnswer(302, '', { Location: `https://localhost:${other.port}/there` }));
      },
      { tls: { key: file('good.key'), cert: file('good.pem') } },
    );
    const headers = { Range: 'bytes=5-', 'X-Canary': 'canary', Cookie: 'canary', Authorization: 'canary' };
    expect(await textOf(hub(server.url, { ca }), get({ headers }))).toBe('secret');
    expect(other.requests[0]).toMatchObject({
      target: '/there',
      headers: { range: 'bytes=5-', host: `localhost:${other.port}` },
    });
    expect(JSON.stringify(other.requests)).not.toContain('canary');
    expect(server.requests[0]?.headers).toMatchObject({ 'x-canary': 'canary' });
    expect(server.requests[0]?.headers['authorization'] ?? server.requests[0]?.headers['cookie']).toBeUndefined();
  });

  it('N23: is not left for one without encryption', async () => {
    const plain = await serve(() => undefined);
    const server = await serve(
      (socket) => {
        socket.write(rawAnswer(302, '', { Location: plain.url }));
      },
      { tls: { key: file('good.key'), cert: file('good.pem') } },
    );
    await failure(hub(server.url, { ca }).send(get()), 'REDIRECT_INSECURE');
    await failure(platform(server.url, { ca }).send(get()), 'REDIRECT_INSECURE');
    expect(plain.connections()).toBe(0);
  });
});

describe('the authorities to trust', () => {
  const extra = process.env['NODE_EXTRA_CA_CERTS'];
  afterEach(() => {
    if (extra === undefined) delete process.env['NODE_EXTRA_CA_CERTS'];
    else process.env['NODE_EXTRA_CA_CERTS'] = extra;
  });

  it.each([
    ['none', '', [ca]],
    ['a file', resolve(import.meta.dirname, '../../fixtures/tls/self.pem'), [file('self.pem').toString('latin1'), ca]],
    ['a folder', import.meta.dirname, [ca]],
    ['what is not there', resolve(import.meta.dirname, 'no.pem'), [ca]],
  ])('are those of Node, of NODE_EXTRA_CA_CERTS (%s), and the given one', (_, named, more) => {
    process.env['NODE_EXTRA_CA_CERTS'] = named;
    expect(trustedRoots(ca)).toEqual([...rootCertificates, ...more]);
  });
});

describe('readCertificates', () => {
  it('takes a PEM file', () => {
    expect(readCertificates(file('root.pem'), 'root.pem')).toContain('BEGIN CERTIFICATE');
  });

  it.each([
    ['a Java keystore', Buffer.from('feedfeed00000002', 'hex'), 'keytool'],
    ['a keystore (PKCS #12)', Buffer.from('3082089d02010330820859' + '06092a864886f70d010701', 'hex'), 'keytool'],
    ['binary (DER)', Buffer.from('3082013c3081e3a003020102', 'hex'), 'openssl x509'],
    ['a private key', file('root.key'), 'authority'],
    ['no certificate', Buffer.from('hello'), 'BEGIN CERTIFICATE'],
    ['no certificate', Buffer.from('hi'), 'BEGIN CERTIFICATE'],
    ['no certificate', Buffer.alloc(0), 'BEGIN CERTIFICATE'],
    ['a Java keystore', Buffer.from('cececece', 'hex'), 'keytool'],
  ])('explains %s given by mistake', async (what, content, hint) => {
    const read = async (): Promise<string> => readCertificates(content, 'given.file');
    const error = await failure(read(), 'CONFIG');
    expect(error.message).toContain(what);
    expect(hintsOf(error).join()).toContain(hint);
  });
});
