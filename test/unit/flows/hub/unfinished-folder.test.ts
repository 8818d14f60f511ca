import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { atMirror, type MirrorSite } from '../../../support/sites/mirror-site.js';

/** A download that failed in the middle: the hub lacked a file. */
async function atUnfinished(test: (folder: string, out: string, site: MirrorSite) => Promise<void>): Promise<void> {
  await atMirror(async (site) => {
    const out = join(site.home, 'out');
    const jar = 'packages/one/1.0.0/plug.json';
    const bytes = site.files.get(jar) ?? expect.fail('no file');
    site.files.delete(jar);
    const failed = await site.run('hub:download', 'one', '--hub', site.url, '-D', out);
    expect(failed.error).toMatchObject({
      code: 'RESOURCE_MISSING',
      message: 'the hub has no file plug.json for one 1.0.0',
    });
    site.files.set(jar, bytes);
    await test(join(out, 'one/1.0.0'), out, site);
  });
}

const COMMANDS = [
  ['hub:verify', []],
  ['install', ['--dry-run=offline']],
] as const;

describe('the folder of an interrupted download', () => {
  it.each(COMMANDS)('is said to be unfinished by %s, and finished by the same command', (id, more) =>
    atUnfinished(async (folder, out, { run, url }) => {
      const { error } = await run(id, folder, '--hub', url, ...more);
      expect(error).toMatchObject({ code: 'RESOURCE_MISSING', exitCode: 5 });
      expect(error?.details.hints).toEqual([{ next: 'finish-download', package: 'one@1.0.0', folder: out }]);
      expect((await run('hub:download', 'one', '--hub', url, '-D', out)).error).toBeUndefined();
      expect((await run(id, folder, '--hub', url, ...more)).error).toBeUndefined();
    }),
  );

  it.each(COMMANDS)('is not meant where a file of a finished one is gone: %s', (id, more) =>
    atMirror(async ({ home, run, url }) => {
      const out = join(home, 'out');
      await run('hub:download', 'one', '--hub', url, '-D', out);
      rmSync(join(out, 'one/1.0.0/plug.json'));
      const { error } = await run(id, join(out, 'one/1.0.0'), '--hub', url, ...more);
      expect(error).toMatchObject({ code: 'RESOURCE_MISSING' });
      expect(error?.details.hints ?? []).toEqual([]);
    }),
  );
});
