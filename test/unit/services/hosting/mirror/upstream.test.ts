import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { HubSigner } from '../../../../../src/emulator/hub/sign.js';
import { folderSource } from '../../../../../src/hub/folder-source.js';
import type { HubSource } from '../../../../../src/hub/source.js';
import { readUpstream, refuseOlder, type ReadUpstream } from '../../../../../src/services/hosting/mirror/upstream.js';
import type { TrustSetup } from '../../../../../src/services/catalog/trust-setup.js';
import { errorOf, saidBy, thrownBy } from '../../../../support/errors.js';
import { flipByte, hubKey, hubPackage, signedHub, writeHubTree } from '../../../../support/sites/hub-tree.js';
import { folders, setupWith } from '../../catalog/support-trust.js';

const newFolder = folders();
const { signal } = new AbortController();
const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

let key: HubSigner;
let files: ReadonlyMap<string, Buffer>;
let setup: TrustSetup;
beforeAll(async () => {
  key = await hubKey();
  ({ files } = await signedHub({ packages: [hubPackage({ name: 'one' })], key, sequence: 3 }));
  setup = await setupWith([key.publicKey]);
});

type Files = ReadonlyMap<string, Buffer | undefined>;
interface Listed {
  name: string;
  size: number;
  sha256: string;
}

/** The hub with other files, or without some. */
const hubWith = (changes: Files): ReadonlyMap<string, Buffer> => {
  const all = new Map<string, Buffer | undefined>([...files, ...changes]);
  return new Map([...all].flatMap(([path, bytes]) => (bytes === undefined ? [] : [[path, bytes] as const])));
};
const without = (...names: readonly string[]): Files => new Map(names.map((name) => [name, undefined]));
const NO_INDEX = ['index.json', 'index.json.asc'];

/** The hub whose signed index lists these files at its root as well. */
async function listing(own: Readonly<Record<string, Buffer>>, wrong: Partial<Listed> = {}): Promise<Files> {
  const index = JSON.parse(String(files.get('index.json'))) as { files: Listed[] };
  for (const [name, bytes] of Object.entries(own))
    index.files.push({ name, size: bytes.length, sha256: sha256Of(bytes), ...wrong });
  const bytes = Buffer.from(JSON.stringify(index));
  return new Map([
    ...Object.entries(own),
    ['index.json', bytes],
    ['index.json.asc', Buffer.from(await key.sign(bytes))],
  ]);
}

async function sourceOf(hub: ReadonlyMap<string, Buffer>): Promise<HubSource> {
  const folder = await newFolder();
  await writeHubTree(folder, hub);
  return { ...(await folderSource(folder, 'corp', signal)), label: 'corp' };
}
const read = async (changes: Files, own = setup, more?: Parameters<typeof readUpstream>[3]) =>
  readUpstream({ name: 'corp', source: await sourceOf(hubWith(changes)) }, own, signal, more);
const frontOf = ({ upstream }: ReadUpstream): readonly string[] => [...upstream.front.keys()].sort();
const refused = async (...asked: Parameters<typeof read>): Promise<unknown> => saidBy(await errorOf(read(...asked)));

describe('what clients of a hub read first', () => {
  it('is its catalogs and its index, with what that lists, byte for byte', async () => {
    const more = { 'publisher.asc': Buffer.from(key.publicKey), 'metadata.json': Buffer.from('{}') };
    const found = await read(await listing(more));
    const names = [
      'categories.json',
      'index.json',
      'index.json.asc',
      'metadata.json',
      'packages.json',
      'publisher.asc',
    ];
    expect(frontOf(found)).toEqual(names);
    const { upstream, catalog } = found;
    const index = upstream.front.get('index.json') ?? Buffer.of();
    expect(upstream).toMatchObject({ hub: 'corp', warnings: [], indexDigest: sha256Of(index), index: { sequence: 3 } });
    expect(upstream.state.index?.sequence).toBe(3);
    expect(catalog.entries.map(({ name }) => name)).toEqual(['one']);
  });

  it('has neither index nor digest where a hub has none, and what it has beside it', async () => {
    const changes = new Map([
      ...without(...NO_INDEX),
      ['metadata.json', Buffer.from('{}')],
      ['x.asc', Buffer.from('x')],
    ]);
    const found = await read(changes);
    expect(frontOf(found)).toEqual(['categories.json', 'metadata.json', 'packages.json']);
    expect(found.upstream).toMatchObject({ index: undefined, indexDigest: undefined, warnings: [] });
    expect(frontOf(await read(new Map([...changes, ...without('categories.json')])))).toEqual([
      'metadata.json',
      'packages.json',
    ]);
  });

  it('tells what has changed by an index without a signature, if it can be read', async () => {
    const off = await setupWith([], { policy: 'off' });
    const { upstream } = await read(without('index.json.asc'), off);
    expect([upstream.index?.sequence, upstream.state.index, upstream.front.has('index.json.asc')]).toEqual([
      3,
      undefined,
      false,
    ]);
    const broken = await read(new Map([['index.json', Buffer.from('{')]]), off);
    expect([broken.upstream.index, broken.upstream.indexDigest]).toEqual([undefined, sha256Of(Buffer.from('{'))]);
    expect(broken.upstream.front.get('index.json')?.toString()).toBe('{');
  });

  it('takes a listing in place of an index, without what a hub does not have at its root', async () => {
    const off = await setupWith([], { policy: 'off' });
    const one = (name: string, bytes: Buffer) => ({ name, size: bytes.length, sha256: sha256Of(bytes) });
    const page = Buffer.from('<html>');
    const own = files.get('packages.json') ?? Buffer.of();
    const list = {
      ...{ format: 1 as const, sequence: 1, created: 0, expires: 0, packages: [], keys: [] },
      files: [one('index.html', page), one('packages.json', own)],
    };
    const changes = new Map([...without(...NO_INDEX, 'metadata.json'), ['index.html', page]]);
    const found = await read(changes, off, list);
    expect(frontOf(found)).toEqual(['categories.json', 'packages.json']);
    expect(found.upstream.index).toBe(list);
  });
});

describe('a hub is refused', () => {
  it('where its index lists what is not there, or is another file, or longer', async () => {
    const text = Buffer.from('text');
    const mixed = (name: string) => ({
      code: 'MIXED',
      message: `${name} does not match the index of the hub`,
      hints: [{ next: 'publish-again' }],
      target: { file: name },
    });
    expect(await refused(await listing({ 'x.asc': text }, { size: 3 }))).toEqual(mixed('x.asc'));
    expect(await refused(await listing({ 'x.asc': text }, { sha256: 'a'.repeat(64) }))).toEqual(mixed('x.asc'));
    const gone = new Map([...(await listing({ 'x.asc': text })), ['x.asc', undefined]]);
    expect(await refused(gone)).toEqual(mixed('x.asc'));
    expect(await refused(without('categories.json'))).toEqual(mixed('categories.json'));
  });

  it('only after all was read again past all caches', async () => {
    const hub = hubWith(await listing({ 'x.asc': Buffer.from('x') }, { size: 3 }));
    const asked: string[] = [];
    const source = await sourceOf(hub);
    const open: HubSource['open'] = (place, options, both) => {
      asked.push(`${place.file} ${String(options.fresh === true)}`);
      return source.open(place, options, both);
    };
    await errorOf(readUpstream({ name: 'corp', source: { ...source, open } }, setup, signal));
    const half = asked.length / 2;
    expect(asked.slice(0, half)).toContain('packages.json false');
    expect(asked.slice(half)).toEqual(asked.slice(0, half).map((one) => one.replace('false', 'true')));
  });

  it.each(['index.html', '.hidden.asc', 'x'.repeat(200)])('where its index lists %s at its root', async (name) => {
    const shown = JSON.stringify(name.slice(0, 120));
    expect(await refused(await listing({ [name]: Buffer.from('x') }))).toEqual({
      code: 'BAD_NAME',
      message: `the index lists ${shown} at the root of the hub`,
    });
  });

  it('where its index lists too much at its root', async () => {
    const [most, more] = [128_000_000, 128_000_001].map((sum) => {
      const own = ['categories.json', 'packages.json'].reduce((all, name) => all + (files.get(name)?.length ?? 0), 0);
      return sum - own;
    });
    expect(await refused(await listing({ 'x.asc': Buffer.from('x') }, { size: more ?? 0 }))).toEqual({
      code: 'TOO_LARGE',
      message: 'the index lists more than 128000000 bytes at the root of the hub',
    });
    expect(await refused(await listing({ 'x.asc': Buffer.from('x') }, { size: most ?? 0 }))).toMatchObject({
      code: 'MIXED',
    });
  });

  it('where its index is not signed as it should be', async () => {
    const index = files.get('index.json') ?? Buffer.of();
    expect(await refused(new Map([['index.json', flipByte(index)]]))).toMatchObject({ code: 'SIG_BAD' });
    const other = await setupWith([(await hubKey()).publicKey]);
    expect(await refused(new Map(), other)).toMatchObject({ code: 'KEY_UNKNOWN' });
  });
});

describe('a catalog that its hub signs alone', () => {
  const signed = async (by: HubSigner): Promise<Files> => {
    const bytes = files.get('packages.json') ?? Buffer.of();
    return new Map([...without(...NO_INDEX), ['packages.json.asc', Buffer.from(await by.sign(bytes))]]);
  };

  it('is judged by the keys of the hub, if any are trusted', async () => {
    const [own, other] = [await signed(key), await signed(await hubKey())];
    const found = await read(own);
    expect([frontOf(found), found.upstream.warnings]).toEqual([
      ['categories.json', 'metadata.json', 'packages.json', 'packages.json.asc'],
      [],
    ]);
    expect(await refused(other)).toMatchObject({ code: 'KEY_UNKNOWN' });
    const warn = await setupWith([key.publicKey], { policy: 'warn' });
    expect((await read(other, warn)).upstream.warnings).toEqual([expect.stringContaining('packages.json')]);
    for (const policy of ['off', 'warn'] as const)
      expect((await read(other, await setupWith([], { policy }))).upstream.warnings).toEqual([]);
    expect((await read(other, await setupWith([key.publicKey], { policy: 'off' }))).upstream.warnings).toEqual([]);
  });
});

describe('a hub that was mirrored before', () => {
  const HINTS = ['the hub or a cache may be outdated; retry later or contact the owner of the hub'];

  it('is not older than its mirror, nor without the index that it had', async () => {
    const { upstream } = await read(new Map());
    const sha256 = upstream.indexDigest ?? '';
    for (const last of [undefined, { sequence: 2, sha256: 'x' }, { sequence: 3, sha256 }])
      expect(() => {
        refuseOlder(upstream, last);
      }).not.toThrow();
    const how = (last: Parameters<typeof refuseOlder>[1], own = upstream): unknown =>
      saidBy(
        thrownBy(() => {
          refuseOlder(own, last);
        }),
      );
    const rollback = (message: string) => ({ code: 'ROLLBACK', message, hints: HINTS });
    expect(how({ sequence: 4, sha256 })).toEqual(
      rollback('the hub corp has index 3, but the mirror has index 4 of it'),
    );
    expect(how({ sequence: 3, sha256: 'x' })).toEqual(
      rollback('the hub corp has another index 3, but the mirror has index 3 of it'),
    );
    const none = rollback('the hub corp has no index, but the mirror has index 2 of it');
    expect(how({ sequence: 2, sha256 }, { ...upstream, index: undefined })).toEqual(none);
    // What stands for an index is none.
    expect(how({ sequence: 2, sha256 }, { ...upstream, indexDigest: undefined })).toEqual(none);
  });
});
