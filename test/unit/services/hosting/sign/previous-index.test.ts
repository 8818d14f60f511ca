import { existsSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { HubIndex } from '../../../../../src/hub/index-file.js';
import type { HubSource } from '../../../../../src/hub/source.js';
import { publishedIndex } from '../../../../../src/services/hosting/sign/verified-index.js';
import { signHub, type SignRequest } from '../../../../../src/services/hosting/sign/sign-hub.js';
import { errorOf, saidBy } from '../../../../support/errors.js';
import { atHub, failed, HOUR, ownIndex, shown, told } from './sign-site.js';

const { signal } = new AbortController();

describe('the number of an index', () => {
  it('is renewed on request, if there is an index', () =>
    atHub(async (request, path) => {
      const time = { ...request.time, created: new Date(request.time.created.getTime() - HOUR) };
      const { created } = ownIndex(path);
      expect(await signHub({ ...request, refresh: true, time }, signal)).toMatchObject({
        sequence: 2,
        index: 'written',
        signed: [],
        kept: 0,
      });
      expect(ownIndex(path).created).toBe(created - HOUR);
      expect(await told(request, { refresh: true, signer: undefined })).toMatchObject({
        sequence: 3,
        index: 'outdated',
        checked: true,
      });
      rmSync(path('index.json'));
      expect(await failed(request, { refresh: true })).toEqual({
        code: 'SIG_MISSING',
        message: 'HUB has no index with a valid signature of every key to renew',
        hints: ['sign the whole hub first'],
        isOfOwnIndex: true,
        target: { file: 'HUB/index.json' },
      });
    }));

  it('is behind none that is published', () =>
    atHub(async (request, path) => {
      const own = ownIndex(path);
      const against = (index: Partial<HubIndex>, more: Partial<SignRequest> = {}) =>
        told(request, { signer: undefined, published: shown({ ...own, ...index }), ...more });
      expect(await against({})).toMatchObject({ index: 'unchanged', sequence: 1 });
      expect(await against({ sequence: 0, created: 0 })).toMatchObject({ index: 'unchanged', sequence: 1, events: [] });
      for (const other of [{ created: own.created - 1 }, { expires: own.expires - 1 }, { files: [] }])
        expect(await against(other)).toMatchObject({ index: 'outdated', sequence: 2 });
      const published = shown({ ...own, sequence: 7 });
      expect(await failed(request, { published })).toEqual({
        code: 'ROLLBACK',
        message: 'the tree has index 1, but the published hub has index 7',
        hints: ['get the tree that was published last', { next: 'force-sequence' }],
      });
      rmSync(path('index.json'));
      expect(await told(request, { published, signer: undefined })).toMatchObject({ index: 'missing', sequence: 8 });
      const last = shown({ ...own, sequence: Number.MAX_SAFE_INTEGER });
      expect(await failed(request, { published: last })).toEqual({
        code: 'BAD_CATALOG',
        message: 'the index has the highest number that clients can read, 9007199254740991',
      });
      expect(
        await told(request, { published: shown({ ...own, sequence: Number.MAX_SAFE_INTEGER - 1 }) }),
      ).toMatchObject({ sequence: Number.MAX_SAFE_INTEGER });
    }));
});

describe('the index of a run that was stopped', () => {
  it('is put in its place where it is signed, and removed where it is not', () =>
    atHub(async (request, path) => {
      renameSync(path('index.json'), path('.index.json.new'));
      expect(await told(request, { signer: undefined })).toMatchObject({ index: 'outdated', sequence: 2 });
      expect(existsSync(path('.index.json.new'))).toBe(true);
      expect(await told(request)).toMatchObject({ index: 'unchanged', sequence: 1 });
      expect([existsSync(path('index.json')), existsSync(path('.index.json.new'))]).toEqual([true, false]);
      writeFileSync(path('.index.json.new'), '{}');
      expect(await told(request, { signer: undefined })).toMatchObject({ index: 'unchanged', sequence: 1 });
      expect(existsSync(path('.index.json.new'))).toBe(true);
      expect(await told(request)).toMatchObject({ index: 'unchanged', sequence: 1 });
      expect(existsSync(path('.index.json.new'))).toBe(false);
      renameSync(path('index.json'), path('.index.json.new'));
      rmSync(path('index.json.asc'));
      expect(await told(request, { signer: undefined })).toMatchObject({ index: 'missing', sequence: 1 });
    }));

  it('is no link, and not too large', () =>
    atHub(async (request, path) => {
      const index = readFileSync(path('index.json'));
      truncateSync(path('index.json'), 20_000_001);
      expect(await failed(request)).toEqual({
        code: 'TOO_LARGE',
        message: 'HUB/index.json is larger than 20000000 bytes',
        target: { file: 'HUB/index.json' },
      });
      rmSync(path('index.json'));
      writeFileSync(path('other'), index);
      symlinkSync(path('other'), path('index.json'));
      expect(await failed(request)).toEqual({
        code: 'SYMLINK',
        message: 'HUB/index.json is a symbolic link',
        hints: ['remove the link, or use its target'],
        target: { file: 'HUB/index.json' },
      });
      rmSync(path('index.json'));
      truncateSync(path('index.json.asc'), 65_537);
      expect(await failed(request)).toEqual({
        code: 'TOO_LARGE',
        message: 'HUB/index.json.asc is larger than 65536 bytes',
        target: { file: 'HUB/index.json.asc' },
      });
    }));
});

describe('the published index', () => {
  /** A hub with these files. */
  const sourceOf = (files: Readonly<Record<string, Uint8Array>>, asked: unknown[]): HubSource => ({
    base: 'file:///hub/',
    kind: 'folder',
    label: 'corp',
    catalog: () => Promise.reject(new Error('nobody asks for it')),
    open: async ({ file }, options) => {
      asked.push([file, options]);
      const bytes = files[file];
      return bytes && { what: file, body: Readable.from([bytes]), discard: () => Promise.resolve() };
    },
  });

  it('is read past all caches, and must be signed by a key that is known', () =>
    atHub(async ({ authority }, path) => {
      const [index, signature] = [readFileSync(path('index.json')), readFileSync(path('index.json.asc'))];
      const asked: unknown[] = [];
      const of = (files: Readonly<Record<string, Uint8Array>>) =>
        publishedIndex(sourceOf(files, asked), authority, signal);
      expect(await of({})).toBeNull();
      expect(await of({ 'index.json': index, 'index.json.asc': signature })).toEqual(shown(ownIndex(path)));
      expect(asked).toEqual([
        ['index.json', { maxBytes: 20000000, fresh: true }],
        ['index.json', { maxBytes: 20000000, fresh: true }],
        ['index.json.asc', { maxBytes: 65536, fresh: true }],
      ]);
      expect(saidBy(await errorOf(of({ 'index.json': index })))).toEqual({
        code: 'SIG_MISSING',
        message: 'the number of the index cannot be continued: index.json of corp has no signature',
        hints: [{ next: 'publish-again' }, { next: 'force-sequence' }],
        target: { file: 'index.json of corp', reason: 'missing' },
      });
    }));
});
