import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { keySigner } from '../../../../../src/services/hosting/sign/signer.js';
import { temporaryName } from '../../../../../src/state/temporary.js';
import { openKeyring } from '../../../../../src/trust/keyring.js';
import * as pgp from '../../../../support/openpgp.js';
import { atHub, failed, key, ownIndex, plainOf, SPEC, told } from './sign-site.js';

describe('a hub that is signed', () => {
  it('has an index of all its files', () =>
    atHub(async (request, path) => {
      expect(plainOf(request.root, { ...ownIndex(path), created: 0, expires: 0 })).toEqual({
        format: 1,
        sequence: 1,
        created: 0,
        expires: 0,
        files: [
          {
            name: 'packages.json',
            size: 2,
            sha256: '4f53cda18c2baa0c0354bb5f9a3ecbe5ed12ab4d8e11ba873c2f11161202b945',
          },
        ],
        packages: [
          {
            name: 'one',
            version: '1.0.0',
            files: [
              { name: 'icon.png', size: 4, sha256: 'c2d4b446a44ce54fab8e01150e24dd24f3d850c7c14dcfe31f6321341dd86874' },
              {
                name: 'spec.json',
                size: 2,
                sha256: '44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a',
              },
            ],
          },
        ],
        keys: ['KEY'],
      });
      const { created, expires } = ownIndex(path);
      const now = request.time.now.getTime();
      expect([created, expires]).toEqual([now, now + request.validity]);
      expect(await told(request)).toEqual({
        folder: 'HUB',
        keys: ['KEY'],
        signed: [],
        kept: 1,
        checked: false,
        stale: false,
        index: 'unchanged',
        sequence: 1,
        events: [],
      });
      expect(await told(request, { signer: undefined })).toEqual({
        folder: 'HUB',
        keys: ['KEY'],
        signed: [],
        kept: 1,
        checked: true,
        stale: false,
        index: 'unchanged',
        sequence: 1,
        events: [],
      });
    }));

  it('is told what would be signed', () =>
    atHub(async (request, path) => {
      for (const file of ['icon.png', 'license.txt', 'b.jar', 'c.asc'])
        writeFileSync(path(`packages/one/1.0.0/${file}`), file);
      const forced = ['b.jar', 'c.asc', 'license.txt', 'icon.png'].map((file) => `one/1.0.0/${file}`);
      expect(await told(request, { signer: undefined, forced })).toEqual({
        folder: 'HUB',
        keys: ['KEY'],
        signed: ['packages/one/1.0.0/b.jar', 'packages/one/1.0.0/c.asc'],
        kept: 1,
        checked: true,
        stale: false,
        index: 'outdated',
        sequence: 2,
        events: [],
      });
      rmSync(path('index.json'));
      expect(await told(request, { signer: undefined })).toEqual({
        folder: 'HUB',
        keys: ['KEY'],
        signed: ['packages/one/1.0.0/b.jar', 'packages/one/1.0.0/c.asc'],
        kept: 1,
        checked: true,
        stale: false,
        index: 'missing',
        sequence: 1,
        events: [],
      });
      expect([existsSync(path('index.json')), existsSync(path('packages/one/1.0.0/b.jar.asc'))]).toEqual([
        false,
        false,
      ]);
    }));

  it('is written anew when its index has expired, or a key has no signature of it', () =>
    atHub(async (request, path) => {
      const late = new Date(request.time.now.getTime() + request.validity);
      const time = { created: late, now: late };
      expect(await told(request, { signer: undefined, time })).toMatchObject({ index: 'outdated', sequence: 2 });
      const early = new Date(late.getTime() - 1);
      expect(await told(request, { signer: undefined, time: { created: early, now: early } })).toMatchObject({
        index: 'unchanged',
      });
      writeFileSync(path('index.json.asc'), readFileSync(path(`${SPEC}.asc`)));
      expect(await failed(request)).toEqual({
        code: 'SIG_BAD',
        message:
          'the number of the index cannot be continued: HUB/index.json does not match its signature: the file, or the signature, was changed',
        hints: ['restore index.json and index.json.asc as they were published last', { next: 'force-sequence' }],
        isOfOwnIndex: true,
        target: { file: 'HUB/index.json', reason: 'bad-signature' },
      });
      rmSync(path('index.json.asc'));
      expect(await failed(request)).toEqual({
        code: 'SIG_MISSING',
        message: 'the number of the index cannot be continued: HUB/index.json has no signature',
        hints: ['restore index.json and index.json.asc as they were published last', { next: 'force-sequence' }],
        isOfOwnIndex: true,
        target: { file: 'HUB/index.json', reason: 'missing' },
      });
      const authority = { ...request.authority, force: true };
      const index = readFileSync(path('index.json'));
      writeFileSync(path('index.json'), '{');
      expect(await failed({ ...request, authority })).toMatchObject({
        code: 'BAD_JSON',
        hints: [
          'restore index.json and index.json.asc as they were published last',
          'or remove both files, if the hub was never published',
        ],
      });
      writeFileSync(path('index.json'), index);
      expect(await told(request, { authority })).toEqual({
        folder: 'HUB',
        keys: ['KEY'],
        signed: [],
        kept: 1,
        checked: false,
        stale: false,
        index: 'written',
        sequence: 2,
        events: [
          {
            type: 'warning',
            code: 'INDEX_UNVERIFIED',
            message: 'continuing its number, although HUB/index.json has no signature',
          },
        ],
      });
    }));

  it('may have signed files only in its index', () =>
    atHub(async (request, path) => {
      const jar = 'packages/two/1.0.0/a.jar';
      mkdirSync(path('packages/two/1.0.0'), { recursive: true });
      writeFileSync(path(jar), 'jar');
      expect(await told(request, { indexOnly: true })).toEqual({
        folder: 'HUB',
        keys: ['KEY'],
        signed: [],
        kept: 1,
        checked: false,
        stale: false,
        index: 'written',
        sequence: 2,
        events: [],
      });
      expect([ownIndex(path).signatures, existsSync(path(`${jar}.asc`))]).toEqual([false, false]);
      writeFileSync(path(`${jar}.asc`), 'no signature');
      writeFileSync(path('packages/one/1.0.0/icon.png.asc'), 'no signature');
      expect(await failed(request, { indexOnly: true })).toEqual({
        code: 'BAD_SOURCE',
        message: '2 faults in HUB; nothing was signed',
        lines: [
          'packages/one/1.0.0/icon.png.asc: it is not a valid signature of every key',
          'packages/two/1.0.0/a.jar.asc: it is not a valid signature of every key',
        ],
        hints: ['remove these signatures, or sign the files as well'],
        target: { file: 'HUB' },
      });
      expect(await told(request)).toEqual({
        folder: 'HUB',
        keys: ['KEY'],
        signed: ['packages/two/1.0.0/a.jar'],
        kept: 1,
        checked: false,
        stale: false,
        index: 'written',
        sequence: 3,
        events: [],
      });
      expect(ownIndex(path).signatures).toBeUndefined();
    }));
});

it('a file that also has the signature of another key is signed anew, and kept where the index speaks for it', () =>
  atHub(async (request, path) => {
    const other = pgp.makeKey('ed25519');
    const content = readFileSync(path(SPEC));
    const two = [key, other].map((one) => pgp.signFile(one, content));
    writeFileSync(path(`${SPEC}.asc`), pgp.armorSignature(Buffer.concat(two)));
    expect(await told(request, { indexOnly: true })).toMatchObject({ signed: [], kept: 1 });
    expect(await told(request)).toMatchObject({ signed: [SPEC], kept: 0 });
    expect(await told(request)).toMatchObject({ signed: [], kept: 1 });
  }));

it('the files of several packages are told in their order, and what a killed run left is removed', () =>
  atHub(async (request, path) => {
    const files = ['a/1.0.0/b.jar', 'a/1.0.0/c.jar', 'a/1.0.0/d.jar', 'b/1.0.0/spec.json', 'c/1.0.0/spec.json'];
    for (const file of files) {
      mkdirSync(path(`packages/${file.slice(0, 7)}`), { recursive: true });
      writeFileSync(path(`packages/${file}`), '{}');
    }
    const left = path(`packages/a/1.0.0/${temporaryName().replace(/(?<=^.{17})-\d+-/u, '-2147483647-')}`);
    writeFileSync(left, '');
    const signed = files.map((file) => `packages/${file}`);
    expect(await told(request, { signer: undefined })).toMatchObject({ signed, kept: 1 });
    expect(existsSync(left)).toBe(true);
    expect(await told(request)).toMatchObject({ signed, kept: 1 });
    expect(existsSync(left)).toBe(false);
  }));

it('each key signs each file', () =>
  atHub(async (request, path) => {
    const other = pgp.makeKey('ed25519');
    const { trusted } = await openKeyring([{ armored: pgp.armorKey(pgp.plainCertificate(other)) }]);
    const entries = [...request.entries, ...trusted];
    const keys = [key, other].flatMap(({ fingerprint, secret }, at) => {
      const entry = entries[at];
      return entry && secret ? [{ entry, signer: fingerprint, algorithm: 22, key: secret }] : [];
    });
    const both = { ...request, entries, signer: keySigner(keys, request.time) };
    expect(await told(both, { signer: undefined })).toMatchObject({ signed: [SPEC], kept: 0, index: 'outdated' });
    expect(await told(both)).toMatchObject({ signed: [SPEC], kept: 0, index: 'written', sequence: 2 });
    expect(await told(both)).toMatchObject({ signed: [], kept: 1, index: 'unchanged', sequence: 2 });
    expect(ownIndex(path).keys).toEqual(entries.map(({ fingerprint }) => fingerprint));
    // The other key alone does not vouch for it any more.
    expect(await told(request)).toMatchObject({ signed: [SPEC], kept: 0, index: 'written', sequence: 3 });
  }));
