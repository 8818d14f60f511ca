import { mkdirSync, readdirSync, readFileSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readJars } from '../../../../../src/services/hosting/pack/jar-inputs.js';
import {
  createdBefore,
  refuseExisting,
  restorePackages,
  writePackages,
  type NewPackage,
} from '../../../../../src/services/hosting/pack/write-packages.js';
import { temporaryName } from '../../../../../src/state/temporary.js';
import { errorOf, saidBy, thrownBy } from '../../../../support/errors.js';
import { pluginJar } from '../../../../support/sites/pack-jars.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

const NEVER = new AbortController().signal;
const NO_PROCESS = 2 ** 30;
const PLACE = { name: 'acme', version: '1.2.0' };
const JAR = pluginJar();

/** The name of a temporary folder of a run that is dead. */
const deadName = (): string => temporaryName().replace(/-\d+-(?=[^-]+-[^-]+$)/u, `-${NO_PROCESS}-`);

function write(file: string, content: string | Buffer): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}

interface Site {
  readonly root: string;
  /** The folder of a package in the tree. */
  readonly folder: string;
  /** A package of the JAR with a specification of this text. */
  readonly made: (text: string, version?: string) => NewPackage;
  readonly write: (packages: readonly NewPackage[], clobber?: boolean, signal?: AbortSignal) => Promise<void>;
}

const withSite = (use: (site: Site) => Promise<void>): Promise<void> =>
  withTempDir(async (home) => {
    const root = join(realpathSync(home), 'hub');
    const file = join(root, '..', 'acme.jar');
    writeFileSync(file, JAR);
    const [source = expect.fail('no JAR')] = await readJars([{ shown: 'acme.jar', file }], NEVER);
    await use({
      root,
      folder: join(root, 'packages/acme/1.2.0'),
      made: (text, version = '1.2.0') => ({
        ...{ ...PLACE, version, source },
        files: { action: '', jar: `acme-${version}.jar`, texts: new Map([['spec.json', text]]) },
      }),
      write: (packages, clobber = false, signal = NEVER) => writePackages(root, packages, clobber, signal),
    });
  });

const contentOf = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]));

describe('packages that are written', () => {
  it('appear with their files, which all may read', () =>
    withSite(async ({ root, folder, made, write: put }) => {
      await put([made('one'), made('two', '1.3.0')]);
      expect(contentOf(folder)).toEqual({ 'spec.json': 'one', 'acme-1.2.0.jar': JAR.toString('latin1') });
      expect(readFileSync(join(folder, '../1.3.0/spec.json'), 'utf8')).toBe('two');
      expect(readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777)).toEqual([0o644, 0o644]);
      expect(readdirSync(join(root, 'packages'))).toEqual(['acme']);
    }));

  it('replace others only when told, and keep the signatures of what stays the same', () =>
    withSite(async ({ root, folder, made, write: put }) => {
      await put([made('one')]);
      for (const name of ['spec.json', 'acme-1.2.0.jar']) write(join(folder, `${name}.asc`), `of ${name}`);
      write(join(folder, 'more'), '');
      const error = {
        code: 'EXISTS',
        message: `${folder} exists`,
        target: { file: folder },
        hints: [{ next: 'replace-package' }],
      };
      expect(saidBy(await errorOf(put([made('two')])))).toMatchObject(error);
      expect(readFileSync(join(folder, 'spec.json'), 'utf8')).toBe('one');
      await put([made('two')], true);
      const jar = JAR.toString('latin1');
      const same = { 'acme-1.2.0.jar': jar, 'acme-1.2.0.jar.asc': 'of acme-1.2.0.jar' };
      expect(contentOf(folder)).toEqual({ 'spec.json': 'two', ...same });
      expect(statSync(join(folder, 'acme-1.2.0.jar.asc')).mode & 0o777).toBe(0o644);
      expect(readdirSync(join(root, 'packages'))).toEqual(['acme']);
    }));

  it('are none of them there when a JAR is no longer the one that was read', () =>
    withSite(async ({ root, made, write: put }) => {
      const changed = made('two', '1.3.0');
      const packages = [made('one'), { ...changed, source: { ...changed.source, sha256: 'f'.repeat(64) } }];
      expect(saidBy(await errorOf(put(packages)))).toEqual({
        code: 'CHANGED_MEANWHILE',
        message: 'acme.jar changed since it was read',
        hints: ['run the command again when no other program writes to the JAR'],
        target: { file: 'acme.jar' },
      });
      expect(readdirSync(join(root, 'packages'))).toEqual([]);
    }));

  it('are not there when the run is stopped', () =>
    withSite(async ({ root, made, write: put }) => {
      await expect(put([made('one')], false, AbortSignal.abort(new Error('stop')))).rejects.toThrow('stop');
      expect(readdirSync(join(root, 'packages'))).toEqual([]);
    }));

  it.each(['packages', 'packages/acme'])('do not follow a link in the place of the folder %s', (link) =>
    withSite(async ({ root, made, write: put }) => {
      mkdirSync(join(root, '../elsewhere'));
      mkdirSync(dirname(join(root, link)), { recursive: true });
      symlinkSync(join(root, '../elsewhere'), join(root, link));
      expect(saidBy(await errorOf(put([made('one')])))).toMatchObject({
        ...{ code: 'SYMLINK', message: `${join(root, link)} is a symbolic link`, target: { file: join(root, link) } },
      });
      expect(readdirSync(join(root, '../elsewhere'))).toEqual([]);
    }),
  );

  it('are told with the folder where they cannot be written', () =>
    withSite(async ({ root, made, write: put }) => {
      write(root, 'a file');
      const packages = join(root, 'packages');
      expect(saidBy(await errorOf(put([made('one')], true)))).toEqual({
        ...{ code: 'LOCAL_IO', message: `cannot write ${packages}: part of the path is not a folder` },
        target: { file: packages },
      });
    }));
});

describe('packages that exist', () => {
  it('are all named', () =>
    withSite(async ({ root, folder, made, write: put }) => {
      const places = ['1.2.0', '1.3.0', '1.4.0'].map((version) => ({ name: 'acme', version }));
      refuseExisting(root, places);
      await put([made('one'), made('one', '1.4.0')]);
      expect(
        saidBy(
          thrownBy(() => {
            refuseExisting(root, places);
          }),
        ),
      ).toEqual({
        code: 'EXISTS',
        message: '2 packages exist',
        lines: [folder, join(folder, '../1.4.0')],
        hints: [{ next: 'replace-files' }],
      });
    }));

  it.each<[string, Readonly<Record<string, string | Buffer>>, number | undefined]>([
    ['of another JAR', { 'acme-1.2.0.jar': 'other', 'spec.json': '{"created": 1700000000}' }, undefined],
    ['of the same JAR', { 'acme-1.2.0.jar': JAR, 'spec.json': '{"created": 1700000000}' }, 1_700_000_000],
    [
      'written by others',
      { 'acme-1.2.0.jar': JAR, 'spec.json': '{"a":{}, "created"  :123456789 \n,"b":1}' },
      123_456_789,
    ],
    ['written without blanks', { 'acme-1.2.0.jar': JAR, 'spec.json': '{"created":12345678901}' }, 12_345_678_901],
    ['of milliseconds', { 'acme-1.2.0.jar': JAR, 'spec.json': '{"created": 1700000000000}' }, undefined],
    ['of long ago', { 'acme-1.2.0.jar': JAR, 'spec.json': '{"created": 17000000}' }, undefined],
    ['with a text', { 'acme-1.2.0.jar': JAR, 'spec.json': '{"created": "1700000000"}' }, undefined],
    ['without a specification', { 'acme-1.2.0.jar': JAR }, undefined],
    ['without a JAR', { 'spec.json': '{"created": 1700000000}' }, undefined],
    ['with a specification that is no text', { 'acme-1.2.0.jar': JAR, 'spec.json': Buffer.from([0xff]) }, undefined],
    ['with a JAR that is a folder', { 'acme-1.2.0.jar/x': '', 'spec.json': '{"created": 1700000000}' }, undefined],
    ['with a specification in a file', { 'acme-1.2.0.jar': JAR, 'spec.json/x': '' }, undefined],
  ])('%s keep the time of their making, if any', (_, files, created) =>
    withSite(async ({ root, folder, made }) => {
      for (const [name, content] of Object.entries(files)) write(join(folder, name), content);
      expect(await createdBefore(root, PLACE, made('').source.sha256, NEVER)).toBe(created);
    }),
  );

  it('are not looked at when the run is stopped', () =>
    withSite(async ({ root, folder, made }) => {
      write(join(folder, 'acme-1.2.0.jar'), JAR);
      write(join(folder, 'spec.json'), '{"created": 1700000000}');
      const stopped = AbortSignal.abort(new Error('stop'));
      await expect(createdBefore(root, PLACE, made('').source.sha256, stopped)).rejects.toThrow('stop');
    }));
});

describe('packages that killed runs had set aside', () => {
  it('are put back where no other one is, and all else of such runs is removed', () =>
    withSite(async ({ root, folder }) => {
      restorePackages(root);
      const packages = join(root, 'packages');
      const living = temporaryName();
      const [first, second] = [deadName(), deadName()];
      write(join(packages, first, 'acme/1.2.0/spec.json'), 'old');
      write(join(packages, first, 'acme/1.3.0/spec.json'), 'older');
      write(join(packages, 'acme/1.3.0/spec.json'), 'new');
      write(join(packages, second, 'spec.json'), 'half');
      write(join(packages, living, 'spec.json'), 'of another run');
      restorePackages(root);
      expect(contentOf(folder)).toEqual({ 'spec.json': 'old' });
      expect(contentOf(join(folder, '../1.3.0'))).toEqual({ 'spec.json': 'new' });
      expect(readdirSync(packages).sort()).toEqual([living, 'acme'].sort());
    }));

  it.each(['packages', 'packages/acme'])('are not put into a link in the place of the folder %s', (link) =>
    withSite(async ({ root }) => {
      const elsewhere = join(root, '../elsewhere');
      mkdirSync(elsewhere);
      mkdirSync(dirname(join(root, link)), { recursive: true });
      symlinkSync(elsewhere, join(root, link));
      write(join(root, 'packages', deadName(), 'acme/1.2.0/spec.json'), 'old');
      expect(
        saidBy(
          thrownBy(() => {
            restorePackages(root);
          }),
        ),
      ).toMatchObject({
        ...{ code: 'SYMLINK', target: { file: join(root, link) } },
      });
      expect(readdirSync(elsewhere)).toHaveLength(link === 'packages' ? 1 : 0);
    }),
  );

  it('are told with the folder where they cannot be looked for', () =>
    withSite(async ({ root }) => {
      const packages = join(root, 'packages');
      write(packages, 'a file');
      expect(
        saidBy(
          thrownBy(() => {
            restorePackages(root);
          }),
        ),
      ).toEqual({
        ...{ code: 'LOCAL_IO', message: `cannot write ${packages}: part of the path is not a folder` },
        target: { file: packages },
      });
    }));
});
