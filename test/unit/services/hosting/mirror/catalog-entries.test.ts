import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changedFront, writeFront } from '../../../../../src/services/hosting/mirror/catalog-entries.js';
import { NEVER } from '../../../../support/clock.js';
import { withTempDir } from '../../../../support/run-cli.js';

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
