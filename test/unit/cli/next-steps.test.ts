import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { closest } from '../../../src/core/closest.js';
import { buildSampleHub } from '../../../src/emulator/hub/build.js';
import { startEmulator } from '../../../src/emulator/start.js';
import { addKey } from '../../../src/state/trust-store.js';
import { hintText } from '../../../src/output/next-steps.js';
import { runInProcess, type InProcess } from '../../support/processes/in-process.js';
import { ROOT } from '../../support/processes/run-cli.js';
import { verdictSeed } from '../../support/sites/upgrade-seed.js';

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
});

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
    ['login', ['-u', '127.0.0.1:9'], ['add the scheme, for example http://127.0.0.1:9']],
    ['login', ['-u', 'cdap.example.com'], ['add the scheme, for example https://cdap.example.com']],
    ['context:rename', [], []],
    ['upgrade', ['--nosuch'], ['cdapctl upgrade --help']],
    ['hub:key:list', ['--nosuch', '--neither'], ['cdapctl hub key list --help']],
    ['dashboard', ['--html', '/nosuch/a b/x.html'], ["mkdir -p '/nosuch/a b'"]],
  ])('can be pasted, and takes nothing away: %s %j', async (id, words, hints) => {
    const { error } = await run(id, ...words);
    expect((error?.details.hints ?? []).map(hintText)).toEqual(hints);
  });

  it('is a login, the same line with an address, or a context of those that are known, where no platform is specified', async () => {
    const url = 'https://cdap.example.com:10443';
    const logIn = `cdapctl login -u ${url}  # adds a context, which is used from then on`;
    const emulator = 'cdapctl emulator start  # an embedded platform for testing';
    const empty = await mkdtemp(join(tmpdir(), 'cdapctl-empty-'));
    const hints = async (...[id = '', ...words]: readonly string[]): Promise<readonly unknown[]> =>
      (await runInProcess(id, words, empty)).error?.details.hints ?? [];
    expect(await hints('pipeline:list', '-A')).toEqual([`cdapctl pipeline list -A --url ${url}`, logIn, emulator]);
    expect(await hints('login')).toEqual([logIn, emulator]);
    // Of contexts that are known none is the current one.
    await mkdir(join(empty, '.config/cdapctl'), { recursive: true });
    const contexts =
      'version: 1\ncontexts:\n  prod: { url: http://127.0.0.1:9 }\n  test: { url: http://127.0.0.1:8 }\n';
    await writeFile(join(empty, '.config/cdapctl/config.yaml'), contexts);
    expect((await runInProcess('pipeline:list', [], empty)).error).toMatchObject({
      message: 'no platform specified and no current context',
      details: { hints: ['cdapctl context use prod', 'cdapctl context use test'] },
    });
    await rm(empty, { recursive: true });
  });

  it('is not hidden by an empty value, which is shown as one', async () => {
    const { terminal } = await done('args:set', 'etl/orders', '--set', 'a=', '-y');
    expect(terminal.notes).toContainEqual(expect.stringMatching(/^ {2}\+ a {2}""$/mu));
    expect(terminal.out.join('')).toMatch(/^a {4}- {7}"" {5}added$/mu);
    expect((await done('args:list', 'etl/orders')).terminal.out.join('')).toMatch(/^a {4}""$/mu);
    expect((await done('args:list', 'etl/orders', '-o', 'csv')).terminal.out.join('')).toContain('\na,,');
    await done('args:clear', 'etl/orders', '-y');
  });

  it.each([
    [['upgrade:rollback', 'nope', '-y'], /^journal nope not found$/u, 'cdapctl upgrade history'],
    [['upgrade', '--resume', '--journal', 'nope'], /^journal nope not found$/u, 'cdapctl upgrade history'],
    [['upgrade', '-p', 'etl/nope', '-y'], /has no pipeline "nope"/u, 'cdapctl pipeline list -n etl'],
    [['schedule:suspend', 'etl', '-y'], /has no pipeline "etl"/u, 'for all schedules of namespace etl: -A -n etl'],
    [['schedule:list', 'etl'], /has no pipeline "etl"/u, 'for all schedules of namespace etl: -n etl'],
    [['hub:key:add', 'nofile.asc', '--hub', 'sample'], /nofile\.asc does not exist/u, /public key from the publisher/u],
    [
      ['hub:key:add', join(ROOT, 'package.json'), '--hub', 'sample'],
      /package\.json cannot be read: it has no public key$/u,
      /gpg --armor --export/u,
    ],
    [
      ['hub:key:add', 'x.asc', '--hub', 'sample', '--fingerprint', 'AAAA'],
      /^"AAAA" is not a full fingerprint$/u,
      /^get the full fingerprint from the owner of the key/u,
    ],
    [
      ['install', 'sample/example-postgres-driver', '--jar', '1=package.json', '--dry-run'],
      /does not take a JAR/u,
      'to list action numbers: cdapctl hub show PACKAGE --actions',
    ],
    [
      ['hub:show', 'sample/example-trim-fields@9.9.9'],
      /version 9\.9\.9/u,
      'cdapctl hub show sample/example-trim-fields --versions',
    ],
    [
      ['namespace:list', '--proxy', 'http://127.0.0.1:9'],
      /^cannot use the proxy http:\/\/127\.0\.0\.1:9 \(--proxy\): /u,
      'to connect without it: export NO_PROXY=127.0.0.1',
    ],
  ])('is told where it was not: %j', async ([id = '', ...words], message, hint) => {
    const { error } = await run(id, ...words);
    expect(error?.message).toMatch(message);
    expect((error?.details.hints ?? []).map(hintText)).toContainEqual(
      typeof hint === 'string' ? hint : expect.stringMatching(hint),
    );
  });

  it('is told in the names of a hub, of a platform and of a flag', async () => {
    const { terminal } = await done('hub:list', '--category', 'nope', '--hub', 'sample');
    expect(terminal.warnings).toEqual([
      {
        code: 'NO_CATEGORY',
        message: expect.stringMatching(/^no package has the category nope; categories: \S+, /u) as string,
      },
    ]);
    const spaces = await run('report:run', '--last', '1h', '--engine', 'runs', '-n', 'elt');
    expect((spaces.error?.details.hints ?? []).map(hintText).slice(0, 2)).toEqual([
      'Did you mean "etl"?',
      'cdapctl namespace list',
    ]);
    const flag = await run('hub:download', 'x', '--all');
    expect(flag.error?.details.hints).toEqual(['cdapctl hub download --help']);
    const twice = await run('report:run', '--sort', 'start', '--sort', 'end');
    expect(twice.error).toMatchObject({ code: 'USAGE', message: expect.stringContaining('--sort') as string });
  });

  it('is not needed where a line says what was done', async () => {
    const { terminal } = await done('report:service:stop', '-y');
    expect(terminal.notes).toContain('the report service is not running; nothing changed');
    const out = async (id: string, ...words: readonly string[]): Promise<string> =>
      (await done(id, ...words)).terminal.out.join('');
    expect(await out('hub:add', 'more', 'http://127.0.0.1:9/v2')).toBe('Added hub more (http://127.0.0.1:9/v2)\n');
    expect(await out('hub:add', 'more', 'http://127.0.0.1:9/v2')).toMatch(
      /^Hub more .* already exists .*nothing changed$/mu,
    );
    expect(await out('hub:remove', 'more', '-y')).toBe('Removed hub more (http://127.0.0.1:9/v2)\n');
  });

  it.each([
    ['upgrade', '-n', 'etl', '--check'],
    ['upgrade', '-n', 'etl', '--dry-run'],
    ['upgrade', '-n', 'etl', '--diff'],
    ['uninstall', 'example-trim-fields', '-n', 'etl', '--dry-run'],
  ])('is previewed with the platform that it is for: %s %s %s %s', async (id, ...words) => {
    await run('install', 'example-trim-fields', '-n', 'etl', '-y');
    const { terminal } = await run(id, ...words);
    expect(terminal.notes.join('\n')).toMatch(/^Target: here {2}http\S+ {2}namespace etl/mu);
  });

  it('is how to go on with a configuration that cannot be read, and where a proxy comes from', async () => {
    const [folder, proxy] = [join(home, 'broken'), 'http://127.0.0.1:9'];
    await mkdir(folder);
    await writeFile(join(folder, 'config.yaml'), 'contexts: [');
    const file = join(folder, 'config.yaml');
    const broken = await runInProcess('context:list', [], home, { env: { CDAPCTL_CONFIG_DIR: folder } });
    expect(broken.error?.details.hints).toEqual([`correct ${file}, or move it away: mv ${file} ${file}.bad`]);
    const lost = await runInProcess('namespace:list', [], home, { env: { HTTP_PROXY: proxy } });
    expect(lost.error?.message).toContain(`cannot use the proxy ${proxy} (HTTP_PROXY): `);
  });

  it('is told with what differs and what is missing', async () => {
    const taken = await run('context:add', 'here', '-u', platform.url, '-n', 'etl');
    expect(taken.error?.message).toBe('context "here" already exists with another namespace');
    const two = await run('context:rename');
    expect(two.error?.message).toBe('missing arguments NAME and TO');
    const none = await run('context:set', 'here');
    expect(none.error?.message).toBe('nothing to change: specify at least one setting');
    const { terminal } = await done('config:unset', 'namespace', '--context', 'here');
    expect(terminal.out.join('')).toMatch(/^namespace was not set; nothing changed /u);
  });

  it('is the upgrade that a rollback takes back, with the platform of the line', async () => {
    await done('upgrade', '-n', 'etl', '-p', 'orders', '-y');
    const { terminal } = await done('upgrade:rollback', '--context', 'here', '--dry-run');
    expect(terminal.notes.join('\n')).toContain('older ones: cdapctl upgrade history --context here');
    expect(terminal.notes.join('\n')).toMatch(/^Target: here {2}http/mu);
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
    expect((error?.details.hints ?? []).map(hintText)).toEqual([
      '-a (--token-file) takes a file that contains the token, or - for stdin',
    ]);
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
