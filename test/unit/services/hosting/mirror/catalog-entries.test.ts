import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changedFront, ownCatalog, writeFront } from '../../../../../src/services/hosting/mirror/catalog-entries.js';
import { NEVER } from '../../../../support/clock.js';
import { saidBy, thrownBy } from '../../../../support/errors.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

const ORDER = [
  'metadata.json',
  'categories.json',
  'packages.json.asc',
  'packages.json',
  'index.json.asc',
  'index.json',
];

describe('what clients read first', () => {
  const atFront = (test: (root: string, read: () => readonly string[]) => Promise<void>) =>
    withTempDir(async (root) => {
      for (const name of ORDER) writeFileSync(join(root, name), 'old');
      await test(root, () => ORDER.map((name) => readFileSync(join(root, name), 'utf8')));
    });
  const fresh = (names: readonly string[]) => new Map(names.map((name) => [name, Buffer.from('new')]));

  it('is what has changed, the index last, and appears once all of it is written', () =>
    atFront(async (root, read) => {
      const same = new Map([...fresh(ORDER.toReversed()), ['packages.json.asc', Buffer.from('old')] as const]);
      const changed = await changedFront(root, same);
      expect(changed.map(([name]) => name)).toEqual(ORDER.filter((name) => name !== 'packages.json.asc'));
      let before: readonly string[] = [];
      await writeFront(root, changed, () => void (before = read()), NEVER);
      expect(before).toEqual(ORDER.map(() => 'old'));
      expect(read()).toEqual(ORDER.map((name) => (name === 'packages.json.asc' ? 'old' : 'new')));
      expect(await changedFront(root, same)).toEqual([]);
    }));

  it('stays as it was, with nothing beside it, where what comes with it cannot be moved', () =>
    atFront(async (root, read) => {
      const failing = (): never => {
        throw new Error('no room');
      };
      await expect(writeFront(root, [...fresh(ORDER)], failing, NEVER)).rejects.toThrow('no room');
      expect([read(), readdirSync(root).sort()]).toEqual([ORDER.map(() => 'old'), ORDER.toSorted()]);
    }));
});

describe('the catalog of a part of a hub', () => {
  const upstreamWith = (categories: string | undefined): Parameters<typeof ownCatalog>[0] => ({
    ...{ hub: 'corp', state: { problems: [], warnings: [] }, index: undefined, indexDigest: undefined, warnings: [] },
    source: {
      base: '',
      kind: 'http',
      label: 'corp',
      open: async () => undefined,
      catalog: () => Promise.reject(new Error()),
    },
    front: new Map(categories === undefined ? [] : [['categories.json', Buffer.from(categories)]]),
  });
  const entry = (name: string, raw: object) => ({ name, version: '1.0.0', raw: { name, version: '1.0.0', ...raw } });
  const made = (...asked: Parameters<typeof ownCatalog>) =>
    [...ownCatalog(...asked)].map(([name, bytes]) => [name, JSON.parse(Buffer.from(bytes).toString()) as unknown]);

  it('is in the order of a catalog, with the categories of its packages as the hub has them', () => {
    const entries = [
      entry('b', { label: 'Z', categories: ['two', 7] }),
      entry('c', { label: 'a', categories: 'three' }),
      entry('a', { label: 'B' }),
    ];
    const [one, two] = [{ name: 'one' }, { name: 'two', hasIcon: true }];
    const order = ['c', 'a', 'b'].map((name) => entries.find((each) => each.name === name)?.raw);
    expect(made(upstreamWith(JSON.stringify([one, 'two', two, { name: 'three' }])), entries)).toEqual([
      ['categories.json', [two]],
      ['packages.json', order],
    ]);
    for (const categories of [undefined, '{}'])
      expect(made(upstreamWith(categories), [])).toEqual([
        ['categories.json', []],
        ['packages.json', []],
      ]);
  });

  it('is refused where clients would not read it', () => {
    const large = entry('a', { description: 'x'.repeat(10_000_000) });
    expect(
      saidBy(
        thrownBy(() =>
          ownCatalog(
            upstreamWith(undefined),
            Array.from({ length: 4 }, () => large),
          ),
        ),
      ),
    ).toEqual({
      code: 'TOO_LARGE',
      message: 'packages.json would have more than 40000000 bytes, which clients do not read',
    });
  });
});
