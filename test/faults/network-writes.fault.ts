import { describe, expect, it } from 'vitest';
import { it as onSite, type Site } from '../support/sites/install-site.js';
import { rawAnswer } from '../support/raw-server.js';
import { front, platformAt, serve, toPlatform, type Call, type Front } from './front.js';
import { judge } from './judge.js';

const POST = { method: 'POST', path: '/artifacts/example-trim-fields$' };
const PUT = { method: 'PUT', path: '/apps/CsvCopy$' };

const toArtifact = toPlatform;
const toPipeline = { ...toPlatform, line: (site: Site): string[] => site.line(['example-csv-copy', '-y']) };

const isWrite = ({ method }: Call): boolean => method !== 'GET';
const failing = (order: object) => (site: Site) => site.fail(order);
const sends = async (site: Site, method: string): Promise<number> =>
  (await site.writes()).filter((line) => line.startsWith(method)).length;

describe.concurrent('a write that is redirected', () => {
  it.for([301, 302, 303, 307, 308] as const)('N26: with %i is not followed', async (status) => {
    const elsewhere = await serve((socket) => void socket.write(rawAnswer(200)));
    const row = status < 304 ? toArtifact : toPipeline;
    const fault = platformAt((site) =>
      front(site.url, (call) => {
        if (!isWrite(call)) return undefined;
        call.socket.end(rawAnswer(status, '', { Location: `${elsewhere.url}${call.path}`, Connection: 'close' }));
        return 'handled';
      }),
    );
    const rest = status === 301 || status === 307 ? {} : ({ mend: false } as const);
    await judge({ ...row, ...rest, fault, exit: 7, code: 'REDIRECT_WRITE', says: [elsewhere.url], holds: 'A' });
    expect(elsewhere.requests).toEqual([]);
  });

  onSite('N26: of a removal is not followed either', async ({ site }) => {
    const uninstall = ['installed', 'uninstall', 'example-trim-fields', '-y', '-u', site.url];
    expect((await site.install('example-trim-fields@1.10.0', '-y')).code).toBe(0);
    await site.fail({ match: { method: 'DELETE' }, kind: 'status', status: 307, when: 'before' });
    await site.forget();
    const { code, stderr } = await site.cdapctl(uninstall);
    expect(code, stderr).toBe(7);
    expect(stderr).toContain('[REDIRECT_WRITE]');
    expect(await site.writes()).toEqual([expect.stringMatching(/^DELETE .* 307$/u)]);
    expect((await site.cdapctl(uninstall)).code).toBe(0);
  });
});

describe.concurrent('a write whose answer is lost', () => {
  it.for([
    ['an upload', 'reset', toArtifact, POST],
    ['a deploy', 'cut', toPipeline, PUT],
  ] as const)('N38: of %s that was applied (%s) is not sent again', async ([, kind, row, match]) => {
    await judge({
      ...row,
      fault: failing({ match, kind, when: 'after' }),
      exit: 0,
      holds: 'B',
      look: async (_, site) => {
        expect(await sends(site, match.method)).toBe(1);
      },
    });
  });

  it.for([
    ['an upload', toArtifact, POST],
    ['a deploy', toPipeline, PUT],
  ] as const)('N39: of %s that was not applied is sent once more', async ([, row, match]) => {
    await judge({
      ...row,
      fault: failing({ match, kind: 'reset', when: 'before' }),
      exit: 0,
      holds: 'B',
      look: async ({ warnings }, site) => {
        expect(await sends(site, match.method)).toBe(2);
        expect(warnings.map(({ message }) => message).join()).toContain('sending it again');
      },
    });
  });

  it.for([
    ['an upload', toArtifact],
    ['a deploy', toPipeline],
  ] as const)('N40: of %s, and nothing can be read back', async ([, row]) => {
    /** Applies the first write, and is gone from then on. */
    const fault = platformAt((site) => {
      let gone = false;
      return front(site.url, async (call) => {
        if (!gone && !isWrite(call)) return undefined;
        if (!gone) await call.effect();
        gone = true;
        call.socket.resetAndDestroy();
        return 'handled';
      });
    });
    await judge({
      ...row,
      fault,
      exit: 16,
      code: 'UNKNOWN_OUTCOME',
      says: ['run the same command again'],
      holds: 'B',
    });
  });
});

describe.concurrent('a connection of a write', () => {
  it.for([
    ['an upload', toArtifact],
    ['a deploy', toPipeline],
  ] as const)('N41: of %s is a new one, not one that the server closes just then', async ([, row]) => {
    let fronts: Front[] = [];
    const closing = platformAt(async (site) => {
      const one = await front(site.url, (call) => {
        if (!isWrite(call)) return undefined;
        for (const socket of one.sockets) if (socket !== call.socket || call.onConnection > 1) socket.resetAndDestroy();
        return undefined;
      });
      fronts.push(one);
      return one;
    });
    await judge({
      ...row,
      fault: async (site) => {
        fronts = [];
        await closing(site);
      },
      exit: 0,
      holds: 'B',
      look: () => {
        const writes = fronts.flatMap(({ calls }) => calls.filter(isWrite));
        expect(writes.length).toBeGreaterThan(0);
        expect(writes.map(({ onConnection }) => onConnection)).toEqual(writes.map(() => 1));
      },
    });
  });

  it('N33: is dropped when a 204 brings a body, which is ignored', async () => {
    const fault = platformAt((site) =>
      front(site.url, async (call) => {
        if (!isWrite(call)) return undefined;
        await call.effect();
        call.socket.write(rawAnswer(204, 'HTTP/1.1 500 No\r\n\r\n', { 'x-no-length': '' }));
        return 'handled';
      }),
    );
    await judge({ ...toArtifact, fault, exit: 0, holds: 'B' });
    await judge({ ...toPipeline, fault, exit: 0, holds: 'B' });
  });

  it('N42: of an upload that is refused while it runs', async () => {
    await judge({
      ...toArtifact,
      fault: failing({ match: POST, kind: 'status', status: 413, when: 'during', bytes: 1000, body: 'too much' }),
      exit: 11,
      code: 'REMOTE_FAILED',
      says: ['413', 'too much'],
      holds: 'B',
    });
  });
});
