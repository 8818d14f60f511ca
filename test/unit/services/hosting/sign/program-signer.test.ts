import { appendFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programSigner, probe, type EndedSigner } from '../../../../../src/services/hosting/sign/program-signer.js';
import { openKeyring, type KeyringEntry } from '../../../../../src/trust/keyring.js';
import { verifyBytes } from '../../../../../src/trust/verify.js';
import * as pgp from '../../../../support/openpgp.js';
import { withTempDir } from '../../../../support/run-cli.js';

const { signal } = new AbortController();
const { NOW } = pgp;
const key = pgp.makeKey('ed25519');
const content = Buffer.alloc(3_000_000, 'content');

async function entryOf(of: pgp.PgpKey): Promise<KeyringEntry> {
  const expires = Math.floor((NOW.getTime() + 3_600_000 - pgp.KEY_TIME.getTime()) / 1000);
  const more = [pgp.flagsSub(0x03), pgp.keyExpiresSub(expires)];
  const { trusted } = await openKeyring([{ armored: pgp.armorKey(pgp.plainCertificate(of, { more })) }]);
  const [entry] = trusted;
  if (entry === undefined) throw new Error('there is no key');
  return entry;
}

/** A signer with a program that is a function of what it is given. */
async function signerBy(print: (bytes: Buffer) => Partial<EndedSigner>, by = key) {
  const entry = await entryOf(by);
  const signer = programSigner({
    name: 'card',
    entry,
    now: NOW,
    run: async (give) => {
      const pieces: Buffer[] = [];
      await give(async (chunk) => void pieces.push(Buffer.from(chunk)));
      return { stdout: '', stderr: '', why: undefined, ...print(Buffer.concat(pieces)) };
    },
  });
  return { entry, signer };
}

const binary = (bytes: Buffer): Partial<EndedSigner> => ({ stdout: pgp.signFile(key, bytes).toString('latin1') });
const armored = (bytes: Buffer): Partial<EndedSigner> => ({ stdout: pgp.armorSignature(pgp.signFile(key, bytes)) });

async function withFile(test: (file: string) => Promise<void>): Promise<void> {
  await withTempDir(async (home) => {
    const file = join(realpathSync(home), 'a.jar');
    writeFileSync(file, content);
    await test(file);
  });
}

describe('a program that signs', () => {
  it.each([
    ['armored', armored],
    ['binary', binary],
  ])('gets the bytes of the file; its %s signature is verified and written in armor', (_, print) =>
    withFile(async (file) => {
      const { signer, entry } = await signerBy(print);
      expect(await probe(signer, entry, signal)).toBe(NOW.getTime() + 3_600_000);
      const { size, signature } = await signer.signFile(file, signal);
      expect([size, Buffer.from(signature).toString().slice(0, 27)]).toEqual([
        3_000_000,
        '-----BEGIN PGP SIGNATURE---',
      ]);
      const verdict = await verifyBytes(content, signature, { trusted: [entry], elsewhere: [] }, NOW);
      expect(verdict.reason).toBe('good');
    }),
  );

  it.each<[string, (bytes: Buffer) => Partial<EndedSigner>, string, RegExp]>([
    [
      'fails',
      () => ({ why: 'ended with status 2', stderr: '\ngpg: no card\nmore' }),
      'SIGNER_FAILED',
      /^card ended with status 2: gpg: no card$/u,
    ],
    ['prints nothing', () => ({}), 'SIGNER_FAILED', /^card printed no signature$/u],
    ['prints something else', () => ({ stdout: 'signed!' }), 'SIGNER_BAD', /^card printed no detached signature: /u],
    ['signs other bytes', () => binary(Buffer.from('other')), 'SIGNER_BAD', /^card signed something else than it$/u],
  ])('gives no signature when it %s', async (_, print, code, message) => {
    const { signer } = await signerBy(print);
    await expect(signer.signBytes(Buffer.from('x'), signal)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message) as string,
    });
  });

  it('gives no signature of another key than the one that is expected', async () => {
    const { signer, entry } = await signerBy(binary, pgp.makeKey('ed25519'));
    await expect(probe(signer, entry, signal)).rejects.toMatchObject({
      code: 'SIGNER_BAD',
      message: `card signs with the key ${key.fingerprint}, not ${entry.fingerprint}`,
      details: { hints: [{ next: 'signer-key', fingerprint: key.fingerprint }] },
    });
  });

  it('is stopped with the run', async () => {
    const control = new AbortController();
    const { signer } = await signerBy(() => {
      control.abort(new Error('Ctrl-C'));
      return { why: 'was stopped' };
    });
    await expect(signer.signBytes(Buffer.from('x'), control.signal)).rejects.toThrow('Ctrl-C');
  });

  it('V05: notices that the file changes between signing and verifying', () =>
    withFile(async (file) => {
      const { signer } = await signerBy((bytes) => {
        appendFileSync(file, 'x');
        return binary(bytes);
      });
      await expect(signer.signFile(file, signal)).rejects.toMatchObject({ code: 'CHANGED_MEANWHILE' });
    }));
});
