import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closest } from '../../../src/core/closest.js';
import { buildSampleHub } from '../../../src/emulator/hub/build.js';
import { startEmulator } from '../../../src/emulator/start.js';
import { addKey } from '../../../src/state/trust-store.js';
import { runInProcess, type InProcess } from '../../support/in-process.js';
import { verdictSeed } from '../../support/upgrade-seed.js';

let home: string;
let platform: Awaited<ReturnType<typeof startEmulator>>;
const run = (id: string, ...words: readonly string[]): Promise<InProcess> => runInProcess(id, words, home);

async function done(id: string, ...words: readonly string[]): Promise<InProcess> {
  const ran = await run(id, ...words);
  expect(ran.error, ran.terminal.notes.join('\n')).toBeUndefined();
  return ran;
}

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'cdapctl-next-'));
  const sampleHub = await buildSampleHub({ now: Date.now() });
  const seed = verdictSeed('6.11.0');
  platform = await startEmulator({ port: 0, hubPort: 0, platform: '6.11.0', sampleHub, seed });
  await done('context:add', 'here', '-u', platform.url);
  await done('context:add', 'other', '-u', 'http://127.0.0.1:9');
  await done('hub:add', 'sample', platform.hub);
  const trust = join(home, '.local/state/cdapctl/trust');
  const { fingerprint, publicKey: armored } = sampleHub;
  await addKey(trust, platform.hub, { fingerprint, armored, addedAt: '2025-01-01T00:00:00Z' });
}, 60_000);

afterAll(async () => {
  await platform.close();
  await rm(home, { recursive: true, force: true });
});

describe('what is to be done next', () => {
  it('is told where a package is installed in another namespace, and an uninstall says where it works', async () => {
    await done('install', 'example-trim-fields', '-n', 'etl', '-y');
    const { error } = await run('uninstall', 'example-trim-fields', '-y');
    expect(error).toMatchObject({ code: 'PACKAGE_NOT_FOUND', exitCode: 5 });
    expect(error?.details.hints).toContain('cdapctl uninstall example-trim-fields -y --namespace etl');
    const { terminal } = await done('uninstall', 'example-trim-fields', '-n', 'etl', '-y');
    expect(terminal.notes.join('\n')).toMatch(/^Target: here {2}http\S+ {2}namespace etl/mu);
  });

  it.each([
    ['upgrade', ['--dry-run=offline'], ['Did you mean --dry-run=online?']],
    ['context:rename', ['here', 'other'], ['choose another name', 'cdapctl context show other']],
    ['context:add', ['here', '-u', 'http://127.0.0.1:8'], ['cdapctl context set here --url http://127.0.0.1:8']],
    ['dashboard', ['--end', 'now'], ['--start TIME --duration LENGTH, for example --start yesterday --duration 1d']],
    ['context:rename', [], []],
    ['upgrade', ['--nosuch'], ['cdapctl upgrade --help']],
    ['hub:key:list', ['--nosuch', '--neither'], ['cdapctl hub key list --help']],
    ['dashboard', ['--html', '/nosuch/a b/x.html'], ["mkdir -p '/nosuch/a b'"]],
  ])('can be pasted, and takes nothing away: %s %j', async (id, words, hints) => {
    const { error } = await run(id, ...words);
    expect(error?.details.hints ?? []).toEqual(hints);
  });

  it('is told with what differs and what is missing', async () => {
    const taken = await run('context:add', 'here', '-u', platform.url, '-n', 'etl');
    expect(taken.error?.message).toBe('context "here" already exists with another namespace');
    const two = await run('context:rename');
    expect(two.error?.message).toBe('missing arguments NAME and TO');
    const none = await run('context:set', 'here');
    expect(none.error?.message).toBe('nothing to change: specify at least one setting');
    const { terminal } = await done('config:unset', 'namespace', '--context', 'here');
    expect(terminal.out.join('')).toMatch(/^namespace is unset/u);
  });

  it('is the upgrade that a rollback takes back, with the platform of the line', async () => {
    await done('upgrade', '-n', 'etl', '-p', 'orders', '-y');
    const { terminal } = await done('upgrade:rollback', '--context', 'here', '--dry-run');
    expect(terminal.notes.join('\n')).toContain('older ones: cdapctl upgrade history --context here');
    const file = /Journal: (\S+),/u.exec(terminal.notes.join('\n'))?.[1] ?? '';
    const resumed = await run('upgrade', '--resume', '--journal', file, '-n', 'etl', '-p', 'orders', '-y');
    expect(resumed.terminal.notes.join('\n')).toMatch(
      /^Resuming the upgrade of \S+ \S+: namespace etl, 1 pipeline done \(journal \S+\)$/mu,
    );
  });

  it.each(['', 'first\nsecond\n'])('is told of a token file that holds no token: %j', async (text) => {
    const file = join(home, 'token');
    await writeFile(file, text, { mode: 0o600 });
    const { error } = await run('namespace:list', '-a', file);
    expect(error).toMatchObject({ code: 'TOKEN_BAD' });
    expect(error?.details.hints).toEqual([
      'the file must have one line with the token, or the JSON response of the authentication server',
    ]);
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  it('is told of a token that stands where its file belongs', async () => {
    const { error } = await run('namespace:list', '-a', 'tok123');
    expect(error?.details.hints).toEqual(['--token-file takes a file that contains the token, or - for stdin']);
  });
});

describe('a word that is near', () => {
  it.each([
    ['nope', 'gone', undefined],
    ['lsit', 'list', 'list'],
    ['prodd', 'prod', 'prod'],
    ['clikcs', 'clicks', 'clicks'],
  ])('is not one of which half is another: %s, %s', (word, known, found) => {
    expect(closest(word, [known])).toBe(found);
  });
});
