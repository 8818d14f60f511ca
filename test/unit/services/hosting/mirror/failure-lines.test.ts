import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../../src/core/errors.js';
import { failureLines } from '../../../../../src/services/hosting/mirror/failure-lines.js';
import { isPublished, withResult } from '../../../../../src/services/hosting/mirror/mirror-result.js';
import { atMirror, plugin } from '../../../../support/sites/mirror-site.js';

const NO_TRUST = 'no key is trusted for this hub, so nothing can be verified';

describe('the line of a failure', () => {
  it.each([
    ['plug.jar had different content', 'one/1.0.0/plug.jar had different content'],
    ['one/1.0.0/plug.jar had different content', 'one/1.0.0/plug.jar had different content'],
    ['the hub has no file plug.jar for one 1.0.0', 'the hub has no file plug.jar for one 1.0.0'],
    ['the key that signed plug.jar is too weak', 'one/1.0.0: the key that signed plug.jar is too weak'],
    ['the name "plug.jar" is reserved', 'one/1.0.0: the name "plug.jar" is reserved'],
    ['the connection was closed', 'one/1.0.0/plug.jar: the connection was closed', false],
  ])('names its file once: %s', (message, line, isNamed = true) => {
    const failure = { package: 'one', version: '1.0.0', file: 'plug.jar', code: 'SIG_BAD' as const, message };
    expect(failureLines([{ failure, isNamed }])).toEqual([line]);
  });

  it('is one of all versions that fail for one reason, and one of each that has its own', () => {
    const failed = (name: string, message: string, isNamed: boolean) => ({
      isNamed,
      failure: { package: name, version: '1.0.0', file: 'spec.json', code: 'SIG_BAD' as const, message },
    });
    const of = (...names: readonly string[]) => failureLines(names.map((name) => failed(name, NO_TRUST, false)));
    expect(of('a', 'b')).toEqual([`a@1.0.0, b@1.0.0: ${NO_TRUST}`]);
    expect(of('a', 'b', 'c', 'd', 'e')).toEqual([`a@1.0.0, b@1.0.0, c@1.0.0 and 2 more: ${NO_TRUST}`]);
    const own = ['a', 'b'].map((name) => failed(name, 'spec.json has no signature', true));
    expect(failureLines(own)).toEqual(['a/1.0.0/spec.json has no signature', 'b/1.0.0/spec.json has no signature']);
  });
});

it('takes only the error of a mirror for one, whatever else an error came to', () => {
  const other = new CliError('PARTIAL', 'of something else', { item: { added: 1 } });
  expect([isPublished(other), withResult(other, { folder: 'f' })]).toEqual([false, other]);
});

describe('a mirror of which nothing can be mirrored', () => {
  it('says once that no key is trusted, with one next step, and lists each version for programs', () =>
    atMirror(
      async ({ url, publish, mirror, item }) => {
        await publish(Array.from({ length: 25 }, (_, at) => plugin(`p${at + 10}`)));
        const refused = await mirror('--verify', 'require');
        const { error } = refused;
        expect([error?.code, error?.details.lines, error?.details.hints]).toEqual([
          'NO_TRUST',
          [`p10@1.0.0, p11@1.0.0, p12@1.0.0 and 22 more: ${NO_TRUST}`],
          [{ next: 'add-key', hub: url }],
        ]);
        expect(item(refused)).toMatchObject({ added: 0, failed: 25 });
        expect(item(refused).failures).toHaveLength(25);
      },
      { trusted: false },
    ));

  it('names 20 failures of many, and all of them to programs', () =>
    atMirror(
      async ({ files, publish, mirror, item }) => {
        await publish(Array.from({ length: 25 }, (_, at) => plugin(`p${at + 10}`)));
        for (const path of files.keys()) if (path.endsWith('plug.jar')) files.delete(path);
        const failed = await mirror('--verify', 'off');
        const lines = failed.error?.details.lines ?? [];
        expect([lines.length, lines[0], lines[20]]).toEqual([
          21,
          'the hub has no file plug.jar for p10 1.0.0',
          'and 5 more',
        ]);
        expect(item(failed).failures).toHaveLength(25);
      },
      { index: false, trusted: false },
    ));
});

describe('a bundle that waits', () => {
  it('tells how many files and bytes are missing, and names 20 of many, all of them to programs', () =>
    atMirror(async ({ home, publish, mirror, load }) => {
      const [first, second] = [join(home, 'b1.tar'), join(home, 'b2.tar')];
      const many = Array.from({ length: 8 }, (_, at) => plugin(`p${at}`));
      await publish(many);
      expect((await mirror('--bundle', first)).error).toBeUndefined();
      await publish([...many, plugin('new')]);
      expect((await mirror('--bundle', second, '--since', first)).error).toBeUndefined();
      rmSync(first);
      const { error } = await load(second, join(home, 'closed'));
      if (error === undefined) throw new Error('it was imported');
      expect(error.message).toMatch(/^24 of 68 files \(\d+ bytes\) are missing and must come from other bundles; /u);
      const { missing } = error.details.item as { missing: readonly string[] };
      expect([missing.length, error.details.lines]).toEqual([24, [...missing.slice(0, 20), 'and 4 more']]);
    }));
});
