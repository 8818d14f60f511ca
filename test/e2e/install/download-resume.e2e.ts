import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, watch, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HubSigner } from '../../../src/emulator/hub/sign.js';
import { flipByte, hubKey, hubPackage, signedHub } from '../../support/sites/hub-tree.js';
import { rawAnswer, rawServer, type RawServer } from '../../support/raw-server.js';
import { runCli, withTempDir, type RunResult } from '../../support/processes/run-cli.js';
import { startCli, type RunningCli } from '../../support/processes/running-cli.js';

const NOW = Date.now();
const CUT = 1_700_000;
const jarOf = (bytes: number, seed: string): Buffer => {
  const block = createHash('sha512').update(seed).digest();
  return Buffer.alloc(bytes, block).fill(seed, 0, 16);
};
const JAR = jarOf(3_000_000, 'the first one');

let key: HubSigner;
let home = '';
let release: () => void = () => undefined;
let hub: CuttingHub | undefined;

/** A hub that breaks off, or falls silent, after some bytes of an answer with the JAR. */
interface CuttingHub {
  readonly url: string;
  files: ReadonlyMap<string, Buffer>;
  /** Bytes of the next answers with the JAR; a negative number is followed by silence. */
  cuts: number[];
  weak: boolean;
  refuse: string | undefined;
  /** `Range` and `If-Range` of each request for the JAR, and how many bytes it got. */
  readonly asked: { range: string | undefined; ifRange: string | undefined; bytes: number }[];
  readonly server: RawServer;
}

const tagOf = (bytes: Buffer): string => `"${createHash('sha256').update(bytes).digest('hex').slice(0, 20)}"`;

async function filesWith(jar: Buffer): Promise<ReadonlyMap<string, Buffer>> {
  const action = {
    type: 'one_step_deploy_plugin',
    label: 'Deploy',
    arguments: [
      { name: 'name', value: 'plug' },
      { name: 'version', value: '1.0.0' },
      { name: 'jar', value: 'plug.jar' },
      { name: 'config', value: 'plug.json' },
    ],
  };
  const resources = { 'plug.jar': jar, 'plug.json': '{"parents":[]}' };
  const packages = [hubPackage({ name: 'plug', spec: { actions: [action] }, resources })];
  return (await signedHub({ packages, key, now: NOW, index: false })).files;
}

async function serve(jar = JAR): Promise<CuttingHub> {
  const server = await rawServer((socket, { target, headers }) => {
    const path = target.replace(/^\/v2\//u, '').replace(/^\//u, '');
    const bytes = made.files.get(path);
    if (path === made.refuse) return void socket.destroy();
    if (bytes === undefined) return void socket.write(rawAnswer(404, 'no such file'));
    const etag = made.weak ? `W/${tagOf(bytes)}` : tagOf(bytes);
    const { range, 'if-range': ifRange } = headers;
    const from = range !== undefined && ifRange === etag ? Number(/^bytes=(\d+)-$/u.exec(range)?.[1]) : 0;
    if (from >= bytes.length) return void socket.write(rawAnswer(416, ''));
    const part = bytes.subarray(from);
    const span = { 'Content-Range': `bytes ${from}-${bytes.length - 1}/${bytes.length}` };
    const head = { ETag: etag, 'Content-Length': String(part.length), ...(from > 0 ? span : {}) };
    const cut = path.endsWith('.jar') ? made.cuts.shift() : undefined;
    const sent = part.subarray(0, cut === undefined ? part.length : Math.abs(cut));
    if (path.endsWith('.jar')) made.asked.push({ range, ifRange, bytes: sent.length });
    const answer = rawAnswer(from > 0 ? 206 : 200, sent, head);
    if (cut !== undefined && cut > 0) socket.end(answer);
    else socket.write(answer);
  });
  const made: CuttingHub = {
    server,
    url: server.url,
    files: await filesWith(jar),
    cuts: [],
    weak: false,
    refuse: undefined,
    asked: [],
  };
  hub = made;
  const { publicKey, fingerprint } = key;
  const line = ['hub', 'key', 'add', '-', '--hub', made.url, '--fingerprint', fingerprint];
  expect((await runCli(line, { home, stdin: publicKey })).code).toBe(0);
  return made;
}

const folder = (): string => join(home, 'out/plug/1.0.0');
const jarFile = (): string => join(folder(), 'plug.jar');
const hidden = (): readonly string[] =>
  readdirSync(folder()).filter((name) => name.startsWith('.') && name !== '.cdapctl-unfinished');
const partial = (): string => join(folder(), hidden().find((name) => name.endsWith('.partial')) ?? 'no partial file');
const record = (): string => join(folder(), hidden().find((name) => name.endsWith('.resume')) ?? 'no record');
const line = ({ url }: CuttingHub, ...more: readonly string[]): readonly string[] => [
  'hub',
  'download',
  'plug',
  '--hub',
  url,
  '-D',
  join(home, 'out'),
  '--json',
  ...more,
];
const download = (from: CuttingHub, ...more: readonly string[]): Promise<RunResult> =>
  runCli(line(from, ...(more.includes('--retries') ? [] : ['--retries', '0']), ...more), { home });

function stateOf({ stdout, stderr }: RunResult): unknown {
  const document = JSON.parse(stdout) as { item?: { files: readonly { name: string; state: string }[] } };
  return document.item?.files.find(({ name }) => name === 'plug.jar')?.state ?? stderr;
}

/** Downloads until the hub breaks off, and looks at what that leaves. */
async function cutOff(from: CuttingHub): Promise<void> {
  from.cuts = [CUT];
  const { code, stdout } = await download(from);
  expect([code, JSON.parse(stdout)]).toMatchObject([7, { error: { code: 'NET_SHORT' } }]);
  expect(existsSync(jarFile())).toBe(false);
  expect(hidden()).toHaveLength(2);
  expect(readFileSync(partial()).equals(JAR.subarray(0, CUT))).toBe(true);
  from.asked.length = 0;
}

function expectWhole(jar = JAR): void {
  expect(readFileSync(jarFile()).equals(jar)).toBe(true);
  expect(hidden()).toEqual([]);
  expect(existsSync(join(folder(), '.cdapctl-unfinished'))).toBe(false);
}

/** Starts a download that gets so many bytes and then nothing more, and waits until they are noted. */
async function stalledAfter(from: CuttingHub, bytes: number): Promise<RunningCli> {
  from.cuts = [-bytes];
  mkdirSync(folder(), { recursive: true });
  const noted = new Promise<void>((resolve) => {
    const watcher = watch(folder(), (_, name) => {
      if (name?.endsWith('.resume') !== true || readFileSync(record()).length === 0) return;
      watcher.close();
      resolve();
    });
  });
  const running = startCli(line(from), { home, env: {} });
  await Promise.race([noted, running.ended]);
  return running;
}

beforeAll(async () => {
  key = await hubKey({ now: NOW });
});

beforeEach(
  () =>
    new Promise<void>((ready) => {
      void withTempDir(async (made) => {
        home = made;
        ready();
        await new Promise<void>((done) => (release = done));
      });
    }),
);

afterEach(async () => {
  await hub?.server.close();
  hub = undefined;
  release();
});

describe('a download that the network broke off', () => {
  it('is gone on with from its last byte, and once more where that breaks off', async () => {
    const from = await serve();
    await cutOff(from);
    from.cuts = [400_000];
    const result = await download(from, '--retries', '1');
    expect([result.code, stateOf(result)]).toEqual([0, 'resumed']);
    const ifRange = tagOf(JAR);
    expect(from.asked).toEqual([
      { range: `bytes=${CUT - 1}-`, ifRange, bytes: 400_000 },
      { range: `bytes=${CUT - 1 + 400_000}-`, ifRange, bytes: JAR.length - CUT + 1 - 400_000 },
    ]);
    expectWhole();
  });

  it('keeps what it has while the hub is away, and adds to it', async () => {
    const from = await serve();
    await cutOff(from);
    from.refuse = 'packages/plug/1.0.0/plug.jar';
    expect((await download(from)).code).toBe(7);
    from.refuse = undefined;
    from.cuts = [500_001];
    expect((await download(from)).code).toBe(7);
    expect(readFileSync(partial()).equals(JAR.subarray(0, CUT + 500_000))).toBe(true);
    expect(stateOf(await download(from))).toBe('resumed');
    expectWhole();
  });

  it('begins anew when the hub has another file now', async () => {
    const from = await serve();
    await cutOff(from);
    const other = jarOf(2_500_000, 'the second one');
    from.files = await filesWith(other);
    const result = await download(from);
    expect([result.code, stateOf(result)]).toEqual([0, 'downloaded']);
    expect(from.asked).toEqual([{ range: `bytes=${CUT - 1}-`, ifRange: tagOf(JAR), bytes: other.length }]);
    expectWhole(other);
  });

  it('asks for one byte when all had come and only its signature had not', async () => {
    const from = await serve();
    from.refuse = 'packages/plug/1.0.0/plug.jar.asc';
    expect((await download(from, '--no-verify')).code).toBe(7);
    expect(readFileSync(partial()).equals(JAR)).toBe(true);
    from.refuse = undefined;
    expect(stateOf(await download(from))).toBe('resumed');
    expect(from.asked.at(-1)).toMatchObject({ range: `bytes=${JAR.length - 1}-`, bytes: 1 });
    expectWhole();
  });

  it('begins anew with --no-resume, which removes what is there and leaves nothing', async () => {
    const from = await serve();
    await cutOff(from);
    from.cuts = [CUT];
    expect((await download(from, '--no-resume')).code).toBe(7);
    expect(hidden()).toEqual([]);
    await cutOff(from);
    expect(stateOf(await download(from, '--no-resume'))).toBe('downloaded');
    expect(from.asked).toEqual([{ range: undefined, ifRange: undefined, bytes: JAR.length }]);
    expectWhole();
  });

  it.each([
    ['is small', 999_999, false],
    ['has a weak tag', 1_000_000, true],
  ] as const)('leaves nothing of a file that %s', async (_, bytes, weak) => {
    const from = await serve(jarOf(bytes, 'another'));
    from.weak = weak;
    from.cuts = [bytes - 1];
    expect((await download(from)).code).toBe(7);
    expect(hidden()).toEqual([]);
  });
});

describe('a partial file that somebody changed', () => {
  it.each([[[]], [['--no-verify']]])('is not used, whatever is verified: %s', async (more) => {
    const from = await serve();
    await cutOff(from);
    writeFileSync(partial(), flipByte(readFileSync(partial())));
    const result = await download(from, ...more);
    expect([result.code, stateOf(result)]).toEqual([0, 'downloaded']);
    expect(from.asked).toEqual([{ range: undefined, ifRange: undefined, bytes: JAR.length }]);
    expectWhole();
  });

  /** Changes a byte and makes the record fit. */
  function forge(): void {
    const bytes = flipByte(readFileSync(partial()));
    writeFileSync(partial(), bytes);
    const note = JSON.parse(readFileSync(record(), 'utf8').trimEnd().split('\n').at(-1) ?? '') as object;
    writeFileSync(record(), `${JSON.stringify({ ...note, crc32: crc32(bytes) })}\n`);
  }

  it('together with its record fails the verification, and the file is fetched whole', async () => {
    const from = await serve();
    await cutOff(from);
    forge();
    const result = await download(from);
    expect([result.code, stateOf(result)]).toEqual([0, 'downloaded']);
    expect(from.asked.map(({ range }) => range)).toEqual([`bytes=${CUT - 1}-`, undefined]);
    expectWhole();
  });

  it('gives the error of the hub when the whole one is bad, too', async () => {
    const from = await serve();
    from.files = new Map([...from.files, ['packages/plug/1.0.0/plug.jar', flipByte(JAR, CUT + 9)]]);
    await cutOff(from);
    const { code, stdout } = await download(from);
    expect([code, JSON.parse(stdout)]).toMatchObject([9, { error: { code: 'SIG_BAD' } }]);
    expect(from.asked.map(({ range }) => range)).toEqual([`bytes=${CUT - 1}-`, undefined]);
    expect(existsSync(jarFile())).toBe(false);
    expect(hidden()).toEqual([]);
  });

  it.each([
    [
      'an empty record',
      () => {
        writeFileSync(record(), '');
      },
    ],
    [
      'a record of something else',
      () => {
        writeFileSync(record(), '[]\n');
      },
    ],
    [
      'fewer bytes than were noted',
      () => {
        writeFileSync(partial(), JAR.subarray(0, 5));
      },
    ],
    [
      'nothing at all',
      () => {
        writeFileSync(partial(), '');
      },
    ],
  ])('is not used with %s', async (_, change) => {
    const from = await serve();
    await cutOff(from);
    change();
    expect(stateOf(await download(from))).toBe('downloaded');
    expect(from.asked.map(({ range }) => range)).toEqual([undefined]);
    expectWhole();
  });
});

describe('a download that was stopped', () => {
  it.each([
    ['SIGINT', 130, 2_000_000],
    ['SIGTERM', 143, 2_000_000],
  ] as const)('by %s is gone on with from where it was', async (signal, code, bytes) => {
    const from = await serve();
    const running = await stalledAfter(from, bytes);
    running.kill(signal);
    expect((await running.ended).code).toBe(code);
    const { length } = readFileSync(partial());
    expect(length).toBeGreaterThan(1_048_575);
    expect(stateOf(await download(from))).toBe('resumed');
    expect(from.asked.at(-1)?.range).toBe(`bytes=${length - 1}-`);
    expectWhole();
  });

  it('by SIGKILL is gone on with from what was noted last', async () => {
    const from = await serve();
    const running = await stalledAfter(from, 2_000_000);
    running.kill('SIGKILL');
    expect((await running.ended).signal).toBe('SIGKILL');
    expect(existsSync(jarFile())).toBe(false);
    const [first = ''] = readFileSync(record(), 'utf8').split('\n');
    const { bytes } = JSON.parse(first) as { bytes: number };
    expect(bytes).toBeGreaterThan(1_048_575);
    expect(stateOf(await download(from))).toBe('resumed');
    expect(from.asked.at(-1)?.range).toBe(`bytes=${bytes - 1}-`);
    expectWhole();
  });

  it('is left alone while it is still at work', async () => {
    const from = await serve();
    const running = await stalledAfter(from, 2_000_000);
    expect(stateOf(await download(from, '--resource', 'plug.jar', '--no-resume'))).toBe('downloaded');
    expect(hidden()).toHaveLength(2);
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    expect(readFileSync(jarFile()).equals(JAR)).toBe(true);
  });
});
