import { createPrivateKey } from 'node:crypto';
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { expiryOf, readTlsPair } from '../../../../../src/services/hosting/serve/tls-pair.js';
import { errorOf, saidBy } from '../../../../support/errors.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

const TLS = resolve(import.meta.dirname, '../../../../fixtures/tls');

/** A folder with certificates and keys, and how reading two of its files fails. */
const atPairs = (
  test: (
    home: string,
    refused: (cert: string, key: string) => Promise<unknown>,
    file: (name: string) => string,
  ) => Promise<void>,
) =>
  withTempDir(async (parent) => {
    const home = join(parent, 'a b');
    mkdirSync(home);
    const file = (name: string): string => join(home, name);
    for (const name of ['good.pem', 'good.key', 'other.key', 'expired.pem', 'expired.key']) {
      copyFileSync(join(TLS, name), file(name));
      chmodSync(file(name), 0o640);
    }
    const refused = async (cert: string, key: string): Promise<unknown> => {
      const error = await errorOf(readTlsPair({ cert: file(cert), key: file(key) }));
      return JSON.parse(JSON.stringify(saidBy(error)).replaceAll(home, 'HOME'));
    };
    await test(home, refused, file);
  });

it('reads a certificate and its key, which members of its group may read, too', () =>
  atPairs(async (_, __, file) => {
    const pair = await readTlsPair({ cert: file('good.pem'), key: file('good.key') });
    expect(pair).toEqual({ cert: readFileSync(file('good.pem')), key: readFileSync(file('good.key')) });
    expect(expiryOf(pair)).toBe(Date.UTC(2120, 0, 1));
    const expired = await readTlsPair({ cert: file('expired.pem'), key: file('expired.key') });
    expect(expiryOf(expired)).toBe(Date.UTC(2002, 0, 1));
  }));

it('refuses what is no key, and says where the two files are swapped', () =>
  atPairs(async (_, refused, file) => {
    writeFileSync(file('text'), 'x');
    const no = {
      code: 'CONFIG',
      target: { file: 'HOME/text' },
      message: 'HOME/text is not a secret key in PEM format',
    };
    expect(await refused('good.pem', 'text')).toEqual({ ...no, hints: [] });
    expect(await refused('good.key', 'text')).toEqual({
      ...no,
      hints: ['HOME/good.key is one: swap the two files'],
    });
  }));

it('refuses a key that all users can read', () =>
  atPairs(async (_, refused, file) => {
    for (const mode of [0o644, 0o602, 0o601]) {
      chmodSync(file('good.key'), mode);
      expect(await refused('good.pem', 'good.key')).toEqual({
        code: 'KEY_PERMS',
        message: 'other users can read the secret key HOME/good.key',
        hints: ["chmod o-rwx 'HOME/good.key'"],
        target: { file: 'HOME/good.key' },
      });
    }
  }));

it('refuses a certificate and a key that cannot be used together', () =>
  atPairs(async (_, refused, file) => {
    const locked = createPrivateKey(readFileSync(file('good.key'))).export({
      format: 'pem',
      type: 'pkcs8',
      cipher: 'aes-256-cbc',
      passphrase: 'secret',
    });
    writeFileSync(file('none.key'), 'PRIVATE KEY', { mode: 0o600 });
    expect(await refused('good.pem', 'other.key')).toEqual({
      code: 'CONFIG',
      message: 'HOME/other.key is not the key of the certificate',
      hints: [],
      target: { file: 'HOME/other.key' },
    });
    // What a wrong passphrase makes of a key is another error once in 256 times.
    const damaged = locked.toString().replace(/^M/mu, 'N');
    const older = '-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nAAAA\n-----END RSA PRIVATE KEY-----\n';
    for (const text of [locked, damaged, older]) {
      writeFileSync(file('locked.key'), text, { mode: 0o600 });
      expect(await refused('good.pem', 'locked.key')).toEqual({
        code: 'CONFIG',
        message: 'HOME/locked.key is locked with a passphrase',
        hints: ["openssl pkey -in 'HOME/locked.key' -out server.key"],
        target: { file: 'HOME/locked.key' },
      });
    }
    for (const [cert, key] of [
      ['none.key', 'good.key'],
      ['good.pem', 'none.key'],
    ] as const)
      expect(await refused(cert, key)).toEqual({
        code: 'CONFIG',
        message: `HOME/${cert} and HOME/${key} are not a certificate and its key in PEM format`,
        hints: [],
        target: { file: `HOME/${cert}` },
      });
  }));
