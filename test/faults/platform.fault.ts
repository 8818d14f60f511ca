import { rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fixed } from '../../src/emulator/hub/packages/parts.js';
import { hubKey, hubPackage, signedHub } from '../support/sites/hub-tree.js';
import { sampleHub, type Site } from '../support/sites/install-site.js';
import { rawAnswer, type RawScript } from '../support/raw-server.js';
import { front, hurried, platformAt, serve, toPlatform, type Call } from './front.js';
import { CANARY, judge } from './judge.js';

const POST = { method: 'POST', path: '/artifacts/example-trim-fields$' };
const DETAIL = '/artifacts/example-trim-fields/versions/1.10.0';
const PLATFORM = { port: 'platform' } as const;

const toArtifact = toPlatform;
const toPipeline = { ...toArtifact, line: (site: Site): string[] => site.line(['example-csv-copy', '-y']) };

const failing = (order: object) => (site: Site) => site.fail(order);
const refusing = (match: object, status: number, body?: string) =>
  failing({ match, kind: 'status', status, when: 'before', times: 9, ...(body !== undefined && { body }) });
const isUpload = ({ method }: Call): boolean => method === 'POST';

const key = hubKey({ now: Date.now() });

/** A hub of one package that makes so many pipelines. */
const pipelines = (count: number) => async (site: Site) => {
  const { files } = await sampleHub();
  const config = files.get('packages/example-csv-copy/1.0.0/pipeline.json') ?? '';
  const artifact = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' };
  const actions = Array.from({ length: count }, (_, at) => ({
    type: 'create_pipeline',
    label: `Pipeline ${at + 1}`,
    arguments: fixed({ artifact, name: `P${at + 1}`, config: 'pipeline.json' }),
  }));
  const packages = [hubPackage({ name: 'pipelines', spec: { actions }, resources: { 'pipeline.json': config } })];
  const hub = await signedHub({ packages, key: await key, now: Date.now() });
  site.publish(hub);
  await site.pin(hub.key);
};
const five = pipelines(5);
const twenty = pipelines(20);
const toMany = { ...toArtifact, line: (site: Site): string[] => site.line(['pipelines', '-y']) };
const ofMany = (count: number, words: string) => ({ match: { method: 'PUT', path: `/apps/P${count}$` }, words });

describe.concurrent('a platform that does not let us', () => {
  it('P01: wants a token and got none', async () => {
    await judge({
      ...toArtifact,
      options: { env: { CDAPCTL_TOKEN: undefined } },
      fault: refusing(PLATFORM, 401, '{"auth_uri":["http://127.0.0.1:10009/token"]}'),
      exit: 3,
      code: 'AUTH',
      says: ['use a token file', 'http://127.0.0.1:10009/token'],
      holds: 'A',
    });
  });

  it('P02: got a token whose time is over', async () => {
    await judge({
      ...toArtifact,
      line: (site) => [...toArtifact.line(site), '-a', join(site.home, 'token.json')],
      prepare: async (site) => {
        await site.pin(await sampleHub());
        await site.file('token.json', JSON.stringify({ access_token: 'another-one', expires_in: 3600 }));
      },
      fault: async (site) => {
        await utimes(join(site.home, 'token.json'), 1_700_000_000, 1_700_000_000);
        await refusing(PLATFORM, 401)(site);
      },
      exit: 3,
      code: 'AUTH',
      says: ['expired at 2023-11-1', 'token.json (--token-file) was rejected'],
      holds: 'A',
    });
  });

  it.for([
    ['the version', { method: 'GET', path: '/v3/version$' }, 'GET /v3/version'],
    ['the upload', POST, 'POST /v3/namespaces/default/artifacts/example-trim-fields'],
  ] as const)('P03: forbids %s', async ([, match, words]) => {
    await judge({ ...toArtifact, fault: refusing(match, 403), exit: 4, code: 'FORBIDDEN', says: [words] });
  });

  it('P04: has no such namespace', async () => {
    await judge({
      ...toArtifact,
      fault: refusing({ method: 'GET', path: '/v3/namespaces/default$' }, 404),
      exit: 5,
      code: 'NOT_FOUND',
      says: ['no namespace "default"'],
      holds: 'A',
    });
  });

  it('P05: refuses the first write', async () => {
    await judge({
      ...toArtifact,
      fault: refusing(POST, 400, `no \u001b[2J${'x'.repeat(5_000)}`),
      exit: 11,
      code: 'REMOTE_FAILED',
      says: ['no '],
      look: ({ error }) => {
        expect(Buffer.byteLength(error.details)).toBeLessThan(2100);
      },
      read: ({ stderr }) => {
        expect(stderr).toContain(String.raw`no \x1b[2J`);
      },
    });
  });
});

describe.concurrent('something that is there already', () => {
  it('P06: an upload of our own that came late', async () => {
    /** The first upload is lost, and takes effect when the second arrives. */
    const late = platformAt((site) => {
      let first: Call | undefined;
      return front(site.url, async (call) => {
        if (!isUpload(call)) return undefined;
        if (first !== undefined) {
          await first.effect();
          return undefined;
        }
        first = call;
        await call.arrived();
        call.socket.resetAndDestroy();
        return 'handled';
      });
    });
    await judge({
      ...toArtifact,
      fault: late,
      exit: 0,
      holds: 'B',
      look: ({ warnings }) => {
        expect(warnings.map(({ message }) => message).join()).not.toContain('not compared');
      },
    });
  });

  it('P07: an upload of somebody else, with nothing that differs', async () => {
    await judge({
      ...toArtifact,
      fault: failing({ match: POST, kind: 'status', status: 409, when: 'after' }),
      exit: 0,
      says: ['content not compared'],
      holds: 'B',
    });
  });

  it('P07: an upload of somebody else, with other properties', async () => {
    const faster = platformAt((site) =>
      front(site.url, async (call) => {
        if (!isUpload(call)) return undefined;
        await call.effect();
        await site.call('PUT', `${DETAIL}/properties`, { owner: 'other' });
        call.socket.end(rawAnswer(409, 'there already', { Connection: 'close' }));
        return 'handled';
      }),
    );
    await judge({
      ...toArtifact,
      fault: faster,
      mend: async (site) => {
        expect(await site.call('GET', DETAIL)).toMatchObject({ properties: { owner: 'other' } });
        await site.call('DELETE', DETAIL);
        await toArtifact.mend(site);
      },
      exit: 6,
      code: 'CONFLICT',
      says: ['with other properties'],
    });
  });

  it.for([
    ['an artifact', toArtifact],
    ['a pipeline', toPipeline],
    ['a draft', { ...toArtifact, line: (site: Site): string[] => site.line(['example-draft-report', '-y']) }],
  ] as const)('P08: %s like ours, of which we know nothing', async ([, row]) => {
    await judge({
      ...row,
      fault: async (site) => {
        expect((await site.cdapctl(row.line(site))).code).toBe(0);
        await rm(join(site.home, '.local', 'state', 'cdapctl', 'installs'), { recursive: true });
      },
      exit: 0,
      look: async ({ item }, site) => {
        expect(item?.state).toBe('already-present');
        expect(await site.writes()).toEqual([]);
      },
      read: ({ stdout, stderr }) => {
        expect(`${stdout}${stderr}`).toMatch(/already/u);
      },
    });
  });
});

describe.concurrent('a failure in the middle', () => {
  it('P09: of action 3 of 5 is told, and the same command goes on', async () => {
    const { match } = ofMany(3, '');
    await judge({
      ...toMany,
      prepare: five,
      fault: refusing(match, 500),
      exit: 10,
      code: 'INSTALL_PARTIAL',
      says: ['stopped at action 3', 'cdapctl install pipelines'],
      holds: 'B',
      look: ({ item }) => {
        expect(item?.actions.map(({ state }) => state)).toEqual(['done', 'done', 'failed', 'not-run', 'not-run']);
      },
      read: ({ stdout, stderr }) => {
        expect(`${stdout}${stderr}`).toMatch(/2 done, 1 failed, 2 not tried/u);
      },
    });
  });

  it.for([
    ['the first', 1, 11, 'REMOTE_FAILED'],
    ['a later', 2, 10, 'INSTALL_PARTIAL'],
  ] as const)('P10: of %s action with a page of 5 MB', async ([, n, exit, code]) => {
    const page = `<html>\u001b]0;title\u0007<body>${'<p>no</p>'.repeat(600_000)}</body></html>`;
    await judge({
      ...toMany,
      prepare: five,
      fault: refusing(ofMany(n, '').match, 500, page),
      exit,
      code,
      says: ['<html>'],
      holds: 'B',
      read: ({ stdout, stderr }) => {
        expect(stdout.length + stderr.length).toBeLessThan(10_000);
        expect(stderr).toContain(String.raw`\x1b]0;title\x07`);
      },
    });
  });

  it.for([
    ['the first', 1, 11, 'REMOTE_FAILED'],
    ['a later', 2, 10, 'INSTALL_PARTIAL'],
  ] as const)('P11: of %s action with our own token', async ([, n, exit, code]) => {
    await judge({
      ...toMany,
      prepare: five,
      fault: refusing(ofMany(n, '').match, 500, `you sent Authorization: Bearer ${CANARY}, which is wrong`),
      exit,
      code,
      says: ['you sent Authorization: ***'],
      holds: 'B',
    });
  });

  it('P40: because the token is refused from action 11 of 20 on', async () => {
    await judge({
      ...toMany,
      prepare: twenty,
      fault: refusing(ofMany(11, '').match, 401),
      exit: 10,
      code: 'INSTALL_PARTIAL',
      says: ['stopped at action 11', '[AUTH]', 'the token in CDAPCTL_TOKEN was rejected', 'cdapctl install pipelines'],
      holds: 'B',
      look: ({ item }) => {
        expect(item?.actions.filter(({ state }) => state === 'done')).toHaveLength(10);
      },
    });
  });
});

describe.concurrent('an answer that breaks the contract', () => {
  it.for([
    ['P12: broken JSON for the version', '/v3/version$', '{"version":'],
    ['P12: broken JSON for the artifact', `${DETAIL}$`, '{"name" "x"}'],
    ['P13: nothing for the version', '/v3/version$', ''],
    ['P13: nothing for the artifact', `${DETAIL}$`, ''],
  ] as const)('%s', async ([, path, body]) => {
    await judge({
      ...toArtifact,
      fault: refusing({ method: 'GET', path }, 200, body),
      exit: 12,
      code: 'BAD_ANSWER',
      holds: 'A',
    });
  });

  it.for([
    ['announced', true],
    ['not announced', false],
  ] as const)('P14: 500 MB, %s', async ([, announced]) => {
    const SIZE = 500_000_000;
    let sent = 0;
    const large: RawScript = (socket) => {
      const piece = Buffer.alloc(1_000_000, ' ');
      socket.write(rawAnswer(200, '', announced ? { 'Content-Length': String(SIZE) } : { 'x-no-length': '' }));
      sent = 0;
      const more = (): void => {
        while (sent < SIZE && !socket.destroyed) {
          sent += piece.length;
          if (!socket.write(piece)) return void socket.once('drain', more);
        }
        socket.end();
      };
      more();
    };
    await judge({
      ...toArtifact,
      fault: platformAt(() => serve(large)),
      exit: 12,
      code: 'TOO_LARGE',
      holds: 'A',
      look: () => {
        expect(sent).toBeLessThan(announced ? 20_000_000 : 90_000_000);
      },
    });
  });
});

describe.concurrent('a platform that needs time', () => {
  it('P15: 9 minutes for a deploy, with a sign of life each 30 seconds', async () => {
    await judge({
      ...toPipeline,
      options: hurried(120, 120_000),
      fault: failing({
        match: { method: 'PUT', path: '/apps/CsvCopy$' },
        kind: 'delay',
        when: 'after',
        milliseconds: 4500,
      }),
      exit: 0,
      says: [/(?:still working \(\d+ s\).*){10}/u, /still working \(5\d\d s\)/u],
      holds: 'B',
      look: async (_, site) => {
        expect(await site.writes()).toHaveLength(1);
      },
    });
  });

  it('P16: is away for half a minute after the upload', async () => {
    /** Requests that are dropped: the upload, and five looks of four tries each, between which are 1, 2, 4, 8 and 15 seconds. */
    const DROPPED = 21;
    const away = platformAt((site) => {
      let dropped = 0;
      let uploaded = false;
      return front(site.url, async (call) => {
        if (isUpload(call)) {
          await call.effect();
          uploaded = true;
        }
        if (!uploaded || ++dropped > DROPPED) return undefined;
        call.socket.resetAndDestroy();
        return 'handled';
      });
    });
    await judge({ ...toArtifact, fault: away, exit: 0, says: ['retrying in 15 s'], holds: 'B' });
  });
});
