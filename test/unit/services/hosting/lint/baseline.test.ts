import { readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { keyOf, readBaseline, writeBaseline } from '../../../../../src/services/hosting/lint/baseline.js';
import { changedSince, notAdded, type History } from '../../../../../src/services/hosting/lint/changed-files.js';
import { JsonFile } from '../../../../../src/services/hosting/lint/json-file.js';
import { errorOf, saidBy } from '../../../../support/errors.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

describe('a baseline', () => {
  const fault = (lasting: string, before: number) => {
    const place = { root: '/hub', file: 'packages/a/1.0.0/spec.json', line: before + 1, column: 2 };
    const message = `${lasting}, in line ${before}`;
    return { ...place, rule: 'DUP_KEY', severity: 'error', message, lasting, fixable: false } as const;
  };
  const known = (message: string) => ({ file: 'packages/a/1.0.0/spec.json', rule: 'DUP_KEY', message });

  it('has a line for each fault, whatever its own line is', () =>
    withTempDir(async (folder) => {
      const file = join(folder, 'baseline.json');
      writeFileSync(file, 'old');
      await writeBaseline(file, [fault('"a" is twice', 12), fault('"a" is twice', 3), fault('not, in line 4', 7)]);
      expect(readFileSync(file, 'utf8')).toEqual(
        '{"faults": [\n  {"file":"packages/a/1.0.0/spec.json","rule":"DUP_KEY","message":"\\"a\\" is twice"},\n  {"file":"packages/a/1.0.0/spec.json","rule":"DUP_KEY","message":"not, in line 4"}\n]}\n',
      );
      expect([...(await readBaseline(file))]).toEqual([keyOf(known('"a" is twice')), keyOf(known('not, in line 4'))]);
    }));

  it('is an error when it is something else', () =>
    withTempDir(async (folder) => {
      const file = join(folder, 'baseline.json');
      writeFileSync(file, '{"faults": [{"file": "x"}]}');
      expect(saidBy(await errorOf(readBaseline(file)))).toEqual({
        code: 'BAD_JSON',
        message: `${file} is not a baseline of hub lint`,
      });
    }));
});

describe('the history of a repository', () => {
  const paths = Array.from({ length: 501 }, (_, at) => `packages/p${at}/1.0.0/x`);
  const asked: (readonly string[])[] = [];
  const history: History = {
    isThere: async () => true,
    commit: async (name) => (name === 'main' ? 'id' : undefined),
    changed: async () => ['packages/x', 'packages/p/2.0.0', ...paths],
    added: async () => [],
    folders: async (_, folders) => (asked.push(folders), folders),
  };

  it('is asked for many folders at once', async () => {
    const changed = await changedSince('main', history);
    expect([changed.size, asked.map(({ length }) => length)]).toEqual([501, [500, 1]]);
    expect([...asked.flat()].slice(499)).toEqual(['packages/p499/1.0.0', 'packages/p500/1.0.0']);
    expect(await changedSince('main', { ...history, changed: async () => [] })).toEqual(new Map());
    expect(asked).toHaveLength(2);
  });

  it('has the commit', async () => {
    const long = 'n'.repeat(81);
    expect(saidBy(await errorOf(changedSince(long, history)))).toEqual({
      code: 'USAGE',
      message: `commit "${long.slice(1)}" not found`,
    });
    const none = { ...history, isThere: async () => false };
    expect(saidBy(await errorOf(changedSince(long, none)))).toEqual({
      code: 'USAGE',
      message: 'the folder is not in a Git repository',
    });
  });

  it('tells of files that are not as they were added', () =>
    withTempDir(async (root) => {
      for (const name of ['same', 'longer', 'later']) {
        writeFileSync(join(root, name), 'text');
        utimesSync(join(root, name), 7, 7.9);
      }
      const added = async () => [
        { path: 'same', size: 4, time: 7 },
        { path: 'longer', size: 3, time: 7 },
        { path: 'later', size: 4, time: 6 },
        { path: 'gone', size: 4, time: 7 },
      ];
      expect(await notAdded(root, { ...history, added })).toEqual(['longer', 'later', 'gone']);
    }));
});

it('the place of a value is the closest that there is', () => {
  const file = new JsonFile('a.json', Buffer.from('{"a":\n [1,\n {"0": 2}], "b": "x"}'));
  const places = [[], ['a'], ['a', 0], ['a', 1, '0'], ['a', 7], ['a', 0, 'x'], ['b', 0], ['none', 'b']];
  expect(places.map((path) => file.at(path))).toEqual([
    { line: 1, column: 1 },
    { line: 2, column: 2 },
    { line: 2, column: 3 },
    { line: 3, column: 8 },
    { line: 2, column: 2 },
    { line: 2, column: 3 },
    { line: 3, column: 18 },
    { line: 1, column: 1 },
  ]);
  const unread = JsonFile.unread('a.json', 'it is too large');
  expect([unread.at(['a']), unread.place([]), unread.problem, unread.json, unread.text]).toEqual([
    { line: 1, column: 1 },
    undefined,
    { file: 'a.json', message: 'it is too large' },
    {},
    '',
  ]);
});
