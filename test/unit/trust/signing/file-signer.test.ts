import { execFileSync, spawnSync } from 'node:child_process';
import crypto, { createHash, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { openKeyring } from '../../../../src/trust/keyring.js';
import { FileSigner, prepareKeys } from '../../../../src/trust/signing/file-signer.js';
import { readSecretKey, type SigningKey } from '../../../../src/trust/signing/secret-key.js';
import type { Verdict } from '../../../../src/trust/verdict.js';
import { verifyBytes } from '../../../../src/trust/verify.js';
import { errorOf, saidBy } from '../../../support/errors.js';
import { hasGpg } from '../../../support/gpg.js';
import { NOW } from '../../../support/openpgp.js';

const KEYS = join(import.meta.dirname, '../../../fixtures/keys/signing');
const TIME = { created: NOW, now: NOW };
const PASSPHRASE = 'correct horse';
const KINDS = [
  'rsa3072',
  'rsa4096',
  'ed25519',
  'nistp256',
  'nistp384',
  'nistp521',
  'locked',
  'subkey',
  'replaced',
  'expires',
];

const load = (name: string): Buffer => readFileSync(join(KEYS, name));

async function openKey(kind: string): Promise<SigningKey> {
  const file = `${kind}.secret.asc`;
  const key = await readSecretKey(load(file), file, TIME);
  return key.open(key.locked ? PASSPHRASE : undefined);
}

const signerOf = async (kinds: readonly string[]): Promise<FileSigner> =>
  new FileSigner(prepareKeys(await Promise.all(kinds.map(openKey)), TIME), TIME);

/** Keys of the same kinds, of somebody else. */
const WRONG: Readonly<Record<string, () => KeyObject>> = {
  rsa3072: () => generateKeyPairSync('rsa', { modulusLength: 3072 }).privateKey,
  ed25519: () => generateKeyPairSync('ed25519').privateKey,
  nistp256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
};

function next(keys: ReturnType<typeof prepareKeys>, bytes: Uint8Array): Promise<Buffer> {
  const signer = new FileSigner(keys, TIME);
  signer.update(bytes);
  return signer.finish();
}

async function signed(bytes: Uint8Array, kinds: readonly string[]): Promise<Buffer> {
  const signer = await signerOf(kinds);
  for (let at = 0; at < bytes.length; at += 100_000) signer.update(bytes.subarray(at, at + 100_000));
  return signer.finish();
}

async function judged(bytes: Uint8Array, signature: Uint8Array, kinds: readonly string[]): Promise<Verdict> {
  const keys = kinds.map((kind) => ({ armored: load(`${kind}.public.asc`).toString() }));
  return verifyBytes(bytes, signature, await openKeyring(keys), NOW);
}

describe('a signature of a file', () => {
  const bytes = Buffer.from('A file with é and line ends\r\n');

  it.each(KINDS)('by %s verifies, and not for other bytes', async (kind) => {
    const signature = await signed(bytes, [kind]);
    expect(await judged(bytes, signature, [kind])).toMatchObject({ reason: 'good', signedAt: '2024-06-01T12:00:00Z' });
    expect((await judged(Buffer.from('other'), signature, [kind])).reason).toBe('bad-signature');
  });

  it.each(['rsa3072', 'ed25519'])('by %s is the same for the same moment', async (kind) => {
    expect((await signed(bytes, [kind])).equals(await signed(bytes, [kind]))).toBe(true);
  });

  it('is one armored block with a checksum, also of two keys', async () => {
    const signature = await signed(bytes, ['rsa3072', 'ed25519']);
    expect(signature.toString()).toMatch(
      /^-----BEGIN PGP SIGNATURE-----\n\n(?:[A-Za-z0-9+/=]{1,64}\n)+=[A-Za-z0-9+/]{4}\n-----END PGP SIGNATURE-----\n$/u,
    );
    for (const kind of ['rsa3072', 'ed25519'])
      expect((await judged(bytes, signature, [kind])).reason, kind).toBe('good');
  });

  it('of a file larger than what is held verifies for each kind of key, with the SHA-256 for the index', async () => {
    const large = Buffer.alloc(4_300_000, 'large');
    const signer = await signerOf(['rsa3072', 'ed25519', 'nistp256']);
    signer.update(large);
    const signature = await signer.finish();
    for (const kind of ['rsa3072', 'ed25519', 'nistp256'])
      expect((await judged(large, signature, [kind])).reason, kind).toBe('good');
    expect(signer.sha256()).toBe(createHash('sha256').update(large).digest('hex'));
  });

  it.each(['rsa3072', 'ed25519', 'nistp256'])('V11: of %s that does not verify is never given out', async (kind) => {
    const right = await openKey(kind);
    const keys = prepareKeys([{ ...right, key: WRONG[kind]?.() ?? right.key }], TIME);
    for (const _ of [1, 2])
      expect(saidBy(await errorOf(next(keys, bytes)))).toEqual({
        code: 'SELF_CHECK',
        message: `a new signature of the key ${right.signer} does not verify: the file, or the signature, was changed`,
        target: { signer: right.signer },
      });
    await expect(next(keys, Buffer.alloc(4_300_000))).rejects.toMatchObject({ code: 'SELF_CHECK' });
  });

  it('V11: of two keys of which the second one is another is never given out', async () => {
    const [first, second, other] = await Promise.all(['rsa3072', 'ed25519', 'nistp256'].map(openKey));
    const keys = prepareKeys([first, { ...second, entry: other?.entry }] as SigningKey[], TIME);
    for (const _ of [1, 2])
      expect(saidBy(await errorOf(next(keys, bytes)))).toMatchObject({
        code: 'SELF_CHECK',
        target: { signer: second?.signer },
      });
  });
});

describe('the signatures after the first of a key', () => {
  const TEXT = Buffer.from('second');
  afterEach(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });

  it.each(['rsa3072', 'ed25519', 'nistp256', 'expires'])('of %s verify', async (kind) => {
    const keys = prepareKeys([await openKey(kind)], TIME);
    for (let at = 0; at < 20; at += 1) {
      const bytes = Buffer.alloc(at * 1000, 'x');
      expect((await judged(bytes, await next(keys, bytes), [kind])).reason, `file ${at}`).toBe('good');
    }
  });

  it.each([
    ['rsa3072', 'privateEncrypt', crypto],
    ['rsa3072', 'hash', crypto],
    ['ed25519', 'sign', crypto],
    ['ed25519', 'hash', crypto],
    ['nistp256', 'sign', crypto.Sign.prototype],
  ])('V11: of %s are not given out when %s gives one wrong bit', async (kind, name, of: object) => {
    const [key, keys] = [await openKey(kind), prepareKeys([await openKey(kind)], TIME)];
    await next(keys, Buffer.from('first'));
    const made = of as Record<string, (...line: unknown[]) => Buffer>;
    const right = made[name];
    let faults = 1;
    vi.spyOn(made, name).mockImplementation(function wrong(this: unknown, ...line: unknown[]) {
      const bytes = Buffer.from(right?.apply(this, line) ?? []);
      if (faults-- > 0) bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
      return bytes;
    });
    syncBuiltinESMExports();
    expect(saidBy(await errorOf(next(keys, TEXT)))).toEqual({
      code: 'SELF_CHECK',
      message: `a new signature of the key ${key.signer} does not verify: the file, or the signature, was changed`,
      target: { signer: key.signer },
    });
    expect((await judged(TEXT, await next(keys, TEXT), [kind])).reason).toBe('good');
  });

  it.each(['key', 'head.bytes', 'head.hashed'])('V11: of Ed25519 are not given out when %s went bad', async (what) => {
    const [right] = prepareKeys([await openKey('ed25519')], TIME);
    if (right === undefined) throw new Error('no key');
    await next([right], Buffer.from('first'));
    const bad = { ...right, ...(what === 'key' && { key: WRONG['ed25519']?.() ?? right.key }) };
    const byte = { 'head.bytes': right.head.bytes, 'head.hashed': right.head.hashed[0] }[what];
    if (byte !== undefined) byte[byte.length - 1] = (byte.at(-1) ?? 0) ^ 1;
    await expect(next([bad], TEXT)).rejects.toMatchObject({ code: 'SELF_CHECK' });
  });
});

describe.runIf(hasGpg)('GnuPG', () => {
  let home = '';
  const gpg = (...line: string[]): string =>
    execFileSync('gpg', ['--homedir', home, '--batch', '--no-tty', '--no-autostart', '--status-fd', '1', ...line], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'gpg-'));
    gpg('--import', ...KINDS.map((kind) => join(KEYS, `${kind}.public.asc`)));
    writeFileSync(join(home, 'all.gpg'), execFileSync('gpg', ['--homedir', home, '--batch', '--export']));
  });
  afterAll(() => {
    rmSync(home, { recursive: true, force: true });
  });

  it.each([...KINDS.map((kind) => [kind]), ['rsa3072', 'nistp384', 'ed25519']])(
    'accepts a signature by %s %s %s',
    async (...kinds) => {
      const [file, signature] = [join(home, 'file.bin'), join(home, 'file.bin.asc')];
      const bytes = Buffer.alloc(70_000, kinds.join());
      writeFileSync(file, bytes);
      writeFileSync(signature, await signed(bytes, kinds.filter(Boolean)));
      const count = kinds.filter(Boolean).length;
      expect(gpg('--verify', signature, file).match(/VALIDSIG/gu)).toHaveLength(count);
      const told = execFileSync('gpgv', ['--status-fd', '1', '--keyring', join(home, 'all.gpg'), signature, file], {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      expect(told.match(/VALIDSIG/gu)).toHaveLength(count);
    },
  );

  it('exits with 2 while it knows only one of the two keys of a roll-over, and says that its signature is good', async () => {
    const [file, signature] = [join(home, 'two.bin'), join(home, 'two.bin.asc')];
    const bytes = Buffer.from('signed by the old key and the new one');
    writeFileSync(file, bytes);
    writeFileSync(signature, await signed(bytes, ['rsa3072', 'ed25519']));
    for (const known of ['rsa3072', 'ed25519']) {
      const keyring = join(home, `${known}.gpg`);
      gpg('--output', keyring, '--export', `${known}@example.org`);
      const verify = ['--status-fd', '1', '--keyring', keyring, signature, file];
      const { status, stdout } = spawnSync('gpgv', verify, { encoding: 'utf8' });
      expect([status, stdout.match(/(?:VALIDSIG|NO_PUBKEY)/gu)?.sort()], known).toEqual([2, ['NO_PUBKEY', 'VALIDSIG']]);
    }
  });
});
