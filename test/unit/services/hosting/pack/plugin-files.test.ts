import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readPluginFiles, type PluginFiles } from '../../../../../src/services/hosting/pack/plugin-files.js';
import { errorOf, saidBy } from '../../../../support/errors.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

type Files = Readonly<Record<string, string | Buffer>>;
const WHERE = { widgets: 'w', docs: 'd', icons: 'i' };

/** Reads the folders `w`, `d` and `i` with some files; paths in the result are below the folder of them. */
const reading = async <T>(
  files: Files,
  use: (read: (where?: Partial<typeof WHERE>) => Promise<PluginFiles>, folder: string) => Promise<T>,
): Promise<T> =>
  withTempDir(async (folder) => {
    for (const name of ['w', 'd', 'i']) mkdirSync(join(folder, name));
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    const below = (name: string | undefined): string | undefined => name && join(folder, name);
    const read = async (where: Partial<typeof WHERE> = WHERE): Promise<PluginFiles> => {
      const found = await readPluginFiles({
        ...{ widgets: below(where.widgets), docs: below(where.docs), icons: below(where.icons) },
      });
      return { texts: found.texts, unused: found.unused.map((file) => file.slice(folder.length + 1)) };
    };
    return use(read, folder);
  });

const WIDGET = '{ "a": 1 }\n';
const withIcon = (type: string, data: string): string =>
  JSON.stringify({ a: 1, icon: { type: 'inline', arguments: { data: `data:${type};base64,${data}` } } }, undefined, 2);

describe('the files of plugins', () => {
  it('are read by the names of their plugins, in the order of their names', () =>
    reading(
      {
        'w/B-x.json': WIDGET,
        'w/A-x.JSON': WIDGET,
        'w/.hidden.json': '{',
        'w/README.txt': '',
        'w/sub.json/C-x.json': WIDGET,
        'd/A-x.md': '# A ü',
        'd/1.0-x.md': '',
        'd/more.html': '',
        'i/B-x.png': 'icon',
        'i/D-x.svg': '<svg/>',
        'i/note.txt': '',
      },
      async (read) => {
        const { texts, unused } = await read();
        expect([...texts]).toEqual([
          ['1.0-x', { doc: '' }],
          ['A-x', { doc: '# A ü', widget: WIDGET }],
          ['B-x', { widget: withIcon('image/png', 'aWNvbg==') }],
        ]);
        expect(unused).toEqual(['i/note.txt', 'd/more.html', 'w/README.txt', 'w/sub.json', 'i/D-x.svg']);
      },
    ));

  it.each([
    ['png', 'image/png'],
    ['jpg', 'image/jpeg'],
    ['jpeg', 'image/jpeg'],
    ['gif', 'image/gif'],
    ['svg', 'image/svg+xml'],
    ['PNG', 'image/png'],
  ])('have icons of the type %s', (extension, type) =>
    reading({ 'w/A-x.json': WIDGET, [`i/A-x.${extension}`]: 'icon' }, async (read) => {
      expect(await read()).toEqual({ texts: new Map([['A-x', { widget: withIcon(type, 'aWNvbg==') }]]), unused: [] });
    }),
  );

  it('are those of the folders that are given', () =>
    reading({ 'w/A-x.json': WIDGET, 'd/A-x.md': 'A', 'i/A-x.png': 'icon' }, async (read) => {
      expect(await read({})).toEqual({ texts: new Map(), unused: [] });
      expect(await read({ docs: 'd' })).toEqual({ texts: new Map([['A-x', { doc: 'A' }]]), unused: [] });
      expect(await read({ icons: 'i' })).toEqual({ texts: new Map(), unused: ['i/A-x.png'] });
    }));

  const LARGE = 'x'.repeat(20 * 1024 * 1024);
  const TOO_LARGE = 'widgets, docs and icons have more than 33554432 bytes';
  it.each<[string, Files, string, string, string | undefined]>([
    [
      'a doc that is no text',
      { 'd/A-x.md': Buffer.from([0xff]) },
      'BAD_UTF8',
      '%/d/A-x.md is not UTF-8 text',
      'd/A-x.md',
    ],
    ['a widget that is a list', { 'w/A-x.json': '[]' }, 'BAD_JSON', '%/w/A-x.json is not a JSON object', 'w/A-x.json'],
    [
      'a widget with a key twice',
      { 'w/A-x.json': '{"a":1,"a":2}' },
      'DUP_KEY',
      '%/w/A-x.json has the duplicate member "a"',
      undefined,
    ],
    ['files that are too large together', { 'd/A-x.md': LARGE, 'd/B-x.md': LARGE }, 'TOO_LARGE', TOO_LARGE, 'd/B-x.md'],
  ])('are rejected with %s', (_, files, code, message, file) =>
    reading(files, async (read, folder) => {
      expect(saidBy(await errorOf(read()))).toMatchObject({
        ...{ code, message: message.replace('%', folder) },
        ...(file !== undefined && { target: { file: join(folder, file) } }),
      });
    }),
  );

  it('are rejected without their folder', () =>
    reading({}, async (read, folder) => {
      expect(saidBy(await errorOf(read({ docs: 'none' })))).toMatchObject({
        ...{ code: 'LOCAL_IO', message: `${folder}/none does not exist` },
      });
    }));
});
