import {
  appendFileSync,
  chmodSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import {
  addKey,
  readTrust,
  removeKey,
  trustLockFile,
  writeMemory,
  type PinnedKey,
} from '../../../src/state/trust-store.js';
import { temporaryFolder } from './support.js';
import { codeOf } from '../../support/errors.js';

const root = temporaryFolder();
const HUB = 'https://hub.example.com/v2';
const Memory = z.looseObject({ sequence: z.number() });
const A: PinnedKey = {
  fingerprint: 'A'.repeat(40),
  addedAt: '2024-01-01T00:00:00Z',
  armored: '-----BEGIN PGP PUBLIC KEY BLOCK-----\nA',
};
const B: PinnedKey = {
  fingerprint: 'B'.repeat(40),
  packages: 'acme-*',
  addedAt: '2024-01-02T00:00:00Z',
  armored: 'public B',
};
let folder = '';

beforeEach(() => {
  folder = join(mkdtempSync(join(root, 'trust-')), 'trust');
});

function hubFolder(): string {
  return join(folder, readdirSync(folder)[0] ?? '');
}

/** Every file of the store with its bytes. */
function state(): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  return Object.fromEntries(names.sort().map((name) => [name, readFileSync(join(folder, name), 'latin1')]));
}

describe('the trust store', () => {
  it('knows nothing before something was stored, and makes nothing by reading', async () => {
    expect(await readTrust(folder, HUB, Memory)).toEqual({ keys: [], memory: undefined });
    expect(() => statSync(folder)).toThrow('ENOENT');
  });

  it('keeps keys with their records in the order of adding, for us alone', async () => {
    await addKey(folder, HUB, A);
    await addKey(folder, HUB, { ...B, fingerprint: 'b'.repeat(40) });
    expect((await readTrust(folder, HUB, Memory)).keys).toEqual([A, B]);
    const names = readdirSync(hubFolder());
    expect(names.sort()).toEqual([`${A.fingerprint}.asc`, `${B.fingerprint}.asc`, 'hub.json', 'keys.json']);
    expect(names.map((name) => statSync(join(hubFolder(), name)).mode & 0o777)).toEqual([0o600, 0o600, 0o600, 0o600]);
    expect(JSON.parse(readFileSync(join(hubFolder(), 'hub.json'), 'utf8'))).toEqual({ v: 1, url: HUB });
  });

  it('knows a hub by every spelling of its address, and no other', async () => {
    await addKey(folder, 'https://HUB.example.com:443/v2/', A);
    expect((await readTrust(folder, HUB, Memory)).keys).toEqual([A]);
    expect((await readTrust(folder, 'https://hub.example.com', Memory)).keys).toEqual([A]);
    expect((await readTrust(folder, 'https://hub.example.com/%76%32', Memory)).keys).toEqual([A]);
    for (const other of [
      'http://hub.example.com/v2',
      'https://hub.example.com/v1',
      'https://hub.example.com:8443/v2',
      'https://hub.example.com/V2',
    ]) {
      expect((await readTrust(folder, other, Memory)).keys).toEqual([]);
    }
  });

  it('replaces a key that is added again', async () => {
    await addKey(folder, HUB, A);
    await addKey(folder, HUB, { ...A, packages: 'x', armored: 'renewed' });
    expect((await readTrust(folder, HUB, Memory)).keys).toEqual([{ ...A, packages: 'x', armored: 'renewed' }]);
  });

  it('forgets a removed key and says whether there was one', async () => {
    expect(await removeKey(folder, HUB, A.fingerprint)).toBe(false);
    await addKey(folder, HUB, A);
    await addKey(folder, HUB, B);
    expect(await removeKey(folder, HUB, 'a'.repeat(40))).toBe(true);
    expect(await removeKey(folder, HUB, A.fingerprint)).toBe(false);
    expect((await readTrust(folder, HUB, Memory)).keys).toEqual([B]);
    expect(readdirSync(hubFolder())).not.toContain(`${A.fingerprint}.asc`);
  });

  it('ignores a key file that is not on the list', async () => {
    await addKey(folder, HUB, A);
    writeFileSync(join(hubFolder(), `${B.fingerprint}.asc`), B.armored);
    expect((await readTrust(folder, HUB, Memory)).keys).toEqual([A]);
  });

  it('gives the memory back as it was written', async () => {
    await writeMemory(folder, HUB, { sequence: 7, more: { files: ['x'] } });
    expect(await readTrust(folder, HUB, Memory)).toEqual({ keys: [], memory: { sequence: 7, more: { files: ['x'] } } });
    await writeMemory(folder, HUB, { sequence: 8 });
    expect((await readTrust(folder, HUB, Memory)).memory).toEqual({ sequence: 8 });
  });

  it.each([0, 1, 1000, 1001, 2500])('gives %d files of the memory back, whatever their names', async (count) => {
    const files = Object.fromEntries(
      Array.from({ length: count }, (_, at) => [`a"\n\\${at}/__proto__`, { bytes: at }]),
    );
    for (const memory of [{ files }, { version: 1, files, last: '}' }]) {
      await writeMemory(folder, HUB, memory);
      expect(JSON.parse(readFileSync(join(hubFolder(), 'memory.json'), 'utf8'))).toEqual(memory);
    }
  });

  it.each(['../../../../tmp/evil', 'A'.repeat(39), 'g'.repeat(40), ''])(
    'takes no fingerprint %j',
    async (fingerprint) => {
      await expect(addKey(folder, HUB, { ...A, fingerprint })).rejects.toThrow();
      expect(() => statSync(folder)).toThrow('ENOENT');
    },
  );

  it('refuses a private key, given or found (S23)', async () => {
    const armored = '-----BEGIN PGP PRIVATE KEY BLOCK-----\nsecret';
    expect(await codeOf(() => addKey(folder, HUB, { ...A, armored }))).toBe('TRUST_PRIVATE');
    expect(() => statSync(folder)).toThrow('ENOENT');
    await addKey(folder, HUB, A);
    writeFileSync(join(hubFolder(), `${A.fingerprint}.asc`), armored);
    const before = state();
    expect(await codeOf(() => readTrust(folder, HUB, Memory))).toBe('TRUST_PRIVATE');
    expect(state()).toEqual(before);
  });

  it.each(['', 'keys.json', 'memory.json', `${A.fingerprint}.asc`])(
    'refuses what others may write: %j (S24)',
    async (name) => {
      await addKey(folder, HUB, A);
      await writeMemory(folder, HUB, { sequence: 1 });
      chmodSync(join(hubFolder(), name), name === '' ? 0o777 : 0o666);
      const before = state();
      expect(await codeOf(() => readTrust(folder, HUB, Memory))).toBe('TRUST_PERMS');
      if (name === '')
        for (const work of [() => addKey(folder, HUB, B), () => removeKey(folder, HUB, A.fingerprint)])
          expect(await codeOf(work)).toBe('TRUST_PERMS');
      expect(state()).toEqual(before);
    },
  );

  it('refuses a store whose own folder others may write', async () => {
    await addKey(folder, HUB, A);
    chmodSync(folder, 0o770);
    for (const work of [
      () => readTrust(folder, HUB, Memory),
      () => addKey(folder, HUB, B),
      () => removeKey(folder, HUB, A.fingerprint),
      () => writeMemory(folder, HUB, {}),
    ]) {
      expect(await codeOf(work)).toBe('TRUST_PERMS');
    }
  });

  it.each(['keys.json', 'memory.json', `${A.fingerprint}.asc`])(
    'never takes damage for absence: %s (T10)',
    async (name) => {
      await addKey(folder, HUB, A);
      await writeMemory(folder, HUB, { sequence: 1 });
      if (name.endsWith('.asc')) rmSync(join(hubFolder(), name));
      else appendFileSync(join(hubFolder(), name), '}');
      expect(await codeOf(() => readTrust(folder, HUB, Memory))).toBe('LOCAL_IO');
    },
  );

  it('takes a memory of another shape for damage', async () => {
    await writeMemory(folder, HUB, { sequence: 'seven' });
    expect(await codeOf(() => readTrust(folder, HUB, Memory))).toBe('LOCAL_IO');
  });

  it('follows no planted link (L11)', async () => {
    await addKey(folder, HUB, A);
    const outside = join(folder, '..', 'outside');
    writeFileSync(outside, '{"sequence":1}');
    symlinkSync(outside, join(hubFolder(), 'memory.json'));
    expect(await codeOf(() => readTrust(folder, HUB, Memory))).toBe('SYMLINK');
    expect(await codeOf(() => writeMemory(folder, HUB, { sequence: 2 }))).toBe('SYMLINK');
    expect(readFileSync(outside, 'utf8')).toBe('{"sequence":1}');
  });

  it('has one lock per hub', () => {
    expect(trustLockFile('/t', HUB)).toMatch(/^\/t\/[0-9a-f]{64}\.lock$/u);
    expect(trustLockFile('/t', HUB)).not.toBe(trustLockFile('/t', 'https://other.example.com'));
  });
});
