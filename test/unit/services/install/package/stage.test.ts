import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { makeJar } from '../../../../../src/emulator/jar/make-jar.js';
import type { TrustedPackage } from '../../../../../src/services/catalog/trusted-package.js';
import type { JarSource, PreparedAction } from '../../../../../src/services/install/action.js';
import { openStaging, stageJars } from '../../../../../src/services/install/package/stage.js';
import { codeOf, errorOf, saidBy } from '../../../../support/errors.js';
import { syncedInodes } from '../../../../support/synced-inodes.js';
import { NEVER } from '../../../../support/clock.js';
import { errorWith, prepared } from '../support.js';

const JAR = makeJar({ manifest: { 'Bundle-Version': '1.0.0' }, entries: [] });
const FILES: Readonly<Record<string, Buffer>> = {
  'plug.jar': JAR,
  'more.jar': makeJar({ manifest: { 'Bundle-Version': '2.0.0' }, entries: [] }),
  'text.jar': Buffer.from('no JAR'),
};
const digestOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cdapctl-stage-'));
});

/** A package of which `spoiled` files have other bytes at their first fetch; what was asked of it is in `asked`. */
function packageOf(spoiled: readonly string[] = []) {
  const asked: string[] = [];
  const warnings: string[] = [];
  const trusted = {
    warnings,
    read: async (name) => {
      asked.push(`read ${name}`);
      return Buffer.from(`text of ${name}`);
    },
    fetch: async (name, { sink, fresh }) => {
      asked.push(`fetch ${name}${fresh === true ? ' past caches' : ''}`);
      const bytes = FILES[name] ?? Buffer.alloc(0);
      await sink?.(bytes.subarray(0, 3));
      if (spoiled.includes(name) && fresh !== true) throw errorWith('SIG_BAD');
      if (name === 'gone.jar') throw errorWith('NOT_FOUND');
      await sink?.(bytes.subarray(3));
      warnings.push(`${name} is not signed`);
      return { name, bytes: bytes.length, sha256: digestOf(bytes) } as never;
    },
  } satisfies Partial<TrustedPackage> as unknown as TrustedPackage;
  return { asked, trusted, staging: openStaging(trusted, folder, NEVER) };
}

const inHub = (name: string): JarSource => ({ kind: 'hub', name });
const actionWith = (n: number, jar: JarSource | undefined): PreparedAction => {
  const action = prepared(n, `p${n}`);
  return { ...action, ...(action.step && { step: { ...action.step, ...(jar && { jar }) } }) };
};

describe('the files of a package', () => {
  it('are fetched once each, small ones into memory, large ones to disk, without a wait for the disk', async () => {
    const { asked, staging } = packageOf();
    const synced = syncedInodes();
    for (let round = 0; round < 2; round += 1) {
      expect(String(await staging.resource('a.json'))).toBe('text of a.json');
      const { file, ...rest } = await staging.file('plug.jar');
      expect(rest).toEqual({ bytes: JAR.length, sha256: digestOf(JAR) });
      expect(await staging.jar(inHub('plug.jar'))).toEqual({ file, ...rest });
      expect(readFileSync(file).equals(JAR)).toBe(true);
    }
    expect(asked).toEqual(['read a.json', 'fetch plug.jar']);
    expect([readdirSync(folder).length, synced]).toEqual([1, []]);
  });

  it('are fetched again past all caches where their bytes are not the signed ones', async () => {
    const { asked, staging } = packageOf(['plug.jar']);
    expect(readFileSync((await staging.jar(inHub('plug.jar'))).file).equals(JAR)).toBe(true);
    expect(asked).toEqual(['fetch plug.jar', 'fetch plug.jar past caches']);
  });

  it('leave nothing where they cannot be fetched', async () => {
    const { staging } = packageOf();
    expect(await codeOf(staging.file('gone.jar'))).toBe('NOT_FOUND');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('are no JARs by their name alone', async () => {
    const error = await errorOf(packageOf().staging.jar(inHub('text.jar')));
    expect([error.code, error.message.startsWith('text.jar ')]).toEqual(['BAD_JAR', true]);
  });
});

describe('a JAR of this machine', () => {
  it('is digested where it is', async () => {
    const file = join(folder, 'own.jar');
    writeFileSync(file, JAR);
    const { asked, staging } = packageOf();
    expect(await staging.jar({ kind: 'local', file })).toEqual({ file, bytes: JAR.length, sha256: digestOf(JAR) });
    expect([asked, readdirSync(folder)]).toEqual([[], ['own.jar']]);
  });

  it.each([
    ['none', (file: string) => file],
    ['no JAR', (file: string) => (writeFileSync(file, 'text'), file)],
  ])('that is %s is told by its place', async (_, make) => {
    const file = make(join(folder, 'own.jar'));
    const { message } = saidBy(await errorOf(packageOf().staging.jar({ kind: 'local', file })));
    expect(message).toContain(file);
  });
});

it('all JARs of a plan are staged before its first action, and the warnings are those that this brought', async () => {
  const { asked, trusted, staging } = packageOf();
  await staging.file('plug.jar');
  const actions = [actionWith(1, inHub('plug.jar')), actionWith(2, undefined), actionWith(3, inHub('more.jar'))];
  expect(await stageJars(actions, { trusted, staging })).toEqual(['more.jar is not signed']);
  expect(asked).toEqual(['fetch plug.jar', 'fetch more.jar']);
});
