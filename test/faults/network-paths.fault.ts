import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sampleHub, type Site } from '../support/sites/install-site.js';
import { rawAnswer, type RawScript, type RawServer } from '../support/raw-server.js';
import { ROOT } from '../support/processes/run-cli.js';
import { front, hubAt, platformAt, serve, toHub, toPlatform } from './front.js';
import { CANARY, judge, type Fault } from './judge.js';

const TLS = resolve(ROOT, 'test/fixtures/tls');
const file = (name: string): Buffer => readFileSync(join(TLS, name));
const root = join(TLS, 'root.pem');
const identity = (name: string) => ({ key: file(`${name}.key`), cert: file(`${name}.pem`) });

const answering: RawScript = (socket) => void socket.write(rawAnswer(200, '{"version":"6.11.0"}'));
const withRoot: Fault['line'] = (site) => [...toPlatform.line(site), '--ca-file', root];
const hubWithRoot: Fault['line'] = (site) => [...toHub.line(site), '--ca-file', root];

/** The sample hub over TLS, as raw answers; what is not a file of it is asked of `other`. */
async function secureHub(other: RawScript = (socket) => void socket.write(rawAnswer(404))): Promise<RawServer> {
  const { files } = await sampleHub();
  return serve(
    (socket, request) => {
      const bytes = files.get(request.target.replace('/v2/', ''));
      if (bytes === undefined) return other(socket, request);
      socket.write(rawAnswer(200, bytes));
    },
    { tls: identity('good') },
  );
}

describe.concurrent('a certificate that is not accepted', () => {
  const secure = (name: string, versions: object = {}) =>
    platformAt(() => serve(answering, { tls: { ...identity(name), ...versions } }));
  const tls = { ...toPlatform, exit: 7, code: 'TLS', holds: 'A' } as const;

  it('N17: signed by nobody known', async () => {
    await judge({ ...tls, fault: secure('self'), says: ['--ca-file'] });
  });

  it('N18: for another name', async () => {
    await judge({
      ...tls,
      line: withRoot,
      fault: secure('other'),
      says: ['for other.example.com, not for 127.0.0.1'],
    });
  });

  it('N19: expired', async () => {
    await judge({
      ...tls,
      line: withRoot,
      fault: secure('expired'),
      says: ['has expired, valid from Jan 1 00:00:00 2001 GMT to Jan 1 00:00:00 2002 GMT', 'the local clock shows'],
    });
  });

  it('N20: by a server that speaks TLS 1.1 only', async () => {
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' };
    await judge({ ...tls, line: withRoot, fault: secure('good', old) });
  });

  it('N21: though the environment says that none has to be', async () => {
    await judge({
      ...tls,
      options: { env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } },
      fault: secure('self'),
      says: ['NODE_TLS_REJECT_UNAUTHORIZED=0 is ignored'],
    });
  });

  it('N16: because the address says http', async () => {
    const plain = async (): Promise<{ url: string }> => {
      const { url } = await serve(answering, { tls: identity('good') });
      return { url: url.replace('https', 'http') };
    };
    await judge({
      ...toPlatform,
      fault: platformAt(plain),
      exit: 7,
      code: 'NET_PROTO',
      says: ['https://'],
      holds: 'A',
    });
  });
});

describe.concurrent('a hub that moved', () => {
  it('N23: to another https host is followed there, which gets nothing of ours', async () => {
    let there: RawServer | undefined;
    const moved = hubAt(async () => {
      there = await secureHub();
      const location = `https://localhost:${there.port}/v2/packages.json`;
      const here = await serve((socket) => void socket.write(rawAnswer(302, '', { Location: location })), {
        tls: identity('good'),
      });
      return { url: `${here.url}/v2` };
    });
    await judge({ ...toHub, line: hubWithRoot, fault: moved, exit: 0 });
    expect(there?.requests.length).toBeGreaterThan(0);
    for (const { headers } of there?.requests ?? [])
      expect(Object.keys(headers)).not.toEqual(expect.arrayContaining([expect.stringMatching(/auth|cookie/u)]));
    expect(JSON.stringify(there?.requests)).not.toContain(CANARY);
  });

  it('N23: from https to http is not followed', async () => {
    let asked = 0;
    const moved = hubAt(async () => {
      const there = await serve((socket) => {
        asked += 1;
        socket.write(rawAnswer(200, '[]'));
      });
      const here = await serve(
        (socket) => void socket.write(rawAnswer(302, '', { Location: `${there.url}/v2/packages.json` })),
        { tls: identity('good') },
      );
      return { url: `${here.url}/v2` };
    });
    await judge({ ...toHub, line: hubWithRoot, fault: moved, exit: 7, code: 'REDIRECT_INSECURE' });
    expect(asked).toBe(0);
  });
});

describe.concurrent('a way through proxies', () => {
  const proxies = new WeakMap<Site, string>();
  /** A platform behind a proxy that gives this answer. */
  const proxied = (status: number): Partial<Fault> => ({
    line: (site) => {
      const proxy = proxies.get(site);
      return [...toPlatform.line(site), ...(proxy === undefined ? [] : ['--proxy', proxy])];
    },
    fault: async (site) => {
      const { port } = await serve((socket) => void socket.write(rawAnswer(status, 'no')));
      proxies.set(site, `http://user:${CANARY}@127.0.0.1:${port}`);
      site.through = 'https://host.invalid';
    },
    mend: (site) => {
      proxies.delete(site);
      site.through = site.url;
    },
  });

  it.for([
    ['refuses', 403, 'PROXY', 7],
    ['wants a login', 407, 'PROXY_AUTH', 3],
  ] as const)('N43: of which one %s', async ([, status, code, exit]) => {
    const base = { ...toPlatform, ...proxied(status) };
    await judge({ ...base, fault: base.fault ?? (() => undefined), exit, code, holds: 'A', says: ['127.0.0.1'] });
  });

  it('N44: is taken where the environment names one, and not to this machine', async () => {
    const site: { hub?: string } = {};
    const proxy = await serve(async (socket, { target }) => {
      const answer = await fetch(`${site.hub ?? ''}${new URL(target).pathname}`);
      socket.write(rawAnswer(answer.status, Buffer.from(await answer.arrayBuffer())));
    });
    const line = (): string[] => ['hub', 'list', '--hub', 'http://hub.invalid'];
    const options = { env: { HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1,localhost' } };
    const fault = ({ hub }: Site): void => {
      site.hub = new URL(hub).origin;
    };
    await judge({ line, options, mend: false, fault, exit: 0 });
    expect(proxy.requests[0]?.target).toBe('http://hub.invalid/v2/packages.json');
    const asked = proxy.requests.length;
    await judge({ ...toPlatform, options, mend: false, fault: () => undefined, exit: 0 });
    expect(proxy.requests).toHaveLength(asked);
  });

  it('N45: finds the address that lives of a host that has two', async () => {
    const preload = `--require=${resolve(ROOT, 'test/support/processes/two-addresses.cjs')}`;
    const named = hubAt(async (site) => {
      const { port } = await front(site.hub, () => undefined);
      return { url: `http://two-addresses.test:${port}/v2` };
    });
    await judge({ ...toHub, options: { env: { NODE_OPTIONS: preload } }, fault: named, exit: 0 });
  });
});
