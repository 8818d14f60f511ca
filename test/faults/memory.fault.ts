import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { hubKey, hubPackage, serveHub, signedHub, writeHubTree } from '../support/sites/hub-tree.js';
import { rawAnswer, rawServer } from '../support/raw-server.js';
import { environmentOf, ROOT, runCli, STARTER, withTempDir, type RunResult } from '../support/processes/run-cli.js';

const MOST_MEGABYTES = 250;
/** For the largest catalog and the largest signed index in one run, and for an answer of texts of 11 characters and more (`docs/limits.md`). */
const MOST_FOR_BOTH = 275;
const MOST_FOR_TEXTS = 290;
const MOST_MILLISECONDS = 30_000;

interface Measured extends RunResult {
  readonly peak: number;
}

/** Runs the tool and tells the most memory it had, in MB; a run that was aborted tells none. */
async function measured(
  args: readonly string[],
  options: { stdin?: string; cwd?: string; home?: string } = {},
): Promise<Measured> {
  return withTempDir(async (folder) => {
    const file = join(folder, 'peak');
    await writeFile(file, '');
    const env = { NODE_OPTIONS: `--require=${join(ROOT, 'test/bench/peak.cjs')}`, PEAK_FILE: file };
    const result = await runCli(args, { ...options, env, timeout: MOST_MILLISECONDS });
    return { ...result, peak: Number((await readFile(file, 'utf8')).split('\n')[0] ?? '0') };
  });
}

function isBounded(result: Measured, code: number, word: string, most = MOST_MEGABYTES): void {
  expect(result).toMatchObject({ code, signal: undefined });
  expect(result.stderr).toContain(`[${word}]`);
  expect(result.stderr).not.toContain('    at ');
  expect(result.peak).toBeGreaterThan(20);
  expect(result.peak).toBeLessThan(most);
}

const SMALL: Readonly<Record<string, string>> = {
  '/v3/version': '{"version":"6.11.0"}',
  '/v3/namespaces/default': '{"name":"default"}',
};

/** A server that answers every read with the same JSON, which is short on the wire; `small` are answered as they should be. */
async function serving<T>(json: string, use: (url: string) => Promise<T>, small = SMALL): Promise<T> {
  const answer = rawAnswer(200, gzipSync(json), { 'Content-Encoding': 'gzip', 'Content-Type': 'application/json' });
  const server = await rawServer((socket, { target }) => {
    const good = small[target];
    socket.write(good === undefined ? answer : rawAnswer(200, good));
  });
  try {
    return await use(server.url);
  } finally {
    await server.close();
  }
}

const times = (count: number, make: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => make(at)).join();
/** So many different texts of six characters, or of more. */
const shorts = (count: number, from = 0, length = 6): string =>
  times(count, (at) => `"${(from + at).toString(36).padStart(length, '0')}"`);
const list = (element: string, times: number): string => `[${`${element},`.repeat(times)}${element}]`;
const entry = '{"name":"a","version":"1"}';

it.each([
  { what: '19 million numbers', json: list('0', 19_000_000), word: 'BAD_CATALOG' },
  { what: '13 million empty objects', json: list('{}', 13_000_000), word: 'BAD_CATALOG' },
  { what: '1.4 million times the same package', json: list(entry, 1_400_000), word: 'BAD_CATALOG' },
  { what: 'one package with 2 million members', json: `[{"x":${list('{}', 2_000_000)}}]`, word: 'TOO_LARGE' },
  {
    what: 'one package with 32 lists of 105,000 short texts',
    json: `[{"x":[${times(32, (at) => `{"s":[${shorts(105_000, at * 105_000)}]}`)}],"y":{}}]`,
    word: 'TOO_LARGE',
  },
  {
    what: 'one package with 33 texts of 1.15 MB',
    json: `[{"x":[${times(33, () => `{"s":"${'y'.repeat(1_150_000)}"}`)}]}]`,
    word: 'TOO_LARGE',
  },
  { what: 'one package with 1.6 million short texts', json: `[{"x":[${shorts(1_600_000)}]}]`, word: 'TOO_LARGE' },
])('a catalog of $what is refused in bounded memory', async ({ json, word }) => {
  await serving(json, async (url) => {
    isBounded(await measured(['hub', 'list', '--hub', `${url}/v2`]), 12, word);
  });
});

it.each([
  { what: '15 million numbers', json: list('0', 15_000_000), word: 'TOO_LARGE' },
  { what: '3.5 million numbers', json: list('0', 3_500_000), word: 'BAD_ANSWER' },
  { what: '10 million empty objects', json: list('{}', 10_000_000), word: 'TOO_LARGE' },
  { what: '3.4 million short texts', json: `[${shorts(3_400_000)}]`, word: 'TOO_LARGE' },
  { what: '300,000 empty objects', json: list('{}', 300_000), word: 'BAD_ANSWER' },
  {
    what: '2.25 million texts of 11 characters',
    json: `[${shorts(2_250_000, 0, 11)}]`,
    word: 'BAD_ANSWER',
    most: MOST_FOR_TEXTS,
  },
])('an answer of the platform that is $what is refused in bounded memory', async ({ json, word, most }) => {
  await serving(json, async (url) => {
    isBounded(await measured(['dashboard', '-n', 'default', '-u', url]), 12, word, most);
  });
});

const padded = (make: (at: number) => string): string => {
  let json = '[';
  for (let at = 0; json.length < 39_990_000 && at < 119_990; at++) json += `${at === 0 ? '' : ','}${make(at)}`;
  return `${json}]`;
};

it.each([
  { what: 'long texts', json: () => padded((at) => `{"name":"p${at}","version":"1","label":"${'x'.repeat(310)}"}`) },
  {
    what: 'many short texts',
    json: () =>
      padded(
        (at) => `{"name":"p${at}","version":"1","categories":[${times(8, (n) => `"c${at}_${n}${'x'.repeat(32)}"`)}]}`,
      ),
  },
])('the largest catalog of $what is listed in bounded memory', async ({ json }) => {
  await serving(json(), async (url) => {
    const result = await measured(['hub', 'list', '--hub', `${url}/v2`]);
    expect(result).toMatchObject({ code: 0, signal: undefined });
    expect(result.peak).toBeGreaterThan(100);
    expect(result.peak).toBeLessThan(MOST_MEGABYTES);
  });
});

it('a catalog with a million names of members is refused in bounded memory', async () => {
  const json = padded((at) => `{"name":"p${at}","version":"1",${times(12, (n) => `"k${at}_${n}":"value${at}_${n}"`)}}`);
  await serving(json, async (url) => {
    isBounded(await measured(['hub', 'list', '--hub', `${url}/v2`]), 12, 'TOO_LARGE');
  });
});

it('hub lint names the faults of a specification with 560,000 of them in bounded memory', () =>
  withTempDir(async (home) => {
    const folder = join(home, 'hub/packages/one/1.0.0');
    await mkdir(folder, { recursive: true });
    const given = { name: 'files', value: Array.from({ length: 560_000 }, (_, at) => at.toString(36)) };
    const actions = [{ type: 'load_datapack', arguments: [{ name: 'name', value: 'n' }, given] }];
    await writeFile(join(folder, 'spec.json'), JSON.stringify({ label: 'A', categories: [], actions, created: 1e9 }));
    const result = await measured(['hub', 'lint', './hub'], { cwd: home, home });
    isBounded(result, 12, 'BAD_SOURCE');
    expect(result.stderr).toContain('only the first 20000 errors and warnings are listed');
    expect(result.stderr).toContain('560000 errors');
  }));

it('a catalog with one package of 39 MB is refused in bounded memory', async () => {
  await serving(`[{"name":"p","version":"1","label":"${'x'.repeat(39_000_000)}"}]`, async (url) => {
    isBounded(await measured(['hub', 'list', '--hub', `${url}/v2`]), 12, 'TOO_LARGE');
  });
});

it('an answer of the platform with two million names of members is refused in bounded memory', async () => {
  await serving(`[{${times(2_000_000, (at) => `"k${at}":1`)}}]`, async (url) => {
    isBounded(await measured(['dashboard', '-n', 'default', '-u', url]), 12, 'TOO_LARGE');
  });
});

it('a version of 60 MB is refused in bounded memory', async () => {
  const use = async (url: string): Promise<void> => {
    isBounded(await measured(['dashboard', '-n', 'default', '-u', url]), 12, 'TOO_LARGE');
  };
  await serving(`{"version":"${'6'.repeat(60_000_000)}"}`, use, {});
});

/** What else is in a signed index, for so many bytes at most. */
type Filling = (bytes: number) => string;

const filledWith =
  (entry: (at: number, left: number) => string): Filling =>
  (bytes) => {
    const entries: string[] = [];
    for (let left = bytes; left > 600; left -= (entries.at(-1)?.length ?? 0) + 1)
      entries.push(entry(entries.length, left));
    return `${entries.join()},`;
  };

const longTexts = filledWith(
  (at, left) => `{"name":"p${at}","version":"1","files":[],"x":"${'x'.repeat(Math.min(300, left - 60))}"}`,
);
/** Packages of four files each, as many as are read, each with a digest of its own. */
const manyFiles = filledWith((at) => {
  const digest = (n: number): string => (4 * at + n).toString(16).padStart(64, '0');
  return `{"name":"p${at}","version":"1","files":[${times(4, (n) => `{"name":"f${n}.jar","size":1,"sha256":"${digest(n)}"}`)}]}`;
});

/** A hub with a signed index of so many bytes, whose key is trusted in a home, and with the largest catalog unless that is small. */
async function signedAlike<T>(
  bytes: number,
  use: (url: string, home: string) => Promise<T>,
  filling = longTexts,
  hasLargeCatalog = true,
): Promise<T> {
  const now = Date.now();
  const { files, key } = await signedHub({ packages: [hubPackage()], key: await hubKey({ now }), now });
  const index = files.get('index.json')?.toString() ?? '';
  const list = '"packages": [';
  const whole = index.replace(list, () => list + filling(bytes - index.length)).padEnd(bytes);
  files.set('index.json', Buffer.from(whole));
  files.set('index.json.asc', Buffer.from(await key.sign(Buffer.from(whole))));
  const known = files.get('packages.json')?.toString().trim().slice(1, -1) ?? '';
  const large = padded((at) => `{"name":"p${at}","version":"1","label":"${'x'.repeat(310)}"}`);
  if (hasLargeCatalog) files.set('packages.json', Buffer.from(`[${known},${large.slice(1)}`));
  const hub = await serveHub(files);
  try {
    return await withTempDir(async (home) => {
      await writeFile(join(home, 'key.asc'), key.publicKey);
      const pin = ['hub', 'key', 'add', join(home, 'key.asc'), '--hub', hub.url, '--fingerprint', key.fingerprint];
      expect((await runCli(pin, { home })).code).toBe(0);
      return await use(hub.url, home);
    });
  } finally {
    await hub.close();
  }
}

it('the largest catalog and the largest signed index are read in bounded memory', async () => {
  await signedAlike(20_000_000, async (url, home) => {
    const result = await measured(['hub', 'download', 'test-package', '--hub', url, '-D', './d'], { home });
    expect(result).toMatchObject({ code: 0, signal: undefined });
    expect(result.stdout).toContain('valid');
    expect(result.peak).toBeGreaterThan(100);
    expect(result.peak).toBeLessThan(MOST_FOR_BOTH);
  });
});

it('the largest signed index of nothing but files is verified in bounded memory', async () => {
  const verified = async (url: string, home: string): Promise<void> => {
    const result = await measured(['hub', 'verify', 'test-package@1.0.0', '--hub', url], { home });
    expect(result).toMatchObject({ code: 0, signal: undefined });
    expect(result.peak).toBeGreaterThan(100);
    expect(result.peak).toBeLessThan(MOST_MEGABYTES);
  };
  await signedAlike(20_000_000, verified, manyFiles, false);
});

it('a signed index with one byte more than the largest is refused', async () => {
  await signedAlike(20_000_001, async (url, home) => {
    isBounded(await measured(['hub', 'verify', 'test-package@1.0.0', '--hub', url], { home }), 12, 'TOO_LARGE');
  });
});

it.each([
  { what: 'incomplete actions', json: `{"actions":${list('{"type":"create_artifact"}', 115_000)}}` },
  { what: 'informational actions', json: `{"actions":${list('{"type":"informational"}', 160_000)}}` },
])('a specification of very many $what is refused in bounded memory', async ({ json }) => {
  await withTempDir(async (folder) => {
    await mkdir(join(folder, 'pack', '1.0.0'), { recursive: true });
    await writeFile(join(folder, 'pack', '1.0.0', 'spec.json'), json);
    isBounded(await measured(['hub', 'show', './pack/1.0.0'], { cwd: folder }), 12, 'TOO_LARGE');
  });
});

/** An archive of so many empty entries, each with a name of its own of so many bytes. */
function jarOf(entries: number, length: number): Buffer {
  const size = 46 + length;
  const directory = Buffer.alloc(entries * size);
  for (let at = 0; at < directory.length; at += size) {
    directory.writeUInt32LE(0x02014b50, at);
    directory.writeUInt16LE(length, at + 28);
    directory.write(String(at).padStart(length, 'x'), at + 46);
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt32LE(directory.length, 12);
  return Buffer.concat([directory, end]);
}

it.each([
  {
    what: '16 MB and 150,000 entries is read',
    entries: 150_000,
    length: 65,
    says: 'the JAR manifest specifies a version',
  },
  { what: '1.4 million entries is refused', entries: 1_400_000, length: 7, says: 'its directory is larger than' },
])('a JAR with a directory of $what in bounded memory', async ({ entries, length, says }) => {
  const named = { name: 'plug', jar: 'plug.jar', config: 'plug.json' };
  const action = {
    type: 'one_step_deploy_plugin',
    arguments: Object.entries(named).map(([name, value]) => ({ name, value })),
  };
  const resources = { 'plug.jar': jarOf(entries, length), 'plug.json': '{"parents":[]}' };
  const packages = [hubPackage({ name: 'plug', spec: { actions: [action] }, resources })];
  const { files } = await signedHub({ packages, index: false });
  await withTempDir(async (folder) => {
    await writeHubTree(folder, files);
    const result = await measured(['install', 'plug', '--hub', folder, '--dry-run=offline', '--verify', 'off']);
    isBounded(result, 12, 'BAD_JAR');
    expect(result.stderr).toContain(says);
  });
});

it
  .runIf(process.platform === 'linux')
  .each([
    { args: ['install', 'x', '-f', '/dev/zero'] },
    { args: ['install', 'x', '--set-file', '1.x=/dev/zero'] },
    { args: ['hub', 'list', '--hub', 'https://127.0.0.1:1/', '--ca-file', '/dev/zero'] },
    { args: ['hub', 'key', 'add', '/dev/full', '--hub', 'http://127.0.0.1:1/'] },
  ])('a device in place of a file is refused by $args.0 $args.1 ($args.2)', async ({ args }) => {
  isBounded(await measured(args), 15, 'LOCAL_IO');
});

it('the log of a run of half a gigabyte is written in bounded memory, whole', async () => {
  const server = fork(join(ROOT, 'test/bench/log-server.mjs'), ['512']);
  const [{ url }] = (await once(server, 'message')) as [{ url: string }];
  await withTempDir(async (home) => {
    const [file, log] = [join(home, 'peak'), join(home, 'run.log')];
    const env = { NODE_OPTIONS: `--require=${join(ROOT, 'test/bench/peak.cjs')}`, PEAK_FILE: file, CDAPCTL_URL: url };
    const out = await open(log, 'w');
    const args = [STARTER, 'pipeline', 'logs', 'default/big'];
    const child = spawn(process.execPath, args, {
      env: environmentOf(home, env),
      stdio: ['ignore', out.fd, 'inherit'],
    });
    expect(await once(child, 'close')).toEqual([0, null]);
    await out.close();
    expect((await stat(log)).size).toBe(512 * 1024 * 1024);
    expect(Number(await readFile(file, 'utf8'))).toBeLessThan(100);
  });
  server.kill();
});
