import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { flipByte } from '../../../../support/sites/hub-tree.js';
import type { InProcess } from '../../../../support/processes/in-process.js';
import { atMirror, plugin } from '../../../../support/sites/mirror-site.js';

const OTHERS = [plugin('two'), plugin('three')];
const warningsOf = ({ terminal }: InProcess) => terminal.warnings.map(({ code, message }) => `${code}: ${message}`);
const LISTED = 'MIXED: the mirror lists 1 package version that it cannot serve: one@1.0.0';

describe('the mirror of a whole hub with a bad version', () => {
  it('V12: says that the mirror lists a version without its files, as long as it does', () =>
    atMirror(async ({ publish, mirror, item, folder }) => {
      await mirror();
      await publish([plugin('one', 'a new jar'), ...OTHERS]);
      for (const files of [4, 0]) {
        const broken = await mirror();
        expect(item(broken)).toMatchObject({ files, failed: 1, unserved: ['one@1.0.0'] });
        expect(warningsOf(broken)).toContain(LISTED);
      }
      rmSync(folder, { recursive: true });
      const fresh = await mirror();
      expect(item(fresh)).toMatchObject({ added: 2, failed: 1, unserved: ['one@1.0.0'] });
      expect(warningsOf(fresh)).toContain(LISTED);
      await publish([plugin('one'), ...OTHERS]);
      const good = await mirror();
      expect(item(good)).toMatchObject({ failed: 0, unserved: [] });
      expect(warningsOf(good)).toEqual([]);
    }));

  it('says nothing of a version that failed and has all that the hub lists', () =>
    atMirror(async ({ files, mirror, item, folder }) => {
      await mirror();
      rmSync(join(folder, 'packages/one/1.0.0/plug.jar.asc'));
      files.set(
        'packages/one/1.0.0/plug.jar.asc',
        flipByte(files.get('packages/one/1.0.0/plug.jar.asc') ?? Buffer.of()),
      );
      const broken = await mirror();
      expect(item(broken)).toMatchObject({ unchanged: 1, failed: 1, unserved: [] });
      expect(warningsOf(broken)).toEqual([]);
    }));

  it.each([true, false])('tells of one that has no file at all, with an index: %s', (index) =>
    atMirror(
      async ({ files, mirror, item }) => {
        files.delete('packages/one/1.0.0/spec.json');
        const broken = await mirror('--verify', 'off');
        expect(item(broken)).toMatchObject({ added: 1, failed: 1, unserved: ['one@1.0.0'] });
        expect(warningsOf(broken)).toContain(LISTED);
      },
      { index, trusted: false },
    ),
  );

  it('tells who imports its bundle that the mirror may not have been whole', () =>
    atMirror(async ({ home, publish, mirror, load, item }) => {
      await mirror();
      await publish([plugin('one', 'a new jar'), ...OTHERS]);
      expect((await mirror('--bundle', join(home, 'hub.tar'))).error?.code).toBe('PARTIAL');
      const imported = await load(join(home, 'hub.tar'), join(home, 'closed'));
      expect(item(imported)).toMatchObject({ added: 2, failed: 1, unserved: ['one@1.0.0'] });
      expect(imported.error?.details.hints).toEqual([
        'the bundle may be damaged or come from an incomplete mirror: copy it again or write a new one',
      ]);
    }));

  it('is foretold by a preview, which changes nothing', () =>
    atMirror(async ({ publish, mirror, item, tree }) => {
      await mirror();
      await publish([plugin('one', 'a new jar'), ...OTHERS]);
      const before = [...tree()];
      const preview = await mirror('--dry-run', '--detailed-exitcode');
      expect(preview.error).toMatchObject({ code: 'PARTIAL', exitCode: 10 });
      expect(item(preview)).toMatchObject({ added: 1, failed: 1, unserved: ['one@1.0.0'] });
      expect(item(preview).failures).toEqual([expect.objectContaining({ file: 'plug.jar', code: 'CHANGED' })]);
      expect(warningsOf(preview)).toContain(LISTED.replace('lists', 'would list'));
      expect([...tree()]).toEqual(before);
    }));
});
