import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { acquireLock, runLockFile, type Lock } from '../../../src/state/lock.js';
import { writeHubTree } from '../../support/sites/hub-tree.js';
import { it, sampleHub, type Site } from '../../support/sites/install-site.js';
import { CTRL_C, CTRL_D, CTRL_U, CTRL_Z, ENTER, startPty, TAB, type Pty } from '../../support/processes/pty.js';

const hasTerminals = existsSync('/usr/bin/script');

const start = (site: Site, ...words: readonly string[]): Pty =>
  startPty(site.line(words), site.home, join(site.home, 'result'));

/** Takes the lock of the runs that write in the namespace of the site. */
const locked = (site: Site): Promise<Lock> =>
  acquireLock(
    runLockFile(join(site.home, '.local', 'state', 'cdapctl'), {
      kind: 'namespace',
      url: site.through,
      namespace: 'default',
    }),
    {
      pid: process.pid,
      host: hostname(),
      clock: { now: () => 0 },
    },
  );

const resultOf = (site: Site): Promise<string> => readFile(join(site.home, 'result'), 'utf8');

async function driver(site: Site, path: string): Promise<void> {
  const jar = (await sampleHub()).files.get('packages/example-memory-driver/1.0.0/example-memory-driver-1.0.0.jar');
  await site.file(path, jar ?? '');
}

describe.skipIf(!hasTerminals)('questions in a terminal', () => {
  it('ask for a JAR with completion, explain a wrong one and ask again; the result alone is on stdout', async ({
    site,
  }) => {
    await mkdir(join(site.home, 'drivers'));
    await driver(site, 'drivers/memory-driver-1.0.0.jar');
    await site.file('drivers/notes.jar', 'no archive');
    const pty = start(site, 'example-order-import');
    await pty.see('Path of the JAR (--jar 2=PATH)');
    pty.type(`~/drivers/no${TAB}`);
    await pty.see('~/drivers/notes.jar');
    pty.type(ENTER);
    await pty.see('not a valid JAR');
    expect(await site.writes()).toEqual([]);
    pty.type(`${CTRL_U}drivers/${TAB}`);
    await pty.see('memory-driver-1.0.0.jar');
    pty.type(`mem${TAB}`);
    await pty.see('drivers/memory-driver-1.0.0.jar');
    pty.type(ENTER);
    await pty.see('class org.example.jdbc.MemoryDriver found, manifest version 1.0.0');
    await pty.see('name (--set 4.name=...)');
    pty.type(ENTER);
    await pty.see('into namespace default');
    pty.type(ENTER);
    expect(await pty.end(), pty.shown()).toBe(0);
    expect(await resultOf(site)).toMatch(
      /^Installed example-order-import 2\.0\.0 in default \(4 actions, [\d.]+ s\)\n$/u,
    );
    expect(await site.statusOf('/apps/OrderImport')).toBe(200);
    expect(await site.statusOf('/artifacts/example-orders-driver/versions/1.0.0')).toBe(200);
  });

  it.for([
    ['the proposal', ENTER, 'CsvCopy'],
    ['another name', `NightlyCopy${ENTER}`, 'NightlyCopy'],
  ] as const)('let an argument be changed: %s', async ([, keys, name], { site }) => {
    const pty = start(site, 'example-csv-copy');
    await pty.see('name (--set 1.name=...)');
    await pty.see('CsvCopy');
    pty.type(keys);
    await pty.see(`pipeline ${name}`);
    await pty.see('into namespace default');
    pty.type(`y${ENTER}`);
    expect(await pty.end(), pty.shown()).toBe(0);
    expect(await site.statusOf(`/apps/${name}`)).toBe(200);
  });

  it('are answered by the command for a retry', async ({ site }) => {
    await driver(site, 'driver.jar');
    const refusal = { match: { method: 'PUT', path: '/apps/' }, kind: 'status', status: 500, when: 'before' };
    await site.fail(refusal);
    const pty = start(site, 'example-order-import');
    await pty.see('Path of the JAR (--jar 2=PATH)');
    pty.type(`driver.jar${ENTER}`);
    await pty.see('name (--set 4.name=...)');
    pty.type(`Nightly${ENTER}`);
    await pty.see('into namespace default');
    pty.type(ENTER);
    expect(await pty.end(), pty.shown()).toBe(10);
    expect(pty.shown().replaceAll(/\s+/gu, ' ')).toMatch(
      /cdapctl install example-order-import --hub \S+ -u \S+ --jar 2=driver\.jar --set 4\.name=Nightly/u,
    );
  });

  it('show the license and go on with a yes', async ({ site }) => {
    const pty = start(site, 'example-address-check');
    await pty.see('It comes without any promise.');
    await pty.see('Do you accept the license "license.txt"? (--accept-license)');
    pty.type(`y${ENTER}`);
    await pty.see('into namespace default');
    pty.type(ENTER);
    expect(await pty.end(), pty.shown()).toBe(0);
    expect(await site.statusOf('/artifacts/example-address-check/versions/1.2.0')).toBe(200);
  });

  it.for([
    ['the license', 'example-address-check', 'Do you accept the license', ENTER],
    ['the plan', 'example-trim-fields', 'into namespace default', `n${ENTER}`],
  ] as const)('take a no to %s for a no: 13, nothing sent', async ([, name, question, keys], { site }) => {
    const pty = start(site, name);
    await pty.see(question);
    pty.type(keys);
    expect(await pty.end(), pty.shown()).toBe(13);
    expect(pty.shown()).toContain('[DECLINED]');
    expect(await resultOf(site)).toBe('');
    expect(await site.writes()).toEqual([]);
  });

  it('propose no where a pipeline would be overwritten', async ({ site }) => {
    await site.install('example-csv-copy', '-y');
    const { configuration } = await site.pipeline('CsvCopy');
    const artifact = { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' };
    const config = configuration.replace('"maxConcurrentRuns": 1', '"maxConcurrentRuns": 2');
    await site.call('PUT', '/apps/CsvCopy', { artifact, config });
    await site.forget();
    const pty = start(site, 'example-csv-copy', '--set', '1.name=CsvCopy');
    await pty.see('[y/N]');
    pty.type(ENTER);
    expect(await pty.end(), pty.shown()).toBe(13);
    expect(await site.writes()).toEqual([]);
    expect((await site.pipeline('CsvCopy')).configuration).toBe(config);
  });

  it('end with 130 at Ctrl-C, nothing sent', async ({ site }) => {
    const pty = start(site, 'example-csv-copy');
    await pty.see('name (--set 1.name=...)');
    pty.type(CTRL_C);
    expect(await pty.end(), pty.shown()).toBe(130);
    expect(pty.shown()).not.toMatch(/\n\s+at |force closed/u);
    expect(await site.writes()).toEqual([]);
  });

  it.for([
    ['the plan', 'example-trim-fields', 'into namespace default', 13, '[DECLINED]'],
    ['an argument', 'example-csv-copy', 'name (--set 1.name=...)', 2, '[INPUT_MISSING]'],
    ['a JAR', 'example-order-import', 'Path of the JAR (--jar 2=PATH)', 2, '[INPUT_MISSING]'],
  ] as const)('end with Ctrl-D at %s, nothing sent', async ([, name, question, code, error], { site }) => {
    const pty = start(site, name);
    await pty.see(question);
    pty.type(CTRL_D);
    expect(await pty.end(), pty.shown()).toBe(code);
    expect(pty.shown()).toContain(error);
    expect(await site.writes()).toEqual([]);
  });

  it('stand there again after Ctrl-Z and fg', async ({ site }) => {
    const pty = startPty(site.line(['example-csv-copy']), site.home, join(site.home, 'result'), 2);
    for (const [question, keys] of [
      ['name (--set 1.name=...)', `Nightly${ENTER}`],
      ['into namespace default', ENTER],
    ] as const) {
      await pty.see(question);
      pty.type(CTRL_Z);
      await pty.see(question);
      pty.type(keys);
    }
    expect(await pty.end(), pty.shown()).toBe(0);
    expect(await site.statusOf('/apps/Nightly')).toBe(200);
  });

  it('ask again for a name that the platform does not take, and say why', async ({ site }) => {
    const pty = start(site, 'example-csv-copy');
    await pty.see('name (--set 1.name=...)');
    pty.type(`a b${ENTER}`);
    await pty.see('letters, digits, "_" and "-"');
    pty.type(`${CTRL_U}Nightly${ENTER}`);
    await pty.see('into namespace default');
    pty.type(`n${ENTER}`);
    expect(await pty.end(), pty.shown()).toBe(13);
    expect(pty.shown()).toContain('pipeline Nightly');
  });

  it('keep nobody else waiting, and what was done meanwhile is not done again', async ({ site }) => {
    const pty = start(site, 'example-trim-fields');
    await pty.see('into namespace default');
    expect((await site.install('example-trim-fields', '-y')).item?.state).toBe('installed');
    const writes = await site.writes();
    pty.type(ENTER);
    expect(await pty.end(), pty.shown()).toBe(0);
    expect(await resultOf(site)).toContain('is already installed');
    expect(await site.writes()).toEqual(writes);
  });

  it('are over when another run has begun meanwhile: LOCKED, with the command that asks them no more', async ({
    site,
  }) => {
    const pty = start(site, 'example-csv-copy');
    await pty.see('name (--set 1.name=...)');
    pty.type(`Nightly${ENTER}`);
    await pty.see('into namespace default');
    const lock = await locked(site);
    pty.type(ENTER);
    expect(await pty.end(), pty.shown()).toBe(6);
    await lock.release();
    expect(pty.shown()).toContain('[LOCKED]');
    expect(pty.shown().replaceAll(/\s+/gu, ' ')).toMatch(/cdapctl install example-csv-copy .*--set 1\.name=Nightly/u);
    expect(await site.writes()).toEqual([]);
  });

  it('of an uninstall keep nobody waiting', async ({ site }) => {
    await site.install('example-trim-fields', '-y');
    await site.forget();
    const words = ['installed', 'uninstall', 'example-trim-fields', '-u', site.through];
    const pty = startPty(words, site.home, join(site.home, 'result'));
    await pty.see('from namespace default');
    await (await locked(site)).release();
    pty.type(`y${ENTER}`);
    expect(await pty.end(), pty.shown()).toBe(0);
    expect(await site.writes()).toHaveLength(1);
  });

  it.for([
    ['--no-input', 2],
    ['--json', 2],
    ['-y', 0],
  ] as const)('are not asked with %s', async ([flag, code], { site }) => {
    const pty = start(site, 'example-csv-copy', flag);
    expect(await pty.end(), pty.shown()).toBe(code);
    expect(pty.shown()).not.toContain('? ');
  });
});

describe.skipIf(!hasTerminals)('Ctrl-C in the middle of an install', () => {
  it('lets the request in flight end, begins nothing new, and says how to go on', async ({ site }) => {
    await driver(site, 'driver.jar');
    const slow = { method: 'POST', path: '/example-orders-driver$' };
    await site.fail({ match: slow, kind: 'delay', when: 'before', milliseconds: 1500 });
    const words = ['example-order-import', '--jar', '2=driver.jar', '-y'];
    const pty = start(site, ...words);
    await pty.see('artifact example-orders-driver 1.0.0');
    await site.arrival('POST');
    pty.type(CTRL_C);
    expect(await pty.end(), pty.shown()).toBe(130);
    expect(await resultOf(site)).toBe('');
    expect(pty.shown()).toContain('Error: stopped by Ctrl-C; completed actions stay applied  [INTERRUPTED]');
    expect(pty.shown()).toMatch(/2 {2}done +artifact example-orders-driver 1\.0\.0\s+3 {2}not tried/u);
    expect(pty.shown().replaceAll(/\s+/gu, ' ')).toContain(
      'cdapctl install example-order-import --jar 2=driver.jar -y',
    );
    expect(await site.writes()).toEqual(['POST /v3/namespaces/default/artifacts/example-orders-driver 200']);
    await site.forget();
    const again = await site.cdapctl(site.line(words));
    expect(again.code, again.stderr).toBe(0);
    expect((await site.writes()).join()).not.toContain('example-orders-driver');
    expect(await site.statusOf('/apps/OrderImport')).toBe(200);
  });

  it('is told in json with what was done and what was not', async ({ site }) => {
    await driver(site, 'driver.jar');
    const slow = { method: 'POST', path: '/example-orders-driver$' };
    await site.fail({ match: slow, kind: 'delay', when: 'before', milliseconds: 1500 });
    const pty = start(site, 'example-order-import', '--jar', '2=driver.jar', '-y', '--json');
    await pty.see('artifact example-orders-driver 1.0.0');
    await site.arrival('POST');
    pty.type(CTRL_C);
    expect(await pty.end(), pty.shown()).toBe(130);
    const document = JSON.parse(await resultOf(site)) as {
      item: { state: string; actions: { state: string }[]; retry: string };
      error: object;
    };
    expect(document.error).toMatchObject({ code: 'INTERRUPTED', exitCode: 130 });
    expect(document.item).toMatchObject({ state: 'partial' });
    expect(document.item.actions.map(({ state }) => state)).toEqual(['done', 'done', 'not-run', 'not-run']);
  });
});

describe.skipIf(!hasTerminals)('a package that several hubs have', () => {
  const words = (site: Site): string[] => ['install', 'example-trim-fields', '-u', site.url];
  const DOWN = '\u001b[B';

  const twoHubs = async (site: Site): Promise<void> => {
    await writeHubTree(join(site.home, 'mirror'), (await sampleHub()).files);
    for (const hub of [
      ['corp', site.hub],
      ['mirror', join(site.home, 'mirror')],
    ])
      expect((await site.cdapctl(['hub', 'add', ...hub])).code).toBe(0);
  };

  it('is chosen in a list, which is no yes to its install', async ({ site }) => {
    await twoHubs(site);
    const pty = startPty(words(site), site.home, join(site.home, 'result'));
    await pty.see('Several hubs have the package example-trim-fields; which one?');
    await pty.see('corp    1.10.0  trusted key ');
    await pty.see('mirror  1.10.0  no trusted key');
    pty.type(DOWN);
    await pty.see('❯ mirror');
    pty.type(`${DOWN}\u001b[A${ENTER}`);
    await pty.see('which one? corp');
    await pty.see('into namespace default');
    pty.type(`n${ENTER}`);
    expect(await pty.end(), pty.shown()).toBe(13);
    expect(await site.writes()).toEqual([]);
  });

  it('is installed from the hub that was chosen, and so is what goes on with it', async ({ site }) => {
    await twoHubs(site);
    await site.fail({ match: { method: 'POST', path: '/artifacts/' }, kind: 'status', status: 400, when: 'before' });
    const pty = startPty([...words(site), '-y'], site.home, join(site.home, 'result'));
    await pty.see('which one?');
    pty.type(ENTER);
    expect(await pty.end(), pty.shown()).not.toBe(0);
    expect(pty.shown().replaceAll(/\s+/gu, ' ')).toContain(
      `cdapctl install corp/example-trim-fields -u ${site.url} -y`,
    );
  });

  it('ends at once by Ctrl-C at the list', async ({ site }) => {
    await twoHubs(site);
    const pty = startPty(words(site), site.home, join(site.home, 'result'));
    await pty.see('which one?');
    pty.type(CTRL_C);
    expect(await pty.end(), pty.shown()).toBe(130);
  });

  it('is a whole command for each of them where nobody can be asked', async ({ site }) => {
    await twoHubs(site);
    const { code, stderr } = await site.cdapctl([...words(site), '-y']);
    expect(code).toBe(2);
    for (const hub of ['corp', 'mirror'])
      expect(stderr).toContain(`cdapctl install ${hub}/example-trim-fields -u ${site.url} -y`);
    expect(await site.writes()).toEqual([]);
  });
});
