import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runCli, withTempDir, type RunResult } from '../../support/processes/run-cli.js';
import { startCli } from '../../support/processes/running-cli.js';

const KEYS = resolve(import.meta.dirname, '../../fixtures/keys/signing');
const SPEC = { label: 'A', categories: ['example'], actions: [], created: 1 };
/** Puts a file into ./store, or removes it, and writes a line; fails where it is told. */
const PROGRAM = `
const { appendFileSync, copyFileSync, cpSync, existsSync, mkdirSync, rmSync } = require('node:fs');
const { dirname, join } = require('node:path');
const [path, file] = process.argv.slice(2);
if (!file && existsSync('stuck') && path.endsWith('spec.json')) { console.error('bucket is locked'); process.exit(4); }
if (existsSync('fail') && path.endsWith('index.json.asc')) { console.error('bucket is full'); process.exit(3); }
appendFileSync('steps.log', (file ? 'put ' : 'remove ') + path + '\\n');
if (existsSync('other')) cpSync('other', 'store', { recursive: true });
const place = join('store', path);
mkdirSync(dirname(place), { recursive: true });
if (file) copyFileSync(file, place); else rmSync(place);
`;

interface Item {
  readonly uploaded: readonly string[];
  readonly kept: number;
  readonly removed: readonly string[];
  readonly left: readonly string[];
}

interface Site {
  readonly home: string;
  readonly run: (...line: readonly string[]) => Promise<RunResult>;
  readonly add: (name: string) => void;
  /** Builds and signs the tree. */
  readonly make: () => Promise<void>;
  readonly publish: (...more: readonly string[]) => Promise<RunResult>;
  readonly item: (result: RunResult) => Item;
  readonly verify: (folder: string, ...more: readonly string[]) => Promise<number | undefined>;
}

/** A signed hub with the package `one`. */
async function atSite(test: (site: Site) => Promise<void>): Promise<void> {
  await withTempDir(async (home) => {
    for (const name of ['ed25519.secret.asc', 'ed25519.public.asc']) copyFileSync(join(KEYS, name), join(home, name));
    chmodSync(join(home, 'ed25519.secret.asc'), 0o600);
    writeFileSync(join(home, 'put.cjs'), PROGRAM);
    const run: Site['run'] = (...line) => runCli(line, { home, cwd: home });
    const add = (name: string): void => {
      const file = join(home, 'hub/packages', name, '1.0.0/spec.json');
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, JSON.stringify({ ...SPEC, label: name }));
    };
    const make = async (): Promise<void> => {
      for (const line of [
        ['build', './hub'],
        ['sign', './hub', '--key', 'ed25519.secret.asc'],
      ])
        expect((await run('hub', ...line)).code).toBe(0);
    };
    add('one');
    await make();
    await test({
      home,
      run,
      add,
      make,
      publish: (...more) => run('hub', 'publish', './hub', ...more, '--json'),
      item: ({ code, stdout, stderr }) => {
        expect([code, stderr]).toEqual([0, '']);
        return (JSON.parse(stdout) as { item: Item }).item;
      },
      verify: async (folder, ...more) =>
        (await run('hub', 'verify', folder, '--all', '--keyring', 'ed25519.public.asc', ...more)).code,
    });
  });
}

const ONE = ['packages/one/1.0.0/spec.json', 'packages/one/1.0.0/spec.json.asc'];
const TWO = ['packages/two/1.0.0/spec.json', 'packages/two/1.0.0/spec.json.asc'];
const FRONT = ['categories.json', 'packages.json', 'index.json.asc', 'index.json'];

describe('hub publish', () => {
  it('copies what differs, the index last, and removes only when it is told to and has a yes', () =>
    atSite(async ({ home, run, add, make, publish, item, verify }) => {
      expect((await publish('./public', '--plan')).code).toBe(0);
      expect(existsSync(join(home, 'public'))).toBe(false);
      expect(item(await publish('./public')).uploaded).toEqual([...ONE, ...FRONT]);
      expect(await verify('./public', '--strict')).toBe(0);
      const again = { folder: 'hub', target: 'public', uploaded: [], kept: 6, left: [] };
      expect(item(await publish('./public'))).toMatchObject(again);
      add('two');
      await make();
      const { stdout } = await publish('./public', '--plan');
      const steps = (JSON.parse(stdout) as { items: { action: string; path: string }[] }).items;
      expect(steps.map(({ action, path }) => [action, path])).toEqual(
        [...TWO, 'packages.json', 'index.json.asc', 'index.json'].map((path) => ['upload', path]),
      );
      expect(existsSync(join(home, 'public/packages/two'))).toBe(false);
      expect(item(await publish('./public'))).toMatchObject({ kept: 3 });
      rmSync(join(home, 'hub/packages/one'), { recursive: true });
      await make();
      expect(item(await publish('./public')).left).toEqual(ONE);
      expect(existsSync(join(home, 'public', ONE[0] ?? ''))).toBe(true);
      expect((await publish('./public', '--prune')).code).toBe(13);
      const removals = await run('hub', 'publish', './hub', './public', '--prune', '--plan');
      expect(removals.stdout).toMatch(/remove +packages\/one\/1\.0\.0\/spec\.json +[1-9]\d+\n/u);
      expect(item(await publish('./public', '--prune', '-y')).removed).toEqual(ONE);
      expect(readdirSync(join(home, 'public/packages'))).toEqual(['two']);
      expect(await verify('./public', '--strict')).toBe(0);
    }));

  it('refuses a tree that is not as its index says, older than the published hub, or the target itself', () =>
    atSite(async ({ home, run, add, make, publish }) => {
      await make();
      expect((await publish('./public')).code).toBe(0);
      const before = readFileSync(join(home, 'public/index.json'));
      const spec = join(home, 'hub', ONE[0] ?? '');
      writeFileSync(spec, JSON.stringify(SPEC));
      const changed = await publish('./public');
      expect([changed.code, changed.stdout]).toEqual([
        12,
        expect.stringContaining(`${ONE[0] ?? ''}: it does not match the index`),
      ]);
      add('one');
      add('three');
      expect((await publish('./public')).stdout).toContain(
        'packages/three/1.0.0/spec.json: the index does not list it',
      );
      rmSync(join(home, 'hub/packages/three'), { recursive: true });
      rmSync(join(home, 'hub/index.json'));
      rmSync(join(home, 'hub/index.json.asc'));
      const unsigned = await publish('./public');
      expect([unsigned.code, unsigned.stdout]).toEqual([9, expect.stringContaining('ROLLBACK')]);
      const next = 'hub sign hub --against ./public --key FILE';
      expect(unsigned.stdout).toContain(`cdapctl ${next}`);
      rmSync(join(home, 'hub/packages/one/1.0.0/spec.json.asc'));
      expect((await run(...next.replace('FILE', 'ed25519.secret.asc').split(' '))).code).toBe(0);
      expect((await publish('./public', '--plan')).code).toBe(0);
      writeFileSync(join(home, 'file'), '');
      const inPlace = await publish('file');
      expect([inPlace.code, inPlace.stdout]).toEqual([2, expect.stringContaining('file is a file, not a folder')]);
      expect(inPlace.stdout).not.toContain('--clobber');
      expect(readFileSync(join(home, 'public/index.json'))).toEqual(before);
      expect((await publish('./hub/public')).code).toBe(2);
      expect((await publish('.')).code).toBe(2);
      const nowhere = await publish();
      expect([nowhere.code, nowhere.stdout]).toEqual([2, expect.stringContaining('hub publish ./hub TARGET')]);
      expect((await publish('--command', 'cp {file} store')).code).toBe(2);
      expect((await publish('--command', 'cp {file} store/{path}', '--prune')).code).toBe(2);
    }));

  it('runs a program for each file, goes on after a failure, and sends only what the published index does not have', () =>
    atSite(async ({ home, run, add, make, publish, item, verify }) => {
      const program = (...more: readonly string[]) =>
        publish('--command', `'${process.execPath}' put.cjs {path} {file}`, '--concurrency', '1', ...more);
      const log = (): readonly string[] => {
        const lines = readFileSync(join(home, 'steps.log'), 'utf8').trimEnd().split('\n');
        rmSync(join(home, 'steps.log'));
        return lines;
      };
      writeFileSync(join(home, 'fail'), '');
      const failed = await program();
      expect(failed.code).toBe(10);
      for (const words of ['ended with status 3 for index.json.asc', 'bucket is full', '4 of 6 files published'])
        expect(failed.stdout).toContain(words);
      expect(failed.stdout).toContain('clients reject the hub until it is complete: run the same command again now');
      expect(log()).toEqual([...ONE, 'categories.json', 'packages.json'].map((path) => `put ${path}`));
      rmSync(join(home, 'fail'));
      expect(item(await program()).uploaded).toEqual([...ONE, ...FRONT]);
      expect(log()).toEqual([...ONE, ...FRONT].map((path) => `put ${path}`));
      expect(await verify('./store', '--strict')).toBe(0);
      expect((await run('hub', 'add', 'store', join(home, 'store'))).code).toBe(0);
      add('two');
      rmSync(join(home, 'hub/packages/one'), { recursive: true });
      await make();
      const remove = ['--prune', '-y', '--remove-command', `'${process.execPath}' put.cjs {path}`];
      expect(item(await program('--against', 'store', ...remove)).removed).toEqual(ONE);
      expect(log()).toEqual([
        ...[...TWO, 'packages.json', 'index.json.asc', 'index.json'].map((path) => `put ${path}`),
        ...ONE.map((path) => `remove ${path}`),
      ]);
      expect(await verify('./store', '--strict')).toBe(0);
    }));

  it('removes what an earlier run did not, failed or without --prune, and no signature that never was', () =>
    atSite(async ({ home, run, add, make, publish, item, verify }) => {
      const program = (...more: readonly string[]) =>
        publish('--command', `'${process.execPath}' put.cjs {path} {file}`, '--concurrency', '1', ...more);
      const against = ['--against', 'store'];
      const prune = [...against, '--prune', '-y', '--remove-command', `'${process.execPath}' put.cjs {path}`];
      const drop = async (name: string): Promise<void> => {
        rmSync(join(home, 'hub/packages', name), { recursive: true });
        await make();
      };
      mkdirSync(join(home, 'store'));
      writeFileSync(join(home, 'store/packages.json'), '[]');
      expect((await run('hub', 'add', 'store', join(home, 'store'))).code).toBe(0);
      add('two');
      add('three');
      const THREE = TWO.map((path) => path.replace('two', 'three'));
      const icon = 'packages/two/1.0.0/icon.png';
      writeFileSync(join(home, 'hub', icon), Buffer.from('89504e470d0a1a0a', 'hex'));
      await make();
      item(await program(...against));
      await drop('two');
      writeFileSync(join(home, 'stuck'), '');
      const failed = await program(...prune);
      expect([failed.code, failed.stdout]).toEqual([10, expect.stringContaining('1 of 3 files removed; then: ')]);
      expect(failed.stdout).toContain(
        'the hub is published: to remove the remaining files, run the same command again',
      );
      expect(existsSync(join(home, 'store', icon))).toBe(false);
      rmSync(join(home, 'stuck'));
      expect((await program(...prune, '--plan')).stdout).toContain('remove');
      // As if a run was killed right after the program had removed it.
      rmSync(join(home, 'store', TWO[1] ?? ''));
      expect(item(await program(...prune))).toMatchObject({ uploaded: [], removed: [icon, ...TWO], left: [] });
      expect(existsSync(join(home, 'store', TWO[0] ?? ''))).toBe(false);
      await drop('three');
      expect(item(await program(...against)).left).toEqual(THREE);
      expect(item(await program(...against)).left).toEqual(THREE);
      expect(item(await program(...prune)).removed).toEqual(THREE);
      expect(item(await program(...prune))).toMatchObject({ uploaded: [], removed: [], left: [] });
      expect(await verify('./store', '--strict')).toBe(0);
    }));

  it('leaves the tree to other commands while it waits for removals, which the next run makes up if it ends', () =>
    atSite(async ({ home, add, make, publish, item }) => {
      add('two');
      await make();
      item(await publish('./public'));
      rmSync(join(home, 'hub/packages/two'), { recursive: true });
      await make();
      const line = ['hub', 'publish', './hub', './public', '--prune', '--grace', '1h', '-y'];
      const run = startCli(line, { home, env: {}, timeout: 30_000 });
      await run.see('the hub is published');
      await make();
      expect((await publish('./public')).code).toBe(6);
      run.kill('SIGINT');
      expect((await run.ended).code).toBe(130);
      expect(item(await publish('./public', '--prune', '-y'))).toMatchObject({ uploaded: [], removed: TWO });
    }));

  it('makes no folder for a publication that it refuses', () =>
    atSite(async ({ home, publish }) => {
      expect((await publish('./hub/public')).code).toBe(2);
      writeFileSync(join(home, 'hub', ONE[0] ?? ''), JSON.stringify(SPEC));
      expect((await publish('./new/public')).code).toBe(12);
      expect([existsSync(join(home, 'hub/public')), existsSync(join(home, 'new'))]).toEqual([false, false]);
    }));

  it('refuses to replace what somebody else has published meanwhile', () =>
    atSite(async ({ home, run, add, make, publish, item, verify }) => {
      const program = () =>
        publish('--command', `'${process.execPath}' put.cjs {path} {file}`, '--concurrency', '1', '--against', 'store');
      mkdirSync(join(home, 'store'));
      writeFileSync(join(home, 'store/packages.json'), '[]');
      expect((await run('hub', 'add', 'store', join(home, 'store'))).code).toBe(0);
      item(await program());
      cpSync(join(home, 'hub'), join(home, 'mine'), { recursive: true });
      add('two');
      await make();
      renameSync(join(home, 'hub'), join(home, 'other'));
      renameSync(join(home, 'mine'), join(home, 'hub'));
      add('three');
      await make();
      const published = readFileSync(join(home, 'other/index.json'));
      const { code, stdout } = await program();
      expect([code, stdout]).toEqual([9, expect.stringContaining('another index 2')]);
      expect(stdout).toContain('cdapctl hub sign hub --against store --key FILE');
      expect(readFileSync(join(home, 'store/index.json'))).toEqual(published);
      expect(await verify('./store', '--strict')).toBe(0);
    }));

  it('sends signatures that were made after an index that stood for them', () =>
    atSite(async ({ home, run, publish, item }) => {
      const program = () =>
        publish('--command', `'${process.execPath}' put.cjs {path} {file}`, '--concurrency', '1', '--against', 'store');
      const sign = async (...more: readonly string[]): Promise<void> => {
        expect((await run('hub', 'sign', './hub', '--key', 'ed25519.secret.asc', ...more)).code).toBe(0);
      };
      rmSync(join(home, 'hub', ONE[1] ?? ''));
      await sign('--index-only');
      mkdirSync(join(home, 'store'));
      writeFileSync(join(home, 'store/packages.json'), '[]');
      expect((await run('hub', 'add', 'store', join(home, 'store'))).code).toBe(0);
      expect(item(await program()).uploaded).toEqual([ONE[0], ...FRONT]);
      await sign();
      expect(item(await program()).uploaded).toEqual([ONE[1], 'index.json.asc', 'index.json']);
      expect(item(await program()).uploaded).toEqual([]);
    }));

  it('neither builds, signs nor publishes a secret key', () =>
    atSite(async ({ home, run, publish }) => {
      const leak = join(home, 'hub/packages/one/1.0.0/backup.asc');
      copyFileSync(join(KEYS, 'ed25519.secret.asc'), leak);
      for (const line of [
        ['lint', './hub', '--rule', 'REF_UNUSED=off'],
        ['build', './hub', '--strict'],
        ['sign', './hub', '--key', 'ed25519.secret.asc'],
      ]) {
        const { code, stdout, stderr } = await run('hub', ...line);
        expect([code, stdout + stderr]).toEqual([12, expect.stringContaining('it contains a secret key')]);
      }
      expect(existsSync(`${leak}.asc`)).toBe(false);
      const published = await publish('./public');
      expect([published.code, published.stdout]).toEqual([
        12,
        expect.stringContaining('backup.asc: it contains a secret'),
      ]);
      expect(existsSync(join(home, 'public/index.json'))).toBe(false);
    }));

  it.each(['', 'publisher.asc'])('publishes no signature of another file, with the key in the tree or not: %j', (key) =>
    atSite(async ({ home, add, make, run, publish, item }) => {
      add('two');
      if (key !== '') copyFileSync(join(home, 'ed25519.public.asc'), join(home, 'hub', key));
      await make();
      const right = readFileSync(join(home, 'hub', TWO[1] ?? ''));
      copyFileSync(join(home, 'hub', ONE[1] ?? ''), join(home, 'hub', TWO[1] ?? ''));
      const { code, stdout } = await publish('./public');
      expect([code, stdout]).toEqual([
        9,
        expect.stringContaining(`${TWO[1] ?? ''}: it is not a signature of this file`),
      ]);
      expect(existsSync(join(home, 'public/packages'))).toBe(false);
      writeFileSync(join(home, 'hub', TWO[1] ?? ''), right);
      expect(item(await publish('./public')).removed).toEqual([]);
      expect((await run('hub', 'publish', './hub', './public', '--plan')).code).toBe(0);
    }),
  );

  it.each([
    ['has expired', '1ms', 'the index expired at '],
    ['expires sooner than clocks differ', '4m', 'the index expires at '],
  ])('publishes nothing with an index that %s', (_, expires, words) =>
    atSite(async ({ home, run, publish }) => {
      const refresh = ['hub', 'sign', './hub', '--key', 'ed25519.secret.asc', '--refresh', '--expires'];
      expect((await run(...refresh, expires)).code).toBe(0);
      for (const more of [[], ['--plan']]) {
        const { code, stdout, stderr } = await run('hub', 'publish', './hub', './public', ...more);
        expect([code, stdout, stderr]).toEqual([9, '', expect.stringContaining(words)]);
        expect(stderr).toContain('to renew the index: cdapctl hub sign hub --refresh --key FILE');
      }
      expect(existsSync(join(home, 'public'))).toBe(false);
      expect((await run(...refresh, '6m')).code).toBe(0);
      expect((await publish('./public')).code).toBe(0);
    }),
  );

  it('refuses other content of a version that is published, unless each file is named', () =>
    atSite(async ({ home, run, publish, item }) => {
      item(await publish('./public'));
      const spec = join(home, 'hub', ONE[0] ?? '');
      writeFileSync(spec, readFileSync(spec, 'utf8').replace('one', 'other'));
      const forced = ['--force-file', 'one/1.0.0/spec.json'];
      for (const line of [
        ['build', './hub'],
        ['sign', './hub', '--key', 'ed25519.secret.asc'],
      ])
        expect((await run('hub', ...line, ...forced)).code).toBe(0);
      const before = readFileSync(join(home, 'public/index.json'));
      for (const more of [[], ['--plan']]) {
        const { code, stdout } = await publish('./public', ...more);
        expect([code, JSON.parse(stdout)]).toMatchObject([
          6,
          {
            error: {
              code: 'REPUBLISH',
              message: '1 file of published versions would change in ./public',
              hints: ['give the package a new version', expect.stringContaining('--force-file one/1.0.0/spec.json')],
            },
          },
        ]);
      }
      expect(readFileSync(join(home, 'public/index.json'))).toEqual(before);
      expect(item(await publish('./public', ...forced)).uploaded).toContain(ONE[0]);
    }));

  it('does not overwrite changes in a source tree if the two folders are swapped, but updates and repairs a copy', () =>
    atSite(async ({ home, run, add, make, publish, item }) => {
      item(await publish('./public'));
      cpSync(join(home, 'hub'), join(home, 'copy'), { recursive: true });
      const spec = join(home, 'hub', ONE[0] ?? '');
      writeFileSync(spec, JSON.stringify({ ...SPEC, label: 'changed' }));
      const before = readFileSync(spec);
      for (const more of [[], ['--plan'], ['--force-file', 'one/1.0.0/spec.json']]) {
        const swapped = await run('hub', 'publish', './public', './hub', ...more, '--json');
        expect([swapped.code, JSON.parse(swapped.stdout)]).toMatchObject([
          6,
          {
            error: {
              code: 'CONFLICT',
              message: './hub has 1 file with content that its index does not list; nothing was published',
              target: { file: `./hub/${ONE[0] ?? ''}` },
            },
          },
        ]);
      }
      expect(readFileSync(spec)).toEqual(before);
      add('one');
      add('two-SNAPSHOT');
      await make();
      writeFileSync(join(home, 'copy', ONE[0] ?? ''), 'damaged');
      expect(item(await publish('./copy')).uploaded).toContain('packages/two-SNAPSHOT/1.0.0/spec.json');
    }));

  it('warns of files that are named to be forced and do not exist, as build and sign do', () =>
    atSite(async ({ home, run, publish, item }) => {
      item(await publish('./public'));
      const none = 'one/1.0.0/none.jar';
      const warning = `--force-file ${none} has no effect: neither the hub nor its index has this file`;
      rmSync(join(home, 'hub', ONE[0] ?? ''));
      writeFileSync(join(home, 'hub/packages/one/1.0.0/new.json'), '{}');
      const forced = [none, 'one/1.0.0/spec.json', 'one/1.0.0/new.json'].flatMap((file) => ['--force-file', file]);
      writeFileSync(join(home, 'hub', ONE[0] ?? ''), JSON.stringify({ ...SPEC, label: 'other' }));
      for (const line of [
        ['build', './hub'],
        ['sign', './hub', '--key', 'ed25519.secret.asc'],
        ['publish', './hub', './public'],
      ]) {
        const { code, stderr } = await run('hub', ...line, ...forced);
        expect([code, stderr]).toEqual([0, expect.stringContaining(warning)]);
        expect(stderr.split('has no effect')).toHaveLength(2);
      }
    }));

  it('does not publish a signed tree that has lost signatures, until it is signed again', () =>
    atSite(async ({ home, make, publish, item }) => {
      item(await publish('./public'));
      const signature = ONE[1] ?? '';
      rmSync(join(home, 'hub', signature));
      for (const more of [[], ['--prune', '-y']]) {
        const { code, stdout } = await publish('./public', ...more);
        expect([code, stdout]).toEqual([12, expect.stringContaining(`${ONE[0] ?? ''}: it has no signature`)]);
      }
      expect(existsSync(join(home, 'public', signature))).toBe(true);
      await make();
      expect(item(await publish('./public', '--prune')).left).toEqual([]);
    }));

  it('repairs a damaged file of the target', () =>
    atSite(async ({ home, publish, item, verify }) => {
      item(await publish('./public'));
      writeFileSync(join(home, 'public', ONE[0] ?? ''), 'damaged');
      expect(item(await publish('./public')).uploaded).toEqual([ONE[0]]);
      expect(await verify('./public', '--strict')).toBe(0);
    }));

  it('refuses other content of a version that was dropped, and that the target still has', () =>
    atSite(async ({ home, run, add, make, publish, item }) => {
      add('two');
      await make();
      item(await publish('./public'));
      rmSync(join(home, 'hub/packages/one'), { recursive: true });
      expect((await run('hub', 'build', './hub')).code).toBe(0);
      const sign = await run('hub', 'sign', './hub', '--key', 'ed25519.secret.asc');
      const note = 'note: no longer in the hub since index 2: one 1.0.0\n';
      expect([sign.code, sign.stderr]).toEqual([0, expect.stringContaining(note)]);
      item(await publish('./public'));
      add('one');
      const spec = join(home, 'hub', ONE[0] ?? '');
      writeFileSync(spec, readFileSync(spec, 'utf8').replace('one', 'other'));
      await make();
      const { code, stdout } = await publish('./public');
      expect([code, JSON.parse(stdout)]).toMatchObject([6, { error: { code: 'REPUBLISH' } }]);
      expect(item(await publish('./public', '--force-file', 'one/1.0.0/spec.json')).uploaded).toContain(ONE[0]);
    }));

  it.each(['public/packages/one', 'public/.cdapctl-first/packages/one'])(
    'V29: writes nothing behind a link at %s',
    (link) =>
      atSite(async ({ home, publish }) => {
        const victim = join(home, 'victim', '1.0.0/spec.json');
        for (const path of [victim, join(home, 'victim/one/1.0.0/spec.json')]) {
          mkdirSync(dirname(path), { recursive: true });
          writeFileSync(path, 'mine');
        }
        mkdirSync(dirname(join(home, link)), { recursive: true });
        symlinkSync(join(home, 'victim'), join(home, link));
        const { code, stdout } = await publish('./public');
        expect([code, JSON.parse(stdout)]).toMatchObject([15, { error: { code: 'SYMLINK' } }]);
        expect(readFileSync(victim, 'utf8') + String(readdirSync(join(home, 'victim/1.0.0')))).toBe('minespec.json');
      }),
  );

  it('V29: removes a signature that the tree no longer has together with the content that it was for', () =>
    atSite(async ({ home, run, make, publish, item, verify }) => {
      const jar = 'packages/one/1.1.0-SNAPSHOT/one.jar';
      const put = (content: string): void => {
        mkdirSync(dirname(join(home, 'hub', jar)), { recursive: true });
        writeFileSync(join(home, 'hub', dirname(jar), 'spec.json'), JSON.stringify(SPEC));
        writeFileSync(join(home, 'hub', jar), content);
      };
      put('first');
      await make();
      item(await publish('./public'));
      put('second');
      rmSync(join(home, 'hub', `${jar}.asc`));
      const sign = ['hub', 'sign', './hub', '--key', 'ed25519.secret.asc', '--index-only'];
      expect((await run(...sign)).code).toBe(0);
      const { stdout } = await publish('./public', '--plan');
      expect(stdout).toMatch(new RegExp(`"action":\\s*"remove",\\s*"path":\\s*"${jar}.asc"`, 'u'));
      expect(item(await publish('./public'))).toMatchObject({ removed: [`${jar}.asc`], left: [] });
      expect(await verify('./public')).toBe(0);
    }));

  it.each([
    ['an older index', true],
    ['another index of the same number', false],
  ])('says how a tree with %s continues the number of the published hub', (_, isOlder) =>
    atSite(async ({ home, run, publish, item }) => {
      const sign = ['hub', 'sign', './hub', '--key', 'ed25519.secret.asc', '--refresh'];
      cpSync(join(home, 'hub'), join(home, 'first'), { recursive: true });
      cpSync(join(home, 'hub'), join(home, 'other'), { recursive: true });
      expect((await run(...sign)).code).toBe(0);
      item(await publish('./public'));
      rmSync(join(home, 'hub'), { recursive: true });
      renameSync(join(home, 'other'), join(home, 'hub'));
      expect((await run(...sign, '--expires', '1d')).code).toBe(0);
      if (isOlder) cpSync(join(home, 'first'), join(home, 'hub'), { recursive: true });
      const refused = await publish('./public');
      const { error } = JSON.parse(refused.stdout) as { error: { code: string; hints: readonly string[] } };
      expect([refused.code, error.code]).toEqual([9, 'ROLLBACK']);
      const [first, last = ''] = error.hints;
      expect(first).toMatch(/^get the tree that was published last/u);
      const line = last.replace(/^.*: cdapctl /u, '').replace('FILE', 'ed25519.secret.asc');
      expect((await run(...line.split(' '))).code).toBe(0);
      expect(item(await publish('./public')).uploaded).toEqual(['index.json.asc', 'index.json']);
    }),
  );

  it('tells what somebody else has published and an older tree would take away', () =>
    atSite(async ({ home, run, add, make, publish, item }) => {
      cpSync(join(home, 'hub'), join(home, 'mine'), { recursive: true });
      add('two');
      await make();
      item(await publish('./public'));
      rmSync(join(home, 'hub'), { recursive: true });
      renameSync(join(home, 'mine'), join(home, 'hub'));
      const sign = ['hub', 'sign', './hub', '--against', './public', '--force', '--json', '--key'];
      const { code, stdout } = await run(...sign, 'ed25519.secret.asc');
      expect([code, JSON.parse(stdout)]).toMatchObject([
        0,
        { item: { sequence: 3 }, warnings: [{ code: 'VERSIONS_GONE' }] },
      ]);
      expect(stdout).toContain('published index 2 has two 1.0.0, which this tree does not have');
      for (const name of ['index.json.asc', 'index.json']) rmSync(join(home, 'public', name));
      writeFileSync(join(home, 'public/index.json'), readFileSync(join(home, 'hub/index.json')));
      rmSync(join(home, 'hub'), { recursive: true });
      add('one');
      await make();
      const forged = await run(...sign, 'ed25519.secret.asc');
      expect([forged.code, forged.stdout]).toEqual([9, expect.stringContaining('only if both are verified')]);
    }));

  it('warns of a hub of which nothing is signed, and removes nothing where no hub was', () =>
    atSite(async ({ home, run }) => {
      for (const name of ['hub/index.json', 'hub/index.json.asc', `hub/${ONE[1] ?? ''}`]) rmSync(join(home, name));
      const mine = join(home, 'other/packages/mine/1.0/f.txt');
      mkdirSync(dirname(mine), { recursive: true });
      writeFileSync(mine, '');
      const refused = await run('hub', 'publish', './hub', './other', '--prune', '-y');
      const theirs = './other has packages/mine/1.0/f.txt, which hub publish may not have put there';
      expect([refused.code, refused.stderr]).toEqual([6, expect.stringContaining(theirs)]);
      expect(readdirSync(join(home, 'other'))).toEqual(['packages']);
      const { code, stderr } = await run('hub', 'publish', './hub', './other');
      expect([code, stderr]).toEqual([
        0,
        expect.stringContaining('nothing in the hub is signed: cdapctl hub sign hub --key FILE'),
      ]);
      // Published into, the folder is a hub, but not all of it came with the hub.
      expect((await run('hub', 'publish', './hub', './other', '--prune', '-y')).code).toBe(6);
      expect(existsSync(mine)).toBe(true);
    }));

  it('removes what an unsigned publication has left, once the hub is signed', () =>
    atSite(async ({ home, run, add, make, publish }) => {
      add('two');
      for (const name of ['index.json', 'index.json.asc', ONE[1] ?? '']) rmSync(join(home, 'hub', name));
      expect((await run('hub', 'build', './hub')).code).toBe(0);
      expect((await publish('./public')).code).toBe(0);
      rmSync(join(home, 'hub/packages/two'), { recursive: true });
      await make();
      expect((await publish('./public', '--prune', '-y')).code).toBe(0);
      expect(readdirSync(join(home, 'public/packages'))).toEqual(['one']);
    }));

  it('removes nothing from a source tree, and warns of a hub that is signed with another key', () =>
    atSite(async ({ home, run, publish }) => {
      const mine = join(home, 'tree/packages/mine/1.0.0/spec.json');
      mkdirSync(dirname(mine), { recursive: true });
      writeFileSync(mine, JSON.stringify(SPEC));
      const prune = () => run('hub', 'publish', './hub', './tree', '--prune', '-y');
      const theirs = './tree has packages/mine/1.0.0/spec.json, which hub publish may not have put there';
      expect((await run('hub', 'build', './tree')).code).toBe(0);
      expect(await prune()).toMatchObject({ code: 6, stderr: expect.stringContaining(theirs) as string });
      expect([existsSync(mine), existsSync(join(home, 'tree/index.json'))]).toEqual([true, false]);
      expect((await run('hub', 'sign', './tree', '--key', 'ed25519.secret.asc')).code).toBe(0);
      expect((await prune()).code).not.toBe(0);
      expect(existsSync(mine)).toBe(true);

      expect((await publish('./public')).code).toBe(0);
      const key = ['hub', 'key', 'generate', '--name', 'Other', '--no-passphrase', '-O', 'other.key'];
      expect((await run(...key)).code).toBe(0);
      rmSync(join(home, 'hub/index.json'));
      expect((await run('hub', 'sign', './hub', '--key', 'other.key', '--against', './public', '--force')).code).toBe(
        0,
      );
      const other = await run('hub', 'publish', './hub', './public');
      expect([other.code, other.stderr]).toEqual([
        0,
        expect.stringMatching(
          /^warning: the published hub is signed by [0-9A-F]{40}, this one by [0-9A-F]{40}: clients/mu,
        ),
      ]);
    }));

  it('warns of a catalog that lacks a package, as sign does', () =>
    atSite(async ({ home, run, add }) => {
      add('two');
      const told = (path: string): object => ({
        warnings: [
          {
            code: 'CATALOG_STALE',
            message: `packages.json does not list ${path}; build the hub again, unless this is intended`,
          },
        ],
      });
      const sign = await run('hub', 'sign', './hub', '--key', 'ed25519.secret.asc', '--json');
      expect([sign.code, JSON.parse(sign.stdout)]).toEqual([0, expect.objectContaining(told('two 1.0.0'))]);
      const made = await run('hub', 'publish', './hub', './public', '--json');
      expect([made.code, JSON.parse(made.stdout)]).toEqual([0, expect.objectContaining(told('two 1.0.0'))]);
      const lint = await run('hub', 'lint', './hub');
      expect([lint.code, lint.stdout]).toEqual([0, expect.stringContaining('CATALOG_STALE')]);
      rmSync(join(home, 'hub/packages/two'), { recursive: true });
      expect((await run('hub', 'sign', './hub', '--key', 'ed25519.secret.asc')).stderr).not.toContain('packages.json');
    }));
});
