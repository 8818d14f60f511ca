import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Hint } from '../../../../../src/core/next-step.js';
import type { InProcess } from '../../../../support/processes/in-process.js';
import { flipByte, hubKey, writeHubTree } from '../../../../support/sites/hub-tree.js';
import { atMirror, plugin, type MirrorSite } from '../../../../support/sites/mirror-site.js';

const JAR = 'packages/one/1.0.0/plug.jar';
const hintsOf = ({ error }: InProcess): readonly Hint[] => error?.details.hints ?? [];
const spoil = ({ files }: MirrorSite): unknown => files.set(JAR, flipByte(files.get(JAR) ?? Buffer.of()));

describe('the hints of a mirror in which a version failed', () => {
  it.each([true, false])('do not say to run it again where the file is bad, with an index: %s', (index) =>
    atMirror(
      async (site) => {
        spoil(site);
        const result = await site.mirror();
        expect(result.error?.code).toBe('PARTIAL');
        expect(hintsOf(result)).toEqual([
          'do not use the package, and tell its publisher: the hub, or something on the way, serves other content',
        ]);
      },
      { index },
    ),
  );

  it('say for a hub in a folder how its file is put right, as those of a download do', () =>
    atMirror(async (site) => {
      spoil(site);
      const hub = join(site.home, 'hub');
      await writeHubTree(hub, site.files);
      const key = join(site.home, 'key.asc');
      await site.run('hub:key:add', key, '--hub', hub, '--fingerprint', site.signer.fingerprint);
      const restore = [{ next: 'restore-file', folder: hub }];
      expect(hintsOf(await site.run('hub:mirror', '--hub', hub, '-D', site.folder))).toEqual(restore);
      expect(hintsOf(await site.run('hub:download', 'one', '--hub', hub, '-D', join(site.home, 'out')))).toEqual(
        restore,
      );
    }));
});

it('the mirror of a hub that was signed again counts the signatures that it fetched', () =>
  atMirror(async (site) => {
    await site.mirror();
    const other = await hubKey({ now: Date.now() - 1000 });
    const key = join(site.home, 'other.asc');
    writeFileSync(key, other.publicKey);
    await site.run('hub:key:add', key, '--hub', site.url, '--fingerprint', other.fingerprint);
    await site.publish([plugin('one'), plugin('two')], { key: other });
    const { error, terminal } = await site.run('hub:mirror', '--hub', site.url, '-D', site.folder);
    expect(error).toBeUndefined();
    const text = terminal.out.join('');
    expect(text).toContain('0 added, 2 updated, 0 unchanged');
    expect(text).toContain('0 files fetched, 0 bytes, and 6 signatures; catalog written');
  }));
