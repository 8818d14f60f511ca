import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readIndex, type HubIndex } from '../../../../../src/hub/index-file.js';
import { signHub, type SignRequest } from '../../../../../src/services/hosting/sign/sign-hub.js';
import type { ContinuedIndex } from '../../../../../src/services/hosting/sign/verified-index.js';
import { openMemory } from '../../../../../src/services/hosting/sign/sign-memory.js';
import type { Signer } from '../../../../../src/services/hosting/sign/signer.js';
import { ID_BYTES } from '../../../../../src/services/hosting/tree/file-stamp.js';
import { openedFiles } from '../../../../support/opened-files.js';
import * as pgp from '../../../../support/openpgp.js';
import { atHub, HOUR, key, signerOf, SPEC } from './sign-site.js';

const { NOW } = pgp;
const { signal } = new AbortController();

it('tells of each file that a slow signer has signed', () =>
  atHub(async (request, path) => {
    for (const version of ['2.0.0', '3.0.0']) {
      mkdirSync(path(`packages/one/${version}`));
      writeFileSync(path(`packages/one/${version}/spec.json`), '{}');
    }
    const events: unknown[] = [];
    const signer = { ...signerOf(request), atOnce: 1, seconds: async () => 2 };
    await signHub({ ...request, signer, emit: (event) => events.push(event) }, signal);
    expect(events).toMatchObject([
      { type: 'note', message: 'note: signing 2 files and the index takes about 2.0 s each, 6 s in all' },
      { type: 'count', what: 'files signed', done: 1, of: 2 },
      { type: 'count', what: 'files signed', done: 2, of: 2 },
      { type: 'warning', code: 'CATALOG_STALE' },
    ]);
  }));

it('counts the files that a slow signer has to sign: of another key, and changed ones, but none that is signed', () =>
  atHub(async (request, path) => {
    const notes: string[] = [];
    const put = (file: string, content: string | Uint8Array): void => {
      mkdirSync(dirname(path(file)), { recursive: true });
      writeFileSync(path(file), content);
    };
    const sign = async (seconds: number): Promise<readonly string[]> => {
      const emit: SignRequest['emit'] = (event) => event.type === 'note' && notes.push(event.message);
      return (
        await signHub({ ...request, signer: { ...signerOf(request), seconds: async () => seconds }, emit }, signal)
      ).signed;
    };
    const [snapshot, theirs, ours] = ['2.0.0-SNAPSHOT', '3.0.0', '4.0.0'].map(
      (version) => `packages/one/${version}/spec.json`,
    ) as [string, string, string];
    put(snapshot, '{}');
    expect(await sign(30)).toEqual([snapshot]);
    put(snapshot, '{ }');
    for (const [file, by] of [
      [theirs, pgp.makeKey('ed25519')],
      [ours, key],
    ] as const) {
      put(file, '{}');
      put(`${file}.asc`, pgp.armorSignature(pgp.signFile(by, Buffer.from('{}'))));
    }
    expect(await sign(0.03)).toEqual([snapshot, theirs]);
    expect(await sign(30)).toEqual([]);
    expect(notes).toEqual([
      'note: signing 1 file and the index takes about 30.0 s each, 1m 00s in all',
      'note: signing 2 files and the index takes about 0.03 s each, 1 s in all',
    ]);
  }));

const UNLISTED = 'build the hub again, unless this is intended';

it('warns of a catalog that does not list what the tree has, or lists more', () =>
  atHub(async (request, path) => {
    const warned = async (entries: readonly object[], more: Partial<SignRequest> = {}): Promise<readonly unknown[]> => {
      writeFileSync(path('packages.json'), JSON.stringify(entries));
      const events: unknown[] = [];
      await signHub({ ...request, ...more, emit: (event) => events.push(event) }, signal);
      return events;
    };
    const one = { name: 'one', version: '1.0.0' };
    expect(await warned([one])).toEqual([]);
    const told = (message: string): object => ({ type: 'warning', code: 'CATALOG_STALE', message });
    const lacks = told(`packages.json does not list one 1.0.0; ${UNLISTED}`);
    expect(await warned([])).toEqual([lacks]);
    expect(await warned([], { signer: undefined })).toEqual([lacks]);
    expect(await warned([], { refresh: true })).toEqual([]);
    expect(await warned([one, { ...one, version: '2.0.0' }])).toEqual([
      told(`packages.json lists one 2.0.0, which the tree does not have; build the hub again`),
    ]);
    for (const version of ['2.0.0', '3.0.0', '4.0.0']) {
      mkdirSync(path(`packages/one/${version}`));
      writeFileSync(path(`packages/one/${version}/spec.json`), '{}');
    }
    const four = '4 package versions (one 1.0.0, one 2.0.0, one 3.0.0, ...)';
    expect(await warned([])).toEqual([told(`packages.json does not list ${four}; ${UNLISTED}`)]);
  }));

const publishedAs = (index: HubIndex, problem?: ContinuedIndex['problem']): ContinuedIndex => ({ index, problem });

it('tells of published versions that the tree lacks, as a warning where a published hub has them', () =>
  atHub(async (request, path) => {
    mkdirSync(path('packages/one/2.0.0'));
    writeFileSync(path('packages/one/2.0.0/spec.json'), '{}');
    const told = async (more: Partial<SignRequest>): Promise<readonly unknown[]> => {
      const events: unknown[] = [];
      await signHub({ ...request, ...more, emit: (event) => events.push(event) }, signal);
      return events.filter((event) => !JSON.stringify(event).includes('CATALOG_STALE'));
    };
    expect(await told({})).toEqual([]);
    const published = publishedAs(readIndex(readFileSync(path('index.json')), 'index.json'));
    rmSync(path('packages/one/2.0.0'), { recursive: true });
    const gone = [
      {
        type: 'warning',
        code: 'VERSIONS_GONE',
        message:
          'published index 2 has one 2.0.0, which this tree does not have: unless they were removed on purpose, get the tree that was published last',
      },
    ];
    expect(await told({ published, signer: undefined })).toEqual(gone);
    expect(await told({})).toEqual([{ type: 'note', message: 'note: no longer in the hub since index 2: one 2.0.0' }]);
    expect(await told({ published })).toEqual(gone);
    expect(await told({ published, refresh: true })).toEqual(gone);
  }));

it('continues the number of a newer hub only on request, and never if no key vouches for its index', () =>
  atHub(async (request, path) => {
    const own = readIndex(readFileSync(path('index.json')), 'index.json');
    const newer = { ...own, sequence: 8 };
    const authority = { ...request.authority, force: true };
    await expect(signHub({ ...request, published: publishedAs(newer) }, signal)).rejects.toMatchObject({
      code: 'ROLLBACK',
    });
    const problem = { code: 'SIG_BAD', message: 'index.json does not match' } as const;
    const forged = { ...request, authority, published: publishedAs(newer, problem) };
    await expect(signHub(forged, signal)).rejects.toMatchObject({
      code: 'SIG_BAD',
      message:
        'the tree has index 1, but the published hub has index 8, whose number is continued only if both are verified: index.json does not match',
      details: {
        hints: [
          'get the tree that was published last',
          'sign with the key of that index as well, or put its public key into the hub as publisher.asc',
        ],
      },
    });
    const signature = readFileSync(path('index.json.asc'));
    rmSync(path('index.json.asc'));
    await expect(signHub({ ...request, authority, published: publishedAs(newer) }, signal)).rejects.toMatchObject({
      code: 'SIG_MISSING',
      message: expect.stringContaining('only if both are verified: ') as string,
    });
    writeFileSync(path('index.json.asc'), signature);
    expect(await signHub({ ...request, authority, published: publishedAs(newer) }, signal)).toMatchObject({
      sequence: 9,
    });
  }));

const ALL = ['icon.png', 'spec.json', 'spec.json.asc'];

describe('a hub that is signed again', () => {
  const again = async (request: SignRequest): Promise<readonly [number, readonly string[]]> => {
    let kept = -1;
    const paths = await openedFiles(async () => {
      const done = await signHub(request, signal);
      expect(done).toMatchObject({ signed: [], index: 'unchanged' });
      kept = done.kept;
    });
    return [kept, paths.filter((path) => path.includes('/packages/')).map((path) => basename(path))];
  };

  it('opens no file of several packages that has not changed', () =>
    atHub(async (request, path) => {
      const [jar, spec] = ['packages/one/2.0.0/a.jar', 'packages/one/2.0.0/spec.json'];
      mkdirSync(path('packages/one/2.0.0'));
      for (const file of [jar, spec]) writeFileSync(path(file), '{}');
      expect(await signHub(request, signal)).toMatchObject({ signed: [jar, spec], kept: 1 });
      expect(await again(request)).toEqual([3, []]);
      utimesSync(path(jar), 1, 1);
      expect(await again(request)).toEqual([3, ['a.jar']]);
    }));

  it('opens no file that has not changed, unless it is told to', () =>
    atHub(async (request) => {
      expect(await again(request)).toEqual([1, []]);
      expect(await again({ ...request, signer: undefined })).toEqual([1, []]);
      expect(await again({ ...request, recheck: true })).toEqual([1, ALL]);
      expect(await again({ ...request, memory: { ...request.memory, version: '2.0.0' } })).toEqual([1, ALL]);
      expect(await again(request)).toEqual([1, ALL]);
      expect(await signHub({ ...request, refresh: true }, signal)).toMatchObject({ index: 'written', sequence: 2 });
      expect(await again(request)).toEqual([1, []]);
    }));

  it('V25: reads what was changed a moment before, or without a change of its content, and signs other content', () =>
    atHub(async (request, path) => {
      utimesSync(path(SPEC), 1, 1);
      expect(await again(request)).toEqual([1, ['spec.json']]);
      writeFileSync(path(`${SPEC}.asc`), readFileSync(path(`${SPEC}.asc`)));
      const soon = new Date(request.clock.now() + 60_000);
      const later = { ...request, time: { created: soon, now: soon } };
      expect(await again({ ...request, clock: { now: () => Date.now() } })).toEqual([1, ['spec.json.asc']]);
      expect(await again(later)).toEqual([1, ALL]);
      const { atime, mtime } = statSync(path(SPEC));
      writeFileSync(path(SPEC), '[]');
      utimesSync(path(SPEC), atime, mtime);
      const forced = { ...later, forced: ['one/1.0.0/spec.json'] };
      expect(await signHub(forced, signal)).toMatchObject({ signed: [SPEC], kept: 0, index: 'written' });
    }));

  it('V25: reads what was written just before, or by, a run that takes long', () =>
    atHub(async (request, path) => {
      writeFileSync(path('packages/one/1.0.0/spec.json'), '{ }');
      let later = 0;
      const signFile: Signer['signFile'] = (...file) => {
        later = 10_000;
        return signerOf(request).signFile(...file);
      };
      const signer = { ...signerOf(request), signFile };
      const long = { ...request, forced: ['one/1.0.0/spec.json'], signer, clock: { now: () => Date.now() + later } };
      expect(await signHub(long, signal)).toMatchObject({ signed: [SPEC], index: 'written' });
      expect(later).toBe(10_000);
      const soon = new Date(request.clock.now() + 60_000);
      const next = { ...request, time: { created: soon, now: soon } };
      expect(await again(next)).toEqual([1, ALL]);
      expect(await again(next)).toEqual([1, []]);
    }));

  it('V05: takes no file that has gone for one that was noted too early to be trusted', () =>
    atHub(async (request) => {
      const gone = { size: 0, changedAt: 0, id: '' };
      const files = [{ name: 'spec.json', size: 1, sha256: 'a' }];
      const packages = [{ name: 'one', version: '1.0.0', files }];
      const index: HubIndex = { format: 1, sequence: 1, created: 0, expires: 0, files: [], packages, keys: [] };
      const of = {
        ...request.memory,
        root: request.root,
        entries: request.entries,
        now: request.time.now,
        start: Date.now(),
      };
      const stamp = { ...gone, id: Buffer.alloc(ID_BYTES, 1).toString('base64'), changedAt: Date.now() };
      const memory = await openMemory(of, undefined);
      memory.note({ stamp });
      await memory.keep('x');
      const found = (await openMemory(of, { index, sha256: 'x' })).find({ name: 'one', version: '1.0.0' }, 'spec.json');
      expect(found?.listed).toEqual(files[0]);
      expect(found?.isUnchanged('file', gone)).toBe(false);
    }));

  it('V09: refuses other content of a file that it, or the published hub, lists, unless that is a snapshot', () =>
    atHub(async (request, path) => {
      const index = readFileSync(path('index.json'));
      const snapshot = 'packages/one/1.0.0-SNAPSHOT/spec.json';
      mkdirSync(path('packages/one/1.0.0-SNAPSHOT'));
      writeFileSync(path(snapshot), '{}');
      expect(await signHub(request, signal)).toMatchObject({ signed: [snapshot], kept: 1 });
      writeFileSync(path(SPEC), '[]');
      writeFileSync(path('packages/one/1.0.0/icon.png'), 'other');
      writeFileSync(path(snapshot), '[]');
      const signature = readFileSync(path(`${SPEC}.asc`));
      const before = readFileSync(path('index.json'));
      for (const signer of [request.signer, undefined])
        await expect(signHub({ ...request, signer }, signal)).rejects.toMatchObject({
          code: 'REPUBLISH',
          details: { lines: ['packages/one/1.0.0/icon.png', `packages/one/1.0.0/spec.json`] },
        });
      expect(readFileSync(path(`${SPEC}.asc`)).equals(signature)).toBe(true);
      expect(readFileSync(path('index.json')).equals(before)).toBe(true);
      rmSync(path('index.json'));
      rmSync(path('index.json.asc'));
      const against = { ...request, published: publishedAs(readIndex(index, 'index.json')) };
      await expect(signHub(against, signal)).rejects.toMatchObject({ code: 'REPUBLISH' });
      const forced = ['one/1.0.0/icon.png', 'one/1.0.0/spec.json'];
      expect(await signHub({ ...against, forced }, signal)).toMatchObject({ signed: [SPEC], kept: 1, sequence: 2 });
    }));

  it('V09: refuses a file that was removed from a published version, or added, and signs it not', () =>
    atHub(async (request, path) => {
      const [added, icon] = ['packages/one/1.0.0/extra.jar', 'packages/one/1.0.0/icon.png'];
      for (const version of ['1.0.0-SNAPSHOT', '2.0.0']) mkdirSync(path(`packages/one/${version}`));
      writeFileSync(path('packages/one/1.0.0-SNAPSHOT/spec.json'), '{}');
      await signHub(request, signal);
      const before = readFileSync(path('index.json'));
      rmSync(path(icon));
      writeFileSync(path(added), 'jar');
      rmSync(path('packages/one/1.0.0-SNAPSHOT/spec.json'));
      writeFileSync(path('packages/one/1.0.0-SNAPSHOT/extra.jar'), 'jar');
      writeFileSync(path('packages/one/2.0.0/spec.json'), '{}');
      for (const signer of [request.signer, undefined])
        await expect(signHub({ ...request, signer }, signal)).rejects.toMatchObject({
          code: 'REPUBLISH',
          details: { lines: [`${added} (added)`, `${icon} (removed)`], target: { file: added } },
        });
      expect(existsSync(path(`${added}.asc`))).toBe(false);
      expect(readFileSync(path('index.json')).equals(before)).toBe(true);
      const one = { ...request, forced: ['one/1.0.0/extra.jar'] };
      await expect(signHub(one, signal)).rejects.toMatchObject({ details: { lines: [`${icon} (removed)`] } });
      const both = { ...one, forced: [...one.forced, 'one/1.0.0/icon.png'] };
      expect(await signHub(both, signal)).toMatchObject({ index: 'written' });
      expect(existsSync(path(`${added}.asc`))).toBe(true);
    }));

  it('removes the signature of a removed file that may be removed, but no file of that name', () =>
    atHub(async (request, path) => {
      const files = ['1.0.0/a.jar', '1.0.0/b', '1.0.0-SNAPSHOT/a.jar'].map((file) => `packages/one/${file}`);
      mkdirSync(path('packages/one/1.0.0-SNAPSHOT'));
      for (const file of files) writeFileSync(path(file), file);
      const forced = ['one/1.0.0/a.jar', 'one/1.0.0/b', 'one/1.0.0/b.asc'];
      const wanted = { ...request, forced };
      expect(await signHub(wanted, signal)).toMatchObject({ signed: [files[2], files[0], files[1]] });
      for (const file of files) rmSync(path(file));
      writeFileSync(path(`${files[1]}.asc`), '-----BEGIN PGP PUBLIC KEY BLOCK-----');
      const signed = [`${files[1]}.asc`];
      expect(await signHub({ ...wanted, signer: undefined }, signal)).toMatchObject({ signed });
      expect(files.map((file) => existsSync(path(`${file}.asc`)))).toEqual([true, true, true]);
      expect(await signHub(wanted, signal)).toMatchObject({ signed, index: 'written' });
      expect(files.map((file) => existsSync(path(`${file}.asc`)))).toEqual([false, true, false]);
      expect(existsSync(path(`${files[0]}.asc.asc`))).toBe(false);
      expect(await signHub(request, signal)).toMatchObject({ signed: [], index: 'unchanged' });
    }));

  it('V25: trusts no memory that is damaged, or from the time after this run', () =>
    atHub(async (request) => {
      const folder = join(request.memory.stateFolder, 'trees');
      const [name = ''] = readdirSync(folder);
      const bytes = readFileSync(join(folder, name));
      expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
      for (const damaged of [bytes.subarray(0, -1), Buffer.concat([bytes, bytes]), Buffer.alloc(0)]) {
        writeFileSync(join(folder, name), damaged);
        expect(await again({ ...request, signer: undefined })).toEqual([1, ALL]);
      }
      writeFileSync(join(folder, name), bytes);
      const before = new Date(request.time.now.getTime() - 1000);
      expect(await again({ ...request, time: { created: before, now: before }, signer: undefined })).toEqual([1, ALL]);
      expect(await again(request)).toEqual([1, []]);
      chmodSync(join(folder, name), 0o606);
      await expect(signHub(request, signal)).rejects.toMatchObject({ code: 'STATE_PERMS' });
    }));

  it('judges a signature that expires each time, and all of them when a subkey has expired since', () =>
    atHub(async (request, path) => {
      const now = request.time.now;
      const then = new Date(now.getTime() + 2 * HOUR);
      const late = { ...request, time: { created: then, now: then }, clock: { now: () => then.getTime() } };
      expect(await again({ ...late, signer: undefined })).toEqual([1, ALL]);
      const ends = [pgp.createdSub(now), pgp.fingerprintSub(key.fingerprint), pgp.expiresSub(100)];
      writeFileSync(path(`${SPEC}.asc`), pgp.armorSignature(pgp.signFile(key, Buffer.from('{}'), { hashed: ends })));
      expect(await again(request)).toEqual([1, ['spec.json', 'spec.json.asc']]);
      expect(await again(request)).toEqual([1, ['spec.json', 'spec.json.asc']]);
      expect(await signHub(late, signal)).toMatchObject({ signed: [SPEC], kept: 0 });
    }));

  it('keeps no signature that only one of the two verifiers accepts, though the index lists the file', () =>
    atHub(async (request, path) => {
      expect(await signHub(request, signal)).toMatchObject({ signed: [], kept: 1, index: 'unchanged' });
      // A signature inside a signature that is none: openpgp.js reads it.
      const none = pgp.sub(32, Buffer.from('none'));
      const odd = [pgp.createdSub(NOW), pgp.fingerprintSub(key.fingerprint), none];
      writeFileSync(path(`${SPEC}.asc`), pgp.armorSignature(pgp.signFile(key, Buffer.from('{}'), { hashed: odd })));
      expect(await signHub(request, signal)).toMatchObject({ signed: [SPEC], kept: 0 });
    }));
});
