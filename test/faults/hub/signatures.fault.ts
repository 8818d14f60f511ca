import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { flipByte, hubKey, hubPackage } from '../../support/sites/hub-tree.js';
import {
  armor,
  armorSignature,
  certificate,
  certify,
  createdSub,
  HASH,
  expiresSub,
  fingerprintSub,
  keyExpiresSub,
  flagsSub,
  makeKey,
  OWNER,
  plainCertificate,
  revoke,
  signFile,
  sub,
  userId,
  type KeyKind,
  type SignatureOptions,
} from '../../support/openpgp.js';
import type { Site } from '../../support/sites/install-site.js';
import { judge } from '../judge.js';
import {
  bytesOf,
  crafted,
  DAY,
  FOLDER,
  goodKey,
  installTrim,
  NOW,
  PACKAGES,
  publish,
  tamper,
  trustGood,
} from './signed-site.js';

const SPEC = `${FOLDER}/spec.json`;
const JAR = `${FOLDER}/example-trim-fields-1.10.0.jar`;
const TRIM = 'example-trim-fields@1.10.0';
const row = { line: installTrim, prepare: trustGood } as const;

describe('a signature that is missing or wrong', () => {
  it('S01: the specification has no signature', async () => {
    await judge({
      ...row,
      fault: tamper(`${SPEC}.asc`, () => undefined),
      exit: 9,
      code: 'SIG_MISSING',
      says: ['spec.json has no signature'],
      holds: 'AD',
    });
  });

  it('S02: the last of five resources has no signature', async () => {
    const config = PACKAGES.find(({ name }) => name === 'example-csv-copy')?.resources['pipeline.json'] ?? '';
    const names = ['one', 'two', 'three', 'four', 'five'];
    const actions = names.map((name) => ({
      type: 'create_pipeline',
      arguments: Object.entries({
        artifact: { name: 'cdap-data-pipeline', version: '6.11.0', scope: 'SYSTEM' },
        name,
        config: `${name}.json`,
      }).map(([argument, value]) => ({ name: argument, value })),
    }));
    const packages = [
      hubPackage({
        spec: { actions, license: 'license.txt' },
        resources: Object.fromEntries(names.map((name) => [`${name}.json`, config])),
        unsigned: { 'license.txt': 'Use it.' },
      }),
    ];
    await judge({
      line: (site) => site.line(['test-package', '-y', '--accept-license']),
      prepare: async (site) => {
        await publish(site, { packages });
        await site.pin(await goodKey());
      },
      fault: tamper('packages/test-package/1.0.0/five.json.asc', () => undefined, { packages }),
      exit: 9,
      code: 'SIG_MISSING',
      says: ['five.json has no signature'],
      holds: 'AD',
    });
  });

  it('S03: one byte of the specification is changed', async () => {
    await judge({
      ...row,
      fault: tamper(SPEC, (bytes) => flipByte(bytes)),
      exit: 9,
      code: 'SIG_BAD',
      says: ['spec.json does not match its signature'],
      holds: 'AD',
    });
  });

  it('S04: one byte of a JAR is changed, also when it is fetched once more past all caches', async () => {
    await judge({
      ...row,
      fault: tamper(JAR, (bytes) => flipByte(bytes)),
      exit: 9,
      code: 'SIG_BAD',
      says: ['example-trim-fields-1.10.0.jar does not match its signature'],
      holds: 'AD',
      look: async (_, site) => {
        const fetched = (await site.requests()).filter(({ path }) => path.endsWith('.jar'));
        expect(fetched.map(({ headers }) => headers['cache-control'])).toEqual([undefined, 'no-cache']);
      },
    });
  });

  it('S04: a JAR that only a cache had spoiled is installed', async () => {
    await judge({
      ...row,
      fault: (site) =>
        site.fail({
          match: { port: 'hub', path: '\\.jar$' },
          kind: 'status',
          status: 200,
          body: 'old',
          when: 'before',
        }),
      exit: 0,
      look: (result) => {
        expect(result.item?.state).toBe('installed');
      },
    });
  });

  it.for([
    ['install', installTrim],
    ['download', (site: Site) => ['hub', 'download', TRIM, '--hub', site.hub, '-D', join(site.home, 'out')]],
  ] as const)(
    'S04: a JAR whose signature a cache had kept from before is fetched once more with it: %s',
    async ([, line]) => {
      const other = await (await goodKey()).sign(Buffer.from('an earlier JAR'));
      await judge({
        ...row,
        line,
        fault: (site) =>
          site.fail({
            match: { port: 'hub', path: '\\.jar\\.asc$' },
            kind: 'status',
            status: 200,
            body: other,
            when: 'before',
          }),
        mend: false,
        exit: 0,
        look: async (_, site) => {
          const asked = (await site.requests()).filter(({ path }) => path.endsWith('.jar.asc'));
          expect(asked.map(({ headers }) => headers['cache-control'])).toEqual([undefined, 'no-cache']);
        },
      });
    },
  );

  it('S05: the signer is not trusted', async () => {
    const stranger = await hubKey({ now: NOW - DAY });
    await judge({
      ...row,
      fault: (site) => publish(site, { key: stranger }),
      exit: 9,
      code: 'KEY_UNKNOWN',
      says: [stranger.fingerprint, /hub key add FILE --hub http:\/\/\S+ --fingerprint FPR/u],
      holds: 'AD',
    });
  });

  it('S14: a good signature and that of a stranger', async () => {
    const spec = await bytesOf(SPEC);
    const stranger = signFile(makeKey('ed25519'), spec);
    await judge({
      ...row,
      fault: tamper(`${SPEC}.asc`, (good) => beside(good, stranger)),
      exit: 0,
      says: ['1 other signature ignored'],
    });
  });

  it('S15: a good signature and a bad one of the same key', async () => {
    const bad = Buffer.from(await (await goodKey()).sign(Buffer.from('something else')));
    await judge({
      ...row,
      fault: tamper(`${SPEC}.asc`, (good) => beside(good, packetsOf(bad))),
      exit: 9,
      code: 'SIG_BAD',
      says: ['spec.json'],
      holds: 'AD',
    });
  });
});

/** What is inside an armoured signature. */
function packetsOf(armored: Buffer): Buffer {
  const lines = armored.toString('utf8').trim().split(/\r?\n/u);
  const body = lines.slice(lines.indexOf('') + 1, -1).filter((line) => !line.startsWith('='));
  return Buffer.from(body.join(''), 'base64');
}

const beside = (good: Buffer, other: Buffer): Buffer =>
  Buffer.from(armorSignature(Buffer.concat([packetsOf(good), other])));

describe('a signature or key that is not accepted', () => {
  const pgp = makeKey('ed25519');

  /** The specification is signed in another way by a key that is pinned like the good one. */
  const signedAs = (
    options: SignatureOptions,
    key = pgp,
    certificateOf: Buffer = plainCertificate(key),
  ): Pick<Parameters<typeof judge>[0], 'line' | 'prepare' | 'fault'> => ({
    line: installTrim,
    prepare: async (site) => {
      await trustGood(site);
      await site.pin(crafted(key, {}, certificateOf));
    },
    fault: async (site) => {
      const signature = await crafted(key, options).sign(await bytesOf(SPEC));
      await tamper(`${SPEC}.asc`, () => Buffer.from(signature))(site);
    },
  });

  it('S06: the signature has expired', async () => {
    await judge({
      ...signedAs({ more: [expiresSub(3600)] }),
      exit: 9,
      code: 'SIG_EXPIRED',
      says: ['2024-05-01T00:00:00Z', '2024-05-01T01:00:00Z'],
      holds: 'A',
    });
  });

  it('S07: the signature comes from the future', async () => {
    await judge({
      ...signedAs({ created: new Date(NOW + DAY) }),
      exit: 9,
      code: 'SIG_FUTURE',
      says: [new Date(NOW + DAY).toISOString().slice(0, 16), new Date(NOW).toISOString().slice(0, 10)],
      holds: 'A',
    });
  });

  it('S08: the key has expired since', async () => {
    const ended = certificate(
      pgp,
      userId(OWNER),
      certify(pgp, OWNER, { more: [flagsSub(0x03), keyExpiresSub(180 * 86_400)] }),
    );
    const expired = signedAs({}, pgp, ended);
    const says = [`--allow-expired-key ${pgp.fingerprint}`];
    await judge({ ...expired, exit: 9, code: 'KEY_EXPIRED', says, holds: 'A' });
    const line = (site: Parameters<typeof installTrim>[0]): string[] => [
      ...installTrim(site),
      '--allow-expired-key',
      pgp.fingerprint,
    ];
    await judge({ ...expired, line, exit: 0 });
  });

  it.for([
    ['hard', 2],
    ['soft', 3],
  ] as const)('S09: the key was revoked (%s)', async ([, flag]) => {
    const text = 'gone \u001b[31mred';
    const revoked = Buffer.concat([certificate(pgp, revoke(pgp, { flag, text }), userId(OWNER), certify(pgp, OWNER))]);
    await judge({
      ...signedAs({}, pgp, revoked),
      exit: 9,
      code: 'KEY_REVOKED',
      says: ['gone'],
      holds: 'AD',
      read: ({ stderr }) => {
        expect(stderr).toContain('gone \\x1b[31mred');
      },
    });
  });

  it.for([
    ['SHA-1', HASH.sha1],
    ['MD5', HASH.md5],
    ['SHA-224', HASH.sha224],
  ] as const)('S10: a hash that is too weak (%s)', async ([name, hash]) => {
    const key = makeKey('rsa2048');
    await judge({ ...signedAs({ hash }, key), exit: 9, code: 'SIG_WEAK', says: [name], holds: 'A' });
  });

  it.for([
    ['rsa1024', '1024'],
    ['dsa', 'DSA'],
    ['secp256k1', 'secp256k1'],
  ] as const)('S10: a key that is too weak (%s)', async ([kind, name]) => {
    const key = makeKey(kind satisfies KeyKind);
    await judge({ ...signedAs({}, key), exit: 9, code: 'SIG_WEAK', says: [name], holds: 'A' });
  });

  it.for([
    ['text', 0x01],
    ['standalone', 0x02],
    ['certification', 0x13],
    ['timestamp', 0x40],
  ] as const)('S11: a signature of another type (%s)', async ([, type]) => {
    await judge({
      ...signedAs({ type }),
      exit: 9,
      code: 'SIG_TYPE',
      says: ['spec.json', 'a file signature has type 00'],
      holds: 'A',
    });
  });

  it.for([
    ['HTML', () => '<!doctype html><title>Not here</title>'],
    ['JSON', () => '{"error":"not here"}'],
    ['empty', () => ''],
    ['truncated', (good: string) => good.slice(0, good.length / 2)],
    ['an inline message', (good: string) => armor('MESSAGE', packetsOf(Buffer.from(good)))],
    ['a cleartext message', (good: string) => `-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\nfile\n${good}`],
  ] as const)('S12: the signature file is %s', async ([, change]) => {
    await judge({
      ...row,
      fault: tamper(`${SPEC}.asc`, (good) => Buffer.from(change(good.toString('utf8')))),
      exit: 9,
      code: 'SIG_MALFORMED',
      says: ['spec.json'],
      holds: 'A',
    });
  });

  it('S13: the signature file is too large', async () => {
    await judge({
      ...row,
      fault: tamper(`${SPEC}.asc`, (good) => Buffer.concat([good, Buffer.alloc(100 * 1024, '\n')])),
      exit: 9,
      code: 'SIG_LIMIT',
      says: ['spec.json'],
      holds: 'A',
    });
  });

  it('S13: seventeen signatures', async () => {
    await judge({
      ...row,
      fault: tamper(`${SPEC}.asc`, (good) => {
        const one = packetsOf(good);
        return Buffer.from(armorSignature(Buffer.concat(Array.from({ length: 17 }, () => one))));
      }),
      exit: 9,
      code: 'SIG_LIMIT',
      says: ['spec.json'],
      holds: 'A',
    });
  });

  // A signature inside a signature that is none means nothing for a file; openpgp.js reads it all the same.
  it.for([
    ['install', installTrim],
    ['install --verify warn', (site: Site) => [...installTrim(site), '--verify', 'warn']],
    ['verify', (site: Site) => ['hub', 'verify', TRIM, '--hub', site.hub]],
  ] as const)('S27: a signature that this tool accepts and openpgp.js does not: %s', async ([, line]) => {
    const odd = [createdSub(new Date(NOW - DAY)), fingerprintSub(pgp.fingerprint), sub(32, Buffer.from('none'))];
    await judge({
      ...signedAs({ hashed: odd }),
      line,
      exit: 9,
      code: 'SIG_DISPUTED',
      says: ['spec.json', 'cdapctl accepts it, but openpgp.js does not'],
      holds: 'AD',
    });
  });
});
