import fc from 'fast-check';
import { parse } from 'yaml';
import { describe, expect, it } from 'vitest';
import * as z from 'zod/mini';
import { CliError } from '../../../src/core/errors.js';
import type { Format } from '../../../src/output/format.js';
import type { Look } from '../../../src/output/look.js';
import { itemView, render, view } from '../../../src/output/views/view.js';
import type { ListResult, RenderOptions } from '../../../src/output/view-types.js';

interface Pack {
  readonly name: string;
  readonly size?: number;
  readonly created?: Date;
  readonly tags: readonly string[];
}

const plain: Look = { terminal: false, color: false, columns: undefined, unicode: true, utc: true };
const Schema = z.object({
  name: z.string(),
  size: z.optional(z.number()),
  created: z.optional(z.string()),
  tags: z.array(z.string()),
  author: z.optional(z.string()),
});
const json = (of: Pack) => ({ ...of, created: of.created?.toISOString() });
const packs = view<typeof Schema, Pack>({
  kind: 'PackList',
  none: 'no packs found',
  schema: Schema,
  json,
  name: ({ name }) => name,
  columns: [
    { key: 'name', value: ({ name }) => name },
    { key: 'size', value: ({ size }) => size, align: 'right' },
    { key: 'createdAt', value: ({ created }) => created, wide: true },
    { key: 'tags', value: ({ tags }) => tags },
  ],
});
const pack = itemView<typeof Schema, Pack>({
  kind: 'Pack',
  schema: Schema,
  json,
  name: ({ name }) => name,
  columns: [
    { key: 'name', value: ({ name }) => name },
    { key: 'tags', value: ({ tags }) => tags },
  ],
});
const two: Pack[] = [
  { name: 'alpha', size: 5, created: new Date('2024-05-02T22:01:00Z'), tags: ['a', 'b'] },
  { name: 'b', size: 12345, tags: [] },
];

async function textOf(format: Format, result: ListResult<Pack>, options: Partial<RenderOptions> = {}): Promise<string> {
  let text = '';
  for await (const piece of render(packs, result, { format, look: plain, ...options })) text += piece;
  return text;
}

async function itemOf(format: Format, options: Partial<RenderOptions> = {}): Promise<string> {
  let text = '';
  for await (const piece of render(pack, { name: 'x', tags: ['a'] }, { format, look: plain, ...options }))
    text += piece;
  return text;
}

describe('a list', () => {
  it('is a table of padded columns', async () => {
    expect(await textOf('table', { items: two })).toBe('NAME    SIZE  TAGS\nalpha      5  a,b\nb      12345  -\n');
  });

  it('has more columns when wide, and none of the headings without a header', async () => {
    const text = await textOf('wide', { items: two }, { header: false });
    expect(text).toBe('alpha      5  2024-05-02 22:01Z  a,b\nb      12345  -                  -\n');
  });

  it('tells that there is nothing in place of an empty table', async () => {
    const told: string[] = [];
    const onEmpty = (none: string) => told.push(none);
    for (const header of [true, false]) expect(await textOf('table', { items: [] }, { header, onEmpty })).toBe('');
    expect(told).toEqual(['no packs found', 'no packs found']);
    expect(await textOf('csv', { items: [] }, { onEmpty })).not.toBe('');
    await textOf('table', { items: two }, { onEmpty });
    await textOf('json', { items: [] }, { onEmpty });
    expect(told).toHaveLength(2);
  });

  it('cuts the last column on a terminal only', async () => {
    const long: Pack[] = [{ name: 'n', size: 1, tags: ['x'.repeat(100)] }];
    const cut = await textOf('table', { items: long }, { look: { ...plain, terminal: true, columns: 30 } });
    expect(cut.split('\n')[1]).toBe(`n        1  ${'x'.repeat(17)}…`);
    const ascii = await textOf(
      'table',
      { items: long },
      { look: { ...plain, terminal: true, columns: 30, unicode: false } },
    );
    expect(ascii.split('\n')[1]).toHaveLength(30);
    expect(await textOf('table', { items: long }, { look: { ...plain, columns: 30 } })).toContain('x'.repeat(100));
  });

  it('gives every column room on a narrow terminal, the name most', async () => {
    const long: Pack[] = [{ name: 'a-name-of-a-package', size: 1, tags: ['x'.repeat(100)] }];
    const text = await textOf('table', { items: long }, { look: { ...plain, terminal: true, columns: 40 } });
    expect(
      text
        .split('\n')
        .map((line) => line.length)
        .filter((length) => length > 40),
    ).toEqual([]);
    expect(text).toContain('a-name-of-a-package');
  });

  it('leaves out the last columns before it cuts what must stay whole', async () => {
    const Signed = z.object({ hub: z.string(), print: z.string(), owner: z.string(), note: z.string() });
    const prints = view({
      kind: 'PackList',
      none: 'no packs found',
      schema: Signed,
      name: ({ hub }) => hub,
      columns: [
        { key: 'hub', value: ({ hub }) => hub },
        { key: 'owner', value: ({ owner }) => owner },
        { key: 'print', value: ({ print }) => print, whole: true },
        { key: 'note', value: ({ note }) => note },
      ],
    });
    const item = { hub: 'a-hub-with-a-name', print: 'F'.repeat(40), owner: 'some owner', note: 'n'.repeat(30) };
    const shown = async (columns: number, fields?: readonly string[]): Promise<string> => {
      const options = { format: 'table', look: { ...plain, terminal: true, columns }, fields } as const;
      let text = '';
      for await (const piece of render(prints, { items: [item] }, options)) text += piece;
      return text;
    };
    expect((await shown(80)).split('\n')).toEqual([
      `HUB                OWNER       PRINT`,
      `a-hub-with-a-name  some owner  ${'F'.repeat(40)}`,
      '',
    ]);
    expect(await shown(72)).toBe(
      `HUB                OWNER       PRINT\na-hub-with-a-name  some owner  ${'F'.repeat(40)}\n`,
    );
    expect(await shown(30)).toBe('HUB                OWNER\na-hub-with-a-name  some owner\n');
    expect(await shown(52, ['owner', 'print'])).toContain('F'.repeat(40));
    expect(await shown(20, ['print'])).toBe(`PRINT\n${'F'.repeat(19)}…\n`);
  });

  it('leaves out what tells nothing first, then what can be spared, and says how many', async () => {
    const Build = z.object({
      name: z.string(),
      size: z.string(),
      kind: z.string(),
      where: z.string(),
      note: z.string(),
    });
    const builds = view({
      kind: 'PackList',
      none: 'no packs found',
      schema: Build,
      name: ({ name }) => name,
      columns: [
        { key: 'name', value: ({ name }) => name },
        { key: 'kind', value: ({ kind }) => kind, telling: true },
        { key: 'size', value: ({ size }) => size, spare: 1 },
        { key: 'where', value: ({ where }) => where },
        { key: 'note', value: ({ note }) => note, spare: 2 },
      ],
    });
    const items = [
      { name: 'first-build', kind: 'nightly', size: '1000000 KB', where: '-', note: 'n'.repeat(20) },
      { name: 'second-build', kind: 'nightly', size: '2000000 KB', where: '-', note: 'm'.repeat(20) },
    ];
    const left: number[] = [];
    const shown = async (columns: number, more: Partial<RenderOptions> = {}): Promise<string> => {
      const look = { ...plain, terminal: true, columns };
      const onLeftOut = (count: number): void => void left.push(count);
      let text = '';
      for await (const piece of render(builds, { items }, { format: 'table', look, onLeftOut, ...more })) text += piece;
      return text.split('\n')[0] ?? '';
    };
    expect(await shown(70)).toBe('NAME          KIND     SIZE        WHERE  NOTE');
    expect(await shown(60)).toBe('NAME          KIND     SIZE        NOTE');
    expect(await shown(50)).toBe('NAME          KIND     SIZE');
    expect(await shown(50, { format: 'wide' })).toBe('NAME          KIND     SIZE        WHERE  NOTE');
    expect(await shown(24)).toBe('NAME          KIND');
    expect(left).toEqual([1, 2, 3]);
  });

  it('never cuts nor leaves out anything as wide, nor off a terminal', async () => {
    const long: Pack[] = [
      { name: 'n'.repeat(400), size: 1, tags: ['x'.repeat(500)] },
      { name: 'b', tags: [] },
    ];
    const wide = await textOf('wide', { items: long }, { look: { ...plain, terminal: true, columns: 30 } });
    expect(wide).toContain(`${'n'.repeat(400)}  `);
    expect(wide).toContain('x'.repeat(500));
    // A cell of any length pads the others to a bearable width only.
    expect(wide.split('\n')[2]?.length).toBeLessThan(400);
    expect(await textOf('table', { items: long })).toContain('x'.repeat(500));
  });

  it('breaks sentences at words beside their row on a broad terminal, and below it on others', async () => {
    const Field = z.object({ name: z.string(), meaning: z.string() });
    const fields = view({
      kind: 'PackList',
      none: 'no packs found',
      schema: Field,
      name: ({ name }) => name,
      columns: [
        { key: 'name', value: ({ name }) => name },
        { key: 'meaning', value: ({ meaning }) => meaning, prose: true },
      ],
    });
    const meaning =
      'the number of records that went through the last of all stages of this pipeline, and a bit of text';
    const items = [
      { name: 'records', meaning },
      { name: 'other', meaning: '' },
    ];
    const shown = async (columns: number, more: Partial<RenderOptions> = {}): Promise<readonly string[]> => {
      let text = '';
      const look = { ...plain, terminal: true, columns };
      for await (const piece of render(fields, { items }, { format: 'table', look, ...more })) text += piece;
      return text.trimEnd().split('\n');
    };
    expect(await shown(80)).toEqual([
      'NAME',
      'records',
      '    the number of records that went through the last of all stages of this',
      '    pipeline, and a bit of text',
      'other',
    ]);
    expect(await shown(100)).toEqual([
      'NAME     MEANING',
      'records  the number of records that went through the last of all stages of this pipeline, and a bit',
      '         of text',
      'other',
    ]);
    expect(await shown(40, { format: 'wide' })).toEqual(['NAME     MEANING', `records  ${meaning}`, 'other    -']);
  });

  it('has a bold heading where there is colour', async () => {
    const [head] = (await textOf('table', { items: two }, { look: { ...plain, color: true } })).split('\n');
    expect(head).toBe('\u001b[1mNAME \u001b[0m  \u001b[1m SIZE\u001b[0m  \u001b[1mTAGS\u001b[0m');
  });

  it('keeps a row in one line, whatever stands in it', async () => {
    const text = await textOf('table', { items: [{ name: 'a\nb\u001b[2J\u202e', tags: [] }] });
    expect(text.split('\n')).toHaveLength(3);
    expect(text).toContain(String.raw`a\nb\x1b[2J\u{202e}`);
  });

  it('streams a table: the first rows are written before the last are read', async () => {
    let read = 0;
    const items = (async function* (): AsyncGenerator<Pack> {
      for (; read < 5000; read += 1) yield Promise.resolve({ name: `p${read}`, tags: [] });
    })();
    const pieces = render(packs, { items }, { format: 'table', look: plain })[Symbol.asyncIterator]();
    await pieces.next();
    expect(read).toBeLessThan(1100);
  });

  it('is one json document, compact without a terminal and indented on it', async () => {
    const expected = {
      schemaVersion: 1,
      kind: 'PackList',
      items: [
        { name: 'alpha', size: 5, created: '2024-05-02T22:01:00.000Z', tags: ['a', 'b'] },
        { name: 'b', size: 12345, tags: [] },
      ],
      page: { offset: 0, returned: 2, total: 9, next: 2 },
      hidden: 3,
      warnings: [{ code: 'BAD_FIELD', message: 'm' }],
    };
    const result = { items: two, page: expected.page, members: { hidden: 3 } };
    const warnings = (): typeof expected.warnings => expected.warnings;
    expect(await textOf('json', result, { warnings })).toBe(`${JSON.stringify(expected)}\n`);
    const pretty = await textOf('json', result, { warnings, look: { ...plain, terminal: true } });
    expect(pretty).toBe(`${JSON.stringify(expected, undefined, 2)}\n`);
  });

  it('is valid json when empty, also indented', async () => {
    for (const terminal of [true, false]) {
      const text = await textOf('json', { items: [] }, { look: { ...plain, terminal } });
      expect(JSON.parse(text)).toEqual({
        schemaVersion: 1,
        kind: 'PackList',
        items: [],
        page: { offset: 0, returned: 0, total: 0, next: null },
        warnings: [],
      });
    }
  });

  it.each([undefined, 80])('is one document of any number of items, on a terminal of %s columns', async (columns) => {
    const items = Array.from({ length: 450 }, (_, at) => ({ name: `n${at}`, tags: ['a', 'b\n'] }));
    const look = { ...plain, terminal: columns !== undefined, columns };
    let text = '';
    for await (const piece of render(packs, { items }, { format: 'json', look })) text += piece;
    const page = { offset: 0, returned: 450, total: 450, next: null };
    const whole = { schemaVersion: 1, kind: 'PackList', items, page, warnings: [] };
    expect(text).toBe(`${JSON.stringify(whole, undefined, columns === undefined ? undefined : 2)}\n`);
  });

  it('refuses a member that no item has, even where there is no item', async () => {
    await expect(textOf('json', { items: [] }, { fields: ['nothing'] })).rejects.toThrow('unknown field "nothing"');
  });

  it('writes no half document when the items fail half-way', async () => {
    const items = (async function* (): AsyncGenerator<Pack> {
      yield await Promise.resolve({ name: 'a', tags: [] });
      throw new CliError('NET_RESET', 'gone');
    })();
    let written = '';
    const reading = (async (): Promise<void> => {
      for await (const piece of render(packs, { items }, { format: 'json', look: plain })) written += piece;
    })();
    await expect(reading).rejects.toThrow('gone');
    expect(written).toBe('');
  });

  it('is one event per line and a last result with ndjson', async () => {
    const lines = (await textOf('ndjson', { items: two }))
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string });
    expect(lines.map(({ type }) => type)).toEqual(['item', 'item', 'result']);
    expect(lines[2]).toMatchObject({ kind: 'PackList', page: { returned: 2 }, warnings: [] });
  });

  it('is the same document as yaml', async () => {
    expect(parse(await textOf('yaml', { items: two }))).toEqual(JSON.parse(await textOf('json', { items: two })));
  });

  it('is one name per line', async () => {
    expect(await textOf('name', { items: [...two, { name: 'two\nlines', tags: [] }] })).toBe('alpha\nb\ntwo\\nlines\n');
  });

  it.each([
    ['table', 'TAGS  NAME\na,b   alpha\n-     b\n'],
    ['csv', 'tags,name\r\n"[""a"",""b""]",alpha\r\n[],b\r\n'],
  ] as const)('shows the chosen fields in their order as %s', async (format, expected) => {
    expect(await textOf(format, { items: two }, { fields: ['tags', 'name'] })).toBe(expected);
  });

  it('picks members of json items, those without a column too', async () => {
    const { items } = JSON.parse(await textOf('json', { items: two }, { fields: ['size', 'author'] })) as {
      items: unknown;
    };
    expect(items).toEqual([{ size: 5 }, { size: 12345 }]);
  });

  it.each(['table', 'csv', 'json', 'yaml', 'ndjson'] as const)('refuses an unknown field as %s', async (format) => {
    await expect(textOf(format, { items: two }, { fields: ['nmae'] })).rejects.toMatchObject({
      code: 'USAGE',
      details: { hints: ['--fields name'] },
    });
  });
});

describe('csv', () => {
  it.each([
    ['=1+1', "'=1+1"],
    ['+A1', "'+A1"],
    ['-2+3', "'-2+3"],
    ['@SUM(A1)', `'@SUM(A1)`],
    ['\tx', "'\tx"],
    ['\rx', `"'\rx"`],
    ['\0x', "'\0x"],
    ['-12.5', '-12.5'],
    ['+3', '+3'],
    ['-1e-7', '-1e-7'],
    ['-', "'-"],
    ['-.5', '-.5'],
    ['-1.2.3', "'-1.2.3"],
    ['a=1', 'a=1'],
    ['a,b', '"a,b"'],
    ['say "hi"', '"say ""hi"""'],
    ['two\nlines', '"two\nlines"'],
    ['=HYPERLINK("x","y")', `"'=HYPERLINK(""x"",""y"")"`],
    ['', ''],
  ])('writes the cell %j as %j', async (cell, expected) => {
    expect(await textOf('csv', { items: [{ name: cell, tags: [] }] }, { fields: ['name'], header: false })).toBe(
      `${expected}\r\n`,
    );
  });

  it.each([2, 400])(
    'writes %d different cells, each twice and with a long one between, as each alone',
    async (count) => {
      const names = Array.from({ length: count }, (_, at) => `=${at},`);
      const long = `=${'x'.repeat(100)}`;
      const items = [...names, long, ...names].map((name) => ({ name, tags: [] }));
      const rows = names.map((name) => `"'${name}"\r\n`).join('');
      expect(await textOf('csv', { items }, { fields: ['name'], header: false })).toBe(`${rows}'${long}\r\n${rows}`);
    },
  );

  it('leaves formulas alone when told to', async () => {
    expect(
      await textOf('csv', { items: [{ name: '=1+1', tags: [] }] }, { fields: ['name'], header: false, csvRaw: true }),
    ).toBe('=1+1\r\n');
  });

  it('reads back as it was written', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (name) => {
        const text = await textOf(
          'csv',
          { items: [{ name, tags: [] }] },
          { fields: ['name'], header: false, csvRaw: true },
        );
        const cell = text.slice(0, -2);
        expect(cell.startsWith('"') ? cell.slice(1, -1).replaceAll('""', '"') : cell).toBe(name);
      }),
    );
  });
});

describe('one object', () => {
  it.each([
    ['table', 'name  x\ntags  a\n'],
    ['json', '{"schemaVersion":1,"kind":"Pack","item":{"name":"x","tags":["a"]},"warnings":[]}\n'],
    ['ndjson', '{"type":"result","schemaVersion":1,"kind":"Pack","item":{"name":"x","tags":["a"]},"warnings":[]}\n'],
    ['csv', 'name,tags\r\nx,"[""a""]"\r\n'],
    ['name', 'x\n'],
    ['yaml', 'schemaVersion: 1\nkind: Pack\nitem:\n  name: x\n  tags:\n    - a\nwarnings: []\n'],
  ] as const)('is written as %s', async (format, expected) => {
    expect(await itemOf(format)).toBe(expected);
  });

  it('shows only the chosen fields', async () => {
    expect(await itemOf('table', { fields: ['tags'] })).toBe('tags  a\n');
    expect(await itemOf('json', { fields: ['name'] })).toContain('"item":{"name":"x"}');
  });
});
