import { createHash } from 'node:crypto';
import { appendFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { programSigner, probe, type EndedSigner } from '../../../../../src/services/hosting/sign/program-signer.js';
import { openKeyring, type KeyringEntry } from '../../../../../src/trust/keyring.js';
import { verifyBytes } from '../../../../../src/trust/verify.js';
import * as pgp from '../../../../support/openpgp.js';
import { errorOf, saidBy } from '../../../../support/errors.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

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
      const bytes = Buffer.from('bytes');
      const { signature: ofBytes, ...read } = await signer.signBytes(bytes, signal);
      expect(read).toEqual({ size: 5, sha256: createHash('sha256').update(bytes).digest('hex') });
      expect((await verifyBytes(bytes, ofBytes, { trusted: [entry], elsewhere: [] }, NOW)).reason).toBe('good');
    }),
  );

  /** What is said of a program that prints this for a file, or for bytes that are none. */
  const saidOf = async (print: (bytes: Buffer) => Partial<EndedSigner>, file?: string): Promise<unknown> => {
    const { signer, entry } = await signerBy(print);
    const signed = file === undefined ? signer.signBytes(Buffer.from('x'), signal) : signer.signFile(file, signal);
    const said = JSON.stringify(saidBy(await errorOf(signed))).replaceAll(entry.fingerprint, 'KEY');
    return JSON.parse(file === undefined ? said : said.replaceAll(file, 'FILE'));
  };

  it('gives no signature when it fails, or prints none', () =>
    withFile(async (file) => {
      const lines = Array.from({ length: 12 }, (_, at) => `line ${at}`);
      const failure = () => ({ why: 'ended with status 2', stderr: `\r\n  \r\n${lines.join('\n')}\n` });
      expect(await saidOf(failure)).toEqual({
        code: 'SIGNER_FAILED',
        message: 'card ended with status 2: line 0',
        lines: ['line 2', 'line 3', 'line 4', 'line 5', 'line 6', 'line 7', 'line 8', 'line 9', 'line 10', 'line 11'],
        target: { file: 'card' },
      });
      expect(await saidOf(failure, file)).toEqual({
        code: 'SIGNER_FAILED',
        message: 'card ended with status 2 for FILE: line 0',
        lines: ['line 2', 'line 3', 'line 4', 'line 5', 'line 6', 'line 7', 'line 8', 'line 9', 'line 10', 'line 11'],
        target: { file: 'FILE' },
      });
      expect(await saidOf(() => ({}), file)).toEqual({
        code: 'SIGNER_FAILED',
        message: 'card printed no signature for FILE',
        lines: [],
        target: { file: 'FILE' },
      });
      expect(await saidOf(() => ({ stderr: 'gpg: no card\nmore' }))).toEqual({
        code: 'SIGNER_FAILED',
        message: 'card printed no signature: gpg: no card',
        lines: ['more'],
        target: { file: 'card' },
      });
    }));

  it('gives no signature when it prints something else, or signs other bytes', () =>
    withFile(async (file) => {
      expect(await saidOf(() => ({ stdout: 'signed!' }))).toEqual({
        code: 'SIGNER_BAD',
        message: 'card printed no detached signature: it does not start with "-----BEGIN PGP SIGNATURE-----"',
        hints: ['it must print a detached signature of what it reads on stdin (gpg: the option detach-sign)'],
        target: { file: 'it', signer: 'KEY', reason: 'malformed' },
      });
      expect(await saidOf(() => binary(Buffer.from('other')), file)).toEqual({
        code: 'SIGNER_BAD',
        message: 'card signed other content than FILE',
        hints: ['it must print a detached signature of what it reads on stdin (gpg: the option detach-sign)'],
        target: { file: 'FILE', signer: 'KEY', reason: 'bad-signature' },
      });
      const text = (bytes: Buffer) => ({ stdout: pgp.signFile(key, bytes, { type: 1 }).toString('latin1') });
      expect(await saidOf(text)).toEqual({
        code: 'SIGNER_BAD',
        message: 'card printed no detached signature: it has type 01; a file signature has type 00',
        hints: ['it must print a detached signature of what it reads on stdin (gpg: the option detach-sign)'],
        target: { file: 'it', signer: 'KEY', reason: 'wrong-signature-type' },
      });
      const ends = [pgp.createdSub(pgp.SIGN_TIME), pgp.fingerprintSub(key.fingerprint), pgp.expiresSub(100)];
      const late = (bytes: Buffer) => ({ stdout: pgp.signFile(key, bytes, { hashed: ends }).toString('latin1') });
      expect(await saidOf(late, file)).toEqual({
        code: 'SIGNER_BAD',
        message:
          'the signature by card is not valid: the signature of FILE has expired: it was valid from 2024-05-01T00:00:00Z to 2024-05-01T00:01:40Z; now it is 2024-06-01T12:00:00Z',
        target: { file: 'FILE', signer: 'KEY', reason: 'signature-expired' },
      });
    }));

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
      await expect(signer.signFile(file, signal)).rejects.toMatchObject({
        code: 'CHANGED_MEANWHILE',
        message: `${file} changed while it was signed`,
      });
    }));
});
