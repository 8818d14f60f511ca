import { createHash } from 'node:crypto';
import { connect } from 'node:net';
import { describe, expect, it, vi } from 'vitest';
import { overSocket, requests, withEmulator } from './emulator.js';

const ACCOUNTS = [{ user: 'alice', password: 'secret', token: 'TOKEN' }];
const JAR = '/v3/namespaces/default/artifacts/x';

describe('the ports of the emulator', () => {
  it('refuse to listen elsewhere than on loopback (T40)', async () => {
    await expect(withEmulator(async () => undefined, { host: '0.0.0.0' })).rejects.toThrow('loopback only');
  });

  it('end the hub again when the port of the platform is taken', async () => {
    await withEmulator(async ({ url }) => {
      const port = Number(new URL(url).port);
      await expect(withEmulator(async () => undefined, { port })).rejects.toThrow('EADDRINUSE');
    });
  });

  it('serve the hub below /v2, and tell the platform where it is', async () => {
    await withEmulator(async ({ url, hub }) => {
      const settings = (await (await fetch(`${url}/v3/config/cdap?format=json`)).json()) as {
        name: string;
        value: string;
      }[];
      expect(settings.find(({ name }) => name === 'market.base.url')?.value).toBe(hub);
      expect(await (await fetch(`${hub}/packages.json`)).text()).toBe('[]');
    });
  });

  it.each([
    ['bytes that are no HTTP', 'hello\r\n\r\n'],
    ['a request line of 4096 bytes', `GET /v3/version?x=${'y'.repeat(4069)} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ])('answer %s with the bad-request text and close', async (_what, sent) => {
    await withEmulator(async ({ url }) => {
      const answer = await overSocket(url, sent);
      expect(answer).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/u);
      expect(answer).toMatch(/\r\n\r\nProblem accessing: \/bad-request\. Reason: Not Found$/u);
    });
  });

  it('answer HTTP/1.0 and close', async () => {
    await withEmulator(async ({ url }) => {
      expect(await overSocket(url, 'GET /v3/version HTTP/1.0\r\n\r\n')).toContain('{"version":"6.11.0"}');
    });
  });

  it('never answer an upload whose headers overflow behind its length, and store nothing', async () => {
    await withEmulator(async ({ url }) => {
      const { hostname, port } = new URL(url);
      const big = `Artifact-Plugins: ${'x'.repeat(8300)}`;
      const socket = connect(Number(port), hostname);
      let answer = '';
      socket.on('data', (chunk) => (answer += chunk.toString()));
      socket.write(
        `POST ${JAR} HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nArtifact-Version: 1.0.0\r\n${big}\r\n\r\nabc`,
      );
      await vi.waitFor(async () => {
        expect(await requests(url)).toMatchObject([{ method: 'POST', bytes: 3, status: 0 }]);
      }, 30_000);
      expect((await fetch(`${url}${JAR}`)).status).toBe(404);
      expect(answer).toBe('');
      socket.destroy();
    });
  });
});

describe('the request log of the emulator', () => {
  it('holds the requests of both ports in their order, with the digest of the body and without the token', async () => {
    await withEmulator(async ({ url, hub }) => {
      await fetch(`${hub}/packages.json?x=1`);
      await fetch(`${url}/v3/namespaces/etl`, {
        method: 'PUT',
        body: '{}',
        headers: { Authorization: 'Bearer SECRET' },
      });
      const log = await requests(url);
      expect(log).toMatchObject([
        { n: 1, port: 'hub', method: 'GET', path: '/v2/packages.json?x=1', bytes: 0, status: 200 },
        { n: 2, port: 'platform', method: 'PUT', path: '/v3/namespaces/etl', bytes: 2, status: 200 },
      ]);
      expect(log[1]?.['bodySha256']).toBe(createHash('sha256').update('{}').digest('hex'));
      expect(log[1]?.['headers']).toMatchObject({ authorization: '***' });
      expect(JSON.stringify(log)).not.toContain('SECRET');
    });
  });

  it.each([
    ['status', 'before', 503, false],
    ['reset', 'before', 0, false],
    ['status', 'after', 503, true],
    ['reset', 'after', 0, true],
  ])('says whether a request had its effect: one that ends with %s %s it', async (kind, when, status, applied) => {
    await withEmulator(async ({ url }) => {
      const order = { match: { method: 'PUT' }, kind, when };
      await fetch(`${url}/emulator/faults`, { method: 'POST', body: JSON.stringify(order) });
      const put = (name: string): Promise<unknown> =>
        fetch(`${url}/v3/namespaces/${name}`, { method: 'PUT', body: '{}' }).catch(() => undefined);
      await put('etl');
      await put('other');
      await fetch(`${url}/v3/namespaces/etl`);
      expect(await requests(url)).toMatchObject([
        { status, applied },
        { status: 200, applied: true },
        { method: 'GET', status: applied ? 200 : 404, applied: false },
      ]);
    });
  });

  it('is cleared by DELETE and counts from 1 again', async () => {
    await withEmulator(async ({ url }) => {
      await fetch(`${url}/v3/version`);
      await fetch(`${url}/emulator/requests`, { method: 'DELETE' });
      expect(await requests(url)).toEqual([]);
      await fetch(`${url}/v3/version`);
      expect(await requests(url)).toMatchObject([{ n: 1, path: '/v3/version' }]);
    });
  });
});

describe('an emulator with accounts', () => {
  it('answers an upload without a token before its body is read, and closes', async () => {
    await withEmulator(
      async ({ url }) => {
        const answer = await overSocket(url, `POST ${JAR} HTTP/1.1\r\nHost: x\r\nContent-Length: 50000000\r\n\r\n`);
        expect(answer).toMatch(/^HTTP\/1\.1 401 /u);
        expect(answer).toContain('www-authenticate: Bearer realm="cdap"\r\n');
      },
      { auth: ACCOUNTS },
    );
  });

  it('sends 100 only to an upload whose token it knows', async () => {
    await withEmulator(
      async ({ url }) => {
        const head = (token: string): string =>
          `POST ${JAR} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n`;
        expect(await overSocket(url, head('WRONG'))).toMatch(/^HTTP\/1\.1 401 /u);
        expect(await overSocket(url, `${head('TOKEN')}abc`)).toMatch(
          /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 400 /u,
        );
      },
      { auth: ACCOUNTS },
    );
  });

  it('gives the token to who knows the password, and leaves /status free', async () => {
    await withEmulator(
      async ({ url }) => {
        const login = async (password: string): Promise<Response> => {
          const authorization = `Basic ${Buffer.from(`alice:${password}`).toString('base64')}`;
          return fetch(`${url}/token`, { headers: { authorization } });
        };
        expect((await login('wrong')).status).toBe(401);
        expect(await (await login('secret')).json()).toEqual({
          access_token: 'TOKEN',
          token_type: 'Bearer',
          expires_in: 86400,
        });
        expect((await fetch(`${url}/status`)).status).toBe(200);
        expect((await fetch(`${url}/v3/version`)).status).toBe(401);
      },
      { auth: ACCOUNTS },
    );
  });
});
