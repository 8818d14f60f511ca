import { readFile, writeFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { rawAnswer, rawServer } from '../support/raw-server.js';
import { ROOT, runCli, withTempDir, type RunResult } from '../support/run-cli.js';

const MOST_MEGABYTES = 250;
const MOST_MILLISECONDS = 30_000;

interface Measured extends RunResult {
  readonly peak: number;
}

/** Runs the tool and tells the most memory it had, in MB; a run that was aborted tells none. */
async function measured(args: readonly string[], options: { stdin?: string; cwd?: string } = {}): Promise<Measured> {
  return withTempDir(async (folder) => {
    const file = join(folder, 'peak');
    await writeFile(file, '');
    const env = { NODE_OPTIONS: `--require=${join(ROOT, 'test/bench/peak.cjs')}`, PEAK_FILE: file };
    const result = await runCli(args, { ...options, env, timeout: MOST_MILLISECONDS });
    return { ...result, peak: Number((await readFile(file, 'utf8')).split('\n')[0] ?? '0') };
  });
}

function isBounded(result: Measured, code: number, word: string): void {
  expect(result).toMatchObject({ code, signal: undefined });
  expect(result.stderr).toContain(`[${word}]`);
  expect(result.stderr).not.toContain('    at ');
  expect(result.peak).toBeGreaterThan(20);
  expect(result.peak).toBeLessThan(MOST_MEGABYTES);
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

const list = (element: string, times: number): string => `[${`${element},`.repeat(times)}${element}]`;
const entry = '{"name":"a","version":"1"}';

it.each([
  { what: '19 million numbers', json: list('0', 19_000_000), word: 'TOO_LARGE' },
  { what: '13 million empty objects', json: list('{}', 13_000_000), word: 'BAD_CATALOG' },
  { what: '1.4 million times the same package', json: list(entry, 1_400_000), word: 'BAD_CATALOG' },
  { what: 'one package with 2 million members', json: `[{"x":${list('{}', 2_000_000)}}]`, word: 'TOO_LARGE' },
])('a catalog of $what is refused in bounded memory', async ({ json, word }) => {
  await serving(json, async (url) => {
    isBounded(await measured(['hub', 'list', '--hub', `${url}/v2`]), 12, word);
  });
});

it.each([
  { what: '15 million numbers', json: list('0', 15_000_000), word: 'TOO_LARGE' },
  { what: '3.5 million numbers', json: list('0', 3_500_000), word: 'BAD_ANSWER' },
  { what: '10 million empty objects', json: list('{}', 10_000_000), word: 'TOO_LARGE' },
  { what: '300,000 empty objects', json: list('{}', 300_000), word: 'BAD_ANSWER' },
])('an answer of the platform that is $what is refused in bounded memory', async ({ json, word }) => {
  await serving(json, async (url) => {
    isBounded(await measured(['dashboard', '-n', 'default', '-u', url]), 12, word);
  });
});

it('a version of 60 MB is refused in bounded memory', async () => {
  const use = async (url: string): Promise<void> => {
    isBounded(await measured(['dashboard', '-n', 'default', '-u', url]), 12, 'TOO_LARGE');
  };
  await serving(`{"version":"${'6'.repeat(60_000_000)}"}`, use, {});
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
