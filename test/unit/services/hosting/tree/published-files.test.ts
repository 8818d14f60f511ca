import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { HubIndex, IndexFile } from '../../../../../src/hub/index-file.js';
import { writeIndex } from '../../../../../src/hub/index-writer.js';
import { PublishedFiles, publishedIn } from '../../../../../src/services/hosting/tree/published-files.js';
import { saidBy, thrownBy } from '../../../../support/errors.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

const digestOf = (content: string): string => createHash('sha256').update(content).digest('hex');
const fileOf = (name: string, content: string): IndexFile => ({
  name,
  size: content.length,
  sha256: digestOf(content),
});

const ONE = { name: 'one', version: '1.0.0' };
const SNAPSHOT = { name: 'one', version: '1.0.0-SNAPSHOT' };
const OTHER = { name: 'other', version: '1.0.0' };
const ODD = { name: 'one', version: '12c' };

const FILES = [fileOf('a', 'a'), fileOf('b', 'b'), fileOf('c', 'c')];
const head = { sequence: 1, created: 0, expires: 0, files: [], keys: [] };
const index: HubIndex = {
  ...head,
  format: 1,
  packages: [ONE, SNAPSHOT, ODD].map((place) => ({ ...place, files: FILES })),
};

const published = (...forced: readonly string[]) => new PublishedFiles([undefined, index], forced);

/** What is said when all that was noted is refused. */
const refusalOf = (files: PublishedFiles) =>
  saidBy(
    thrownBy(() => {
      files.refuse('/hub');
    }),
  );

describe('files of published versions', () => {
  it('are guarded, unless the version is a snapshot or not published', () => {
    expect([ONE, SNAPSHOT, ODD, OTHER].map((place) => published().guards(place))).toEqual([true, false, true, false]);
    expect(new PublishedFiles([undefined], []).guards(ONE)).toBe(false);
  });

  it('have their content', () => {
    const accepts = (place: typeof ONE, name: string, content: string, ...forced: readonly string[]): boolean =>
      published(...forced).accepts(place, name, Buffer.from(content));
    expect([accepts(ONE, 'a', 'a'), accepts(ONE, 'a', 'b'), accepts(ONE, 'd', 'd')]).toEqual([true, false, false]);
    expect([accepts(SNAPSHOT, 'a', 'b'), accepts(ODD, 'a', 'b'), accepts(OTHER, 'a', 'b')]).toEqual([
      true,
      false,
      true,
    ]);
    expect([accepts(ONE, 'a', 'b', 'one/1.0.0/a'), accepts(ONE, 'a', 'b', 'one/1.0.0/b')]).toEqual([true, false]);
    // The signature of a file that was removed, which is told.
    expect([accepts(ONE, 'a.asc', 'x'), accepts(ONE, 'd.asc', 'x')]).toEqual([true, false]);
    expect(accepts(ONE, 'a.asc', 'x', 'one/1.0.0/a')).toBe(false);
    const signed = { ...index, packages: [{ ...ONE, files: [...FILES, fileOf('a.asc', 'a')] }] };
    expect(new PublishedFiles([signed], []).accepts(ONE, 'a.asc', Buffer.from('x'))).toBe(false);
  });

  it('are compared with each index', () => {
    const other = { ...index, packages: [{ ...ONE, files: [fileOf('a', 'other'), fileOf('d', 'd')] }] };
    const both = new PublishedFiles([index, other], []);
    const all = ['a', 'b', 'c', 'd'].map((name) => fileOf(name, name));
    expect(both.differences(ONE, all)).toEqual([
      { name: 'a', how: 'changed' },
      { name: 'b', how: 'added' },
      { name: 'c', how: 'added' },
      { name: 'd', how: 'added' },
    ]);
    expect(both.differences(OTHER, all)).toEqual([]);
  });

  it('differ where they were changed, added or removed', () => {
    const now = [fileOf('a', 'a'), fileOf('b', 'x'), fileOf('d', 'd')];
    expect(published().differences(ONE, now)).toEqual([
      { name: 'b', how: 'changed' },
      { name: 'd', how: 'added' },
      { name: 'c', how: 'removed' },
    ]);
    expect(published('one/1.0.0/b', 'one/1.0.0/c', 'one/1.0.0/d').differences(ONE, now)).toEqual([]);
    expect(published().differences(SNAPSHOT, now)).toEqual([]);
  });

  it('are refused together, each with how it differs', () => {
    const files = published();
    expect(files.allow(ONE, fileOf('a', 'a'))).toBe(true);
    expect(files.allow(ONE, fileOf('b', 'x'))).toBe(false);
    expect(files.allow(ONE, fileOf('d', 'd'))).toBe(false);
    files.allowOnly(ONE, [fileOf('a', 'a'), fileOf('b', 'x')]);
    files.allowOnly(SNAPSHOT, []);
    expect(refusalOf(files)).toEqual({
      code: 'REPUBLISH',
      message: '3 files of published versions changed in /hub',
      lines: ['packages/one/1.0.0/b', 'packages/one/1.0.0/c (removed)', 'packages/one/1.0.0/d (added)'],
      hints: [
        'remove files that were added to a published version by mistake',
        'restore files that were removed from a published version by mistake',
        'give the package a new version, unless this one was only signed, never published',
        { next: 'force-file', files: ['one/1.0.0/b', 'one/1.0.0/c', 'one/1.0.0/d'], more: false },
      ],
      target: { file: 'packages/one/1.0.0/b' },
    });
    const sizes = published('one/1.0.0/c');
    sizes.allowSizes(ONE, [fileOf('a', 'x'), fileOf('b', 'xx'), fileOf('d', 'd')]);
    expect(
      saidBy(
        thrownBy(() => {
          sizes.refuse('/target', 'would change');
        }),
      ),
    ).toEqual({
      code: 'REPUBLISH',
      message: '2 files of published versions would change in /target',
      lines: ['packages/one/1.0.0/b', 'packages/one/1.0.0/d (added)'],
      hints: [
        'give the package a new version',
        { next: 'force-file', files: ['one/1.0.0/b', 'one/1.0.0/d'], more: false },
      ],
      target: { file: 'packages/one/1.0.0/b' },
    });
    published().refuse('/hub');
  });

  it('are counted where there are many', () => {
    const names = Array.from({ length: 21 }, (_, at) => `f${String(20 - at).padStart(2, '0')}`);
    const files = published();
    for (const name of names.slice(1)) files.allow(ONE, fileOf(name, ''));
    expect(refusalOf(files)).toMatchObject({
      message: '20 files of published versions changed in /hub',
      lines: names
        .slice(1)
        .reverse()
        .map((name) => `packages/one/1.0.0/${name} (added)`),
    });
    files.allow(ONE, fileOf('f20', ''));
    expect(refusalOf(files)).toEqual({
      code: 'REPUBLISH',
      message: '21 files of published versions changed in /hub',
      lines: [
        'packages/one/1.0.0/f00 (added)',
        'packages/one/1.0.0/f01 (added)',
        'packages/one/1.0.0/f02 (added)',
        'packages/one/1.0.0/f03 (added)',
        'packages/one/1.0.0/f04 (added)',
        'packages/one/1.0.0/f05 (added)',
        'packages/one/1.0.0/f06 (added)',
        'packages/one/1.0.0/f07 (added)',
        'packages/one/1.0.0/f08 (added)',
        'packages/one/1.0.0/f09 (added)',
        'packages/one/1.0.0/f10 (added)',
        'packages/one/1.0.0/f11 (added)',
        'packages/one/1.0.0/f12 (added)',
        'packages/one/1.0.0/f13 (added)',
        'packages/one/1.0.0/f14 (added)',
        'packages/one/1.0.0/f15 (added)',
        'packages/one/1.0.0/f16 (added)',
        'packages/one/1.0.0/f17 (added)',
        'packages/one/1.0.0/f18 (added)',
        'packages/one/1.0.0/f19 (added)',
        'and 1 more',
      ],
      hints: [
        'remove files that were added to a published version by mistake',
        'give the package a new version, unless this one was only signed, never published',
        {
          next: 'force-file',
          files: ['one/1.0.0/f00', 'one/1.0.0/f01', 'one/1.0.0/f02', 'one/1.0.0/f03', 'one/1.0.0/f04'],
          more: true,
        },
      ],
      target: { file: 'packages/one/1.0.0/f00' },
    });
    const few = published();
    for (const name of names.slice(0, 5)) few.allow(ONE, fileOf(name, ''));
    expect(refusalOf(few)).toMatchObject({
      hints: [
        'remove files that were added to a published version by mistake',
        'give the package a new version, unless this one was only signed, never published',
        {
          next: 'force-file',
          files: ['one/1.0.0/f16', 'one/1.0.0/f17', 'one/1.0.0/f18', 'one/1.0.0/f19', 'one/1.0.0/f20'],
          more: false,
        },
      ],
    });
  });

  it('are those of the index of the tree, if it has one that can be read', () =>
    withTempDir(async (root) => {
      const guards = async (): Promise<boolean> => (await publishedIn(root, [])).guards(ONE);
      expect(await guards()).toBe(false);
      writeFileSync(join(root, 'index.json'), writeIndex({ ...head, packages: index.packages }));
      expect(await guards()).toBe(true);
      expect((await publishedIn(root, ['one/1.0.0/a'])).accepts(ONE, 'a', Buffer.from('x'))).toBe(true);
      writeFileSync(join(root, 'index.json'), '{');
      expect(await guards()).toBe(false);
    }));
});
