import { appendFileSync, existsSync, readFileSync, statSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../../src/core/errors.js';
import type { HubFile, HubSource } from '../../../../../src/hub/source.js';
import { mirrorFolder } from '../../../../../src/services/hosting/mirror/folder/mirror-folder.js';
import { placeReplaced } from '../../../../../src/services/hosting/mirror/folder/place.js';
import type { MirrorRequest } from '../../../../../src/services/hosting/mirror/mirror-plan.js';
import { stampOf } from '../../../../../src/services/hosting/tree/file-stamp.js';
import { codeOf, errorOf } from '../../../../support/errors.js';
import { folders, setupWith } from '../../catalog/support-trust.js';
import { plugin, treeOf } from '../../../../support/sites/mirror-site.js';
import { ALL, siteIn, type Site } from './direct-site.js';

const newFolder = folders();
const siteWith = (packages: readonly ReturnType<typeof plugin>[], index = false): Promise<Site> =>
  siteIn(newFolder, { packages, index });

const away = (): CliError => new CliError('NET_RESET', 'the connection broke');

/** A hub that does not tell when its files changed. */
const timeless =
  (open: HubSource['open']): HubSource['open'] =>
  async (...asked) => {
    const file = await open(...asked);
    return file && { ...file, changed: undefined };
  };

/** A body of which only the first bytes come. */
async function* firstOf({ body }: HubFile, most: number): AsyncGenerator<Uint8Array, void, void> {
  let done = 0;
  for await (const piece of body) {
    yield piece.subarray(0, Math.max(0, most - done));
    done += piece.length;
    if (done >= most) throw away();
  }
}

describe('a mirror on a bad way', () => {
  it('continues in the middle of a large file', async () => {
    const jar = Buffer.alloc(3_000_000, 'x');
    const { root, between, mirror } = await siteWith([plugin('one'), plugin('large', jar.toString())], true);
    const etag = '"v1"';
    between((open) => async (place, options, both) => {
      const file = await open(place, options, both);
      if (place.file !== 'plug.jar' || place.name !== 'large' || file === undefined) return file;
      return { ...file, etag, body: firstOf(file, 2_000_000) };
    });
    const { lines, hints } = (await errorOf(mirror())).details;
    expect(lines).toEqual(['large/1.0.0/plug.jar: the connection broke']);
    expect(hints).toEqual(['to fetch the missing files, run the same command again']);
    expect(existsSync(join(root, 'packages/large'))).toBe(false);
    const rests: (number | undefined)[] = [];
    between((open) => async (place, options, both) => {
      const file = await open(place, options, both);
      if (place.file !== 'plug.jar' || file === undefined) return file;
      await file.discard();
      rests.push(options.rest?.from);
      const from = options.rest?.from ?? 0;
      const body = (async function* () {
        yield jar.subarray(from);
      })();
      return { ...file, etag, from, body };
    });
    expect(await mirror()).toMatchObject({ added: 1, unchanged: 1, failed: 0 });
    expect(rests).toHaveLength(1);
    expect(rests[0]).toBeGreaterThan(1_000_000);
    expect(readFileSync(join(root, 'packages/large/1.0.0/plug.jar')).equals(jar)).toBe(true);
  });

  it('ends when the hub does not respond, and not for one file that cannot be had', async () => {
    const names = ['a', 'b', 'c', 'd', 'e'];
    const { root, opened, between, mirror } = await siteWith(names.map((name) => plugin(name)));
    between(
      (open) =>
        (place, ...more) =>
          place.name === undefined ? open(place, ...more) : Promise.reject(away()),
    );
    const lost = await errorOf(mirror());
    expect([lost.code, lost.details.hints]).toEqual(['NET_RESET', ['to continue, run the same command again']]);
    expect([...treeOf(root)]).toEqual([]);
    between(
      (open) =>
        (place, ...more) =>
          place.name === 'c' ? Promise.reject(away()) : timeless(open)(place, ...more),
    );
    const error = await errorOf(mirror());
    expect([error.code, error.details.item]).toEqual(['PARTIAL', expect.objectContaining({ added: 4, failed: 1 })]);
    opened.length = 0;
    between(timeless);
    expect(await mirror()).toMatchObject({ added: 1, unchanged: 4 });
    // Without an index and tags, the signatures say that the files are good.
    expect(opened.filter((path) => /^[^c]\/.*(?:jar|json)$/u.test(path))).toEqual([]);
  });

  it('does not say that a preview has fetched anything, or would', async () => {
    const { between, mirror } = await siteWith(['a', 'b', 'c', 'd', 'e'].map((name) => plugin(name)));
    await mirror();
    const preview = async (names: string) => {
      between(
        (open) =>
          (place, ...more) =>
            names.includes(place.name ?? '-') ? Promise.reject(away()) : open(place, ...more),
      );
      const { message, details } = await errorOf(mirror({ dry: true }));
      return [message, details.hints ?? []];
    };
    expect(await preview('abcde')).toEqual(['the connection broke', []]);
    expect(await preview('c')).toEqual(['1 package version of 5 cannot be mirrored', []]);
  });

  it('reads no file again whose size and time of change are as before', async () => {
    const { between, mirror } = await siteWith([plugin('one')]);
    const setup = await setupWith([], { policy: 'off' });
    await mirror({ setup });
    const read: string[] = [];
    between((open) => async (place, ...more) => {
      const file = await open(place, ...more);
      if (file === undefined || place.name === undefined || place.file.endsWith('.asc')) return file;
      const body = (async function* () {
        read.push(place.file);
        yield* file.body;
      })();
      return { ...file, body, changed: place.file === 'plug.jar' ? { at: 0 } : file.changed };
    });
    expect(await mirror({ setup })).toMatchObject({ unchanged: 1, files: 0 });
    expect(read).toEqual(['plug.jar']);
  });

  it('takes no file for good that changed on this disk, and needs no record of those that did not', async () => {
    const { root, opened, mirror } = await siteWith([plugin('one')], true);
    await mirror();
    const jar = join(root, 'packages/one/1.0.0/plug.jar');
    writeFileSync(jar, 'tampered!!');
    opened.length = 0;
    expect(await mirror()).toMatchObject({ updated: 1, files: 1 });
    expect(readFileSync(jar, 'utf8')).toBe('jar of one');
    expect(opened.filter((path) => path.startsWith('one/'))).toEqual(['one/1.0.0/plug.jar.asc', 'one/1.0.0/plug.jar']);
    writeFileSync(join(root, 'packages/one/1.0.0/extra.txt'), '');
    truncateSync(join(root, '.cdapctl-mirror/records/one/1.0.0.ndjson'));
    opened.length = 0;
    expect(await mirror()).toMatchObject({ updated: 1, files: 0 });
    expect(opened.filter((path) => path.startsWith('one/') && !path.endsWith('.asc'))).toEqual([]);
    expect(existsSync(join(root, 'packages/one/1.0.0/extra.txt'))).toBe(false);
  });

  it('sees a change that leaves size and time as they were, and reads all files again when it is told to', async () => {
    const { root, mirror } = await siteWith([plugin('one')], true);
    await mirror();
    const record = join(root, '.cdapctl-mirror/records/one/1.0.0.ndjson');
    const jar = join(root, 'packages/one/1.0.0/plug.jar');
    const kept = readFileSync(record, 'utf8');
    expect(await mirror()).toMatchObject({ unchanged: 1 });
    expect(readFileSync(record, 'utf8')).toBe(kept);
    const { atime, mtime } = statSync(jar);
    writeFileSync(jar, 'JAR of one');
    utimesSync(jar, atime, mtime);
    expect(await mirror()).toMatchObject({ updated: 1, files: 1 });
    expect(readFileSync(jar, 'utf8')).toBe('jar of one');
    writeFileSync(jar, 'JAR of one');
    const stamp = stampOf(jar)?.id;
    const lines = readFileSync(record, 'utf8').trim().split('\n').at(-1) ?? '';
    appendFileSync(record, `\n${JSON.stringify({ ...(JSON.parse(lines) as object), stamp })}\n`);
    expect(await mirror()).toMatchObject({ unchanged: 1 });
    expect(await mirror({ recheck: true })).toMatchObject({ updated: 1, files: 1 });
    expect(readFileSync(jar, 'utf8')).toBe('jar of one');
  });

  it('has its new catalog while it waits to remove versions and files, and removes them the next time if it is killed', async () => {
    const { root, mirror } = await siteWith([plugin('one'), plugin('two')]);
    const some = (...names: readonly string[]) => {
      return { ...ALL, packages: names.map((name) => ({ hub: undefined, name, version: undefined })) };
    };
    const extra = join(root, 'packages/two/1.0.0/extra.txt');
    const signature = join(root, 'packages/two/1.0.0/spec.json.asc.asc');
    const isThere = () => [join(root, 'packages/one/1.0.0/plug.jar'), extra].map((path) => existsSync(path));
    const seen: unknown[] = [];
    const waiting = (end: () => Promise<void>): Partial<MirrorRequest> => {
      const sleep = (time: number): Promise<void> => {
        seen.push(
          time,
          readFileSync(join(root, 'packages.json'), 'utf8').includes('"one"'),
          ...isThere(),
          existsSync(signature),
        );
        return end();
      };
      const remember = async (): Promise<void> => void seen.push('remembered');
      return { selection: some('two'), prune: true, grace: { time: 600_000, clock: { sleep } }, remember };
    };
    await mirror({ selection: some('one', 'two') });
    for (const path of [extra, signature]) writeFileSync(path, '');
    expect(await codeOf(mirror(waiting(() => Promise.reject(away()))))).toBe('NET_RESET');
    expect(isThere()).toEqual([true, true]);
    expect(await mirror(waiting(() => Promise.resolve()))).toMatchObject({ removed: 1, updated: 1 });
    expect(isThere()).toEqual([false, false]);
    const each = ['remembered', 600_000, false, true, true, false];
    expect(seen).toEqual([...each, ...each]);
  });

  it('does not take a version for moved that is not where it waited', async () => {
    const { root, mirror } = await siteWith([plugin('one')]);
    await mirror();
    const move = async () => placeReplaced(mirrorFolder(root), [{ name: 'one', version: '1.0.0' }]);
    expect(await codeOf(move())).toBe('CHANGED_MEANWHILE');
  });
});
