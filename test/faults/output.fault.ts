import { parse } from 'yaml';
import { describe, expect, it as plain } from 'vitest';
import { it, type Site } from '../support/sites/install-site.js';
import { startPty } from '../support/processes/pty.js';
import { join } from 'node:path';

/** Text that would move, hide, reorder or paint over text on a terminal, and how it has to be shown. */
const HOSTILE = [
  ['D01', 'colour', '\u001b[31mred', '\\x1b[31mred'],
  ['D01', 'clearing', '\u001b[2Jgone', '\\x1b[2Jgone'],
  ['D02', 'title', '\u001b]0;owned\u0007', '\\x1b]0;owned\\x07'],
  ['D02', 'clipboard', '\u001b]52;c;cm0gLXJm\u001b\\', '\\x1b]52;c;cm0gLXJm\\x1b\\'],
  ['D02', 'link', '\u001b]8;;http://x.example\u009ctext', '\\x1b]8;;http://x.example\\x9ctext'],
  ['D03', 'DCS', '\u001bPq#0\u001b\\', '\\x1bPq#0\\x1b\\'],
  ['D03', 'APC', '\u001b_hidden\u001b\\', '\\x1b_hidden\\x1b\\'],
  ['D03', 'PM', '\u001b^hidden\u001b\\', '\\x1b^hidden\\x1b\\'],
  ['D03', 'SOS', '\u001bXhidden\u001b\\', '\\x1bXhidden\\x1b\\'],
  ['D04', 'C1', '\u0080\u0090\u009b31m\u009f', '\\x80\\x90\\x9b31m\\x9f'],
  ['D05', 'painting over', 'bad\rgood\b\u000b\u000c\u007f', 'bad\\rgood\\x08\\x0b\\x0c\\x7f'],
  ['D06', 'lines', 'one\ntwo', 'one\\ntwo'],
  ['D07', 'bidi', 'a\u202eb\u2066c', 'a\\u{202e}b\\u{2066}c'],
  ['D07', 'zero width', 'a\u200bb\ufeffc', 'a\\u{200b}b\\u{feff}c'],
  ['D07', 'tags', 'a\u{e0041}b', 'a\\u{e0041}b'],
  ['D07', 'lone surrogate', 'a\ud83db', 'a\\u{d83d}b'],
] as const;

const FORBIDDEN =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

/** JSON in which a lone surrogate stays an escape, so that its bytes are UTF-8. */
const jsonOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

function publish(site: Site, entry: object): void {
  const spec = {
    specVersion: '1.0',
    label: 'Label',
    description: 'Text',
    author: 'Somebody',
    org: 'Some',
    created: 1_700_000_000,
    actions: [{ type: 'informational', label: 'Read', arguments: [{ name: 'steps', value: ['One'] }] }],
    ...entry,
  };
  const catalog = [{ name: 'odd', version: '1.0.0', ...spec, actions: undefined }];
  site.publish({
    files: new Map([
      ['packages.json', jsonOf(catalog)],
      ['packages/odd/1.0.0/spec.json', jsonOf(spec)],
    ]),
  });
}

const unsigned = (site: Site): string[] => ['--hub', site.hub, '--no-progress'];

describe('hostile text of a hub', () => {
  it.for(HOSTILE)('%s: %s is made visible, in every format', async ([, , text, shown], { site }) => {
    publish(site, { label: text, description: text, author: text, org: text });
    const env = { CDAPCTL_STATE_DIR: join(site.home, 'fresh') };
    const fields = ['--fields', 'name,label,author'];
    for (const words of [
      ['list', '-o', 'wide'],
      ['list', ...fields],
      ['search', 'odd', ...fields],
      ['show', 'odd'],
    ]) {
      const { code, stdout, stderr } = await site.cdapctl(['hub', ...words, ...unsigned(site)], { env });
      expect([code, words, stderr]).toEqual([0, words, expect.not.stringMatching(FORBIDDEN)]);
      expect(stdout.replaceAll('\r\n', '\n')).not.toMatch(FORBIDDEN);
      if (words[0] === 'show') expect(stdout).toContain(shown);
    }
  });

  it.for(HOSTILE)('D10: (%s, %s) is exact and escaped for programs', async ([, , text], { site }) => {
    publish(site, { label: text, description: text });
    const env = { CDAPCTL_STATE_DIR: join(site.home, 'fresh') };
    for (const [format, read] of [
      ['json', (out: string) => (JSON.parse(out) as { items: { label: string }[] }).items[0]?.label],
      [
        'ndjson',
        (out: string) => (JSON.parse(out.split('\n')[0] ?? '') as { item?: { label: string }; label?: string }).label,
      ],
      ['yaml', (out: string) => (parse(out) as { items: { label: string }[] }).items[0]?.label],
    ] as const) {
      const { code, stdout } = await site.cdapctl(['hub', 'list', ...unsigned(site), '-o', format], { env });
      expect(code).toBe(0);
      expect(stdout).not.toMatch(FORBIDDEN);
      if (format !== 'ndjson') expect([format, read(stdout)]).toEqual([format, text]);
    }
  });
});

describe('hostile text of the platform', () => {
  it.for(HOSTILE)('%s: %s in a refusal is made visible', async ([id, , text, shown], { site }) => {
    const order = {
      match: { method: 'POST' },
      kind: 'status',
      status: 400,
      when: 'before',
      times: 9,
      body: `no: ${text}`,
    };
    await site.fail(order);
    const words = site.line(['example-trim-fields@1.10.0', '-y']);
    const { code, stderr } = await site.cdapctl([...words, '--verbose']);
    expect(code).toBe(11);
    expect(stderr).not.toMatch(FORBIDDEN);
    if (id !== 'D06' && !text.includes('\ud83d')) expect(stderr).toContain(shown);
    const { error, stdout } = await site.install('example-trim-fields@1.10.0', '-y');
    expect(stdout).not.toMatch(FORBIDDEN);
    if (!text.includes('\ud83d')) expect(error.details).toContain(text);
  });
});

describe('hostile text in a table for programs', () => {
  it.for(HOSTILE)('D09: (%s, %s) is exact in a file, visible on a terminal', async ([, , text, shown], { site }) => {
    publish(site, { label: `x${text}` });
    const line = ['hub', 'list', ...unsigned(site), '-o', 'csv', '--fields', 'label'];
    const [, [label] = []] = readCsv((await site.cdapctl(line)).stdout);
    expect(label).toBe(`x${Buffer.from(text).toString()}`);
    const pty = startPty(line, site.home, '/dev/stderr');
    expect(await pty.end()).toBe(0);
    expect(pty.shown()).toContain(`x${shown}`);
  });
});

describe('long text', () => {
  it('D08: is cut by the width of what is seen', async ({ site }) => {
    const wide = '\u6f22'.repeat(500_000);
    for (const label of ['x'.repeat(1_000_000), wide, 'e\u0301'.repeat(300_000)]) {
      publish(site, { label, description: label });
      const line = ['hub', 'list', ...unsigned(site)];
      const pty = startPty(line, site.home, '/dev/stderr');
      expect(await pty.end()).toBe(0);
      const lines = pty.shown().split(/\r?\n/u);
      expect(Math.max(...lines.map((each) => widthOf(each)))).toBeLessThanOrEqual(100);
      const { code, stdout } = await site.cdapctl([...line, '--json']);
      expect(code).toBe(0);
      expect((JSON.parse(stdout) as { items: { label: string }[] }).items[0]?.label).toBe(label);
    }
  });
});

/** Columns that a line takes: two for the letters that the rows use, none for combining ones. */
function widthOf(line: string): number {
  return Array.from(line).reduce((sum, letter) => sum + (letter === '\u0301' ? 0 : letter === '\u6f22' ? 2 : 1), 0);
}

/** A plain reader of CSV as spreadsheets read it. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, bare, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|$)/gu)) {
    rows.at(-1)?.push(quoted === undefined ? (bare ?? '') : quoted.replaceAll('""', '"'));
    if (end === '') break;
    if (end !== ',') rows.push([]);
  }
  return rows;
}

describe('a cell for a spreadsheet', () => {
  it.for([
    ['=1+1', "'=1+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['-2+3', "'-2+3"],
    ['+1', undefined],
    ['-12.5', '-12.5'],
    ['say "x", y', 'say "x", y'],
    ["=cmd|' /C calc'!A0", "'=cmd|' /C calc'!A0"],
  ] as const)('D09: %j is neutral when it is opened, and exact with --csv-raw', async ([label, cell], { site }) => {
    publish(site, { label });
    const line = ['hub', 'list', ...unsigned(site), '-o', 'csv', '--fields', 'name,label'];
    const guarded = readCsv((await site.cdapctl(line)).stdout)[1]?.[1];
    if (cell === undefined) expect(guarded).not.toMatch(/^[=@\t\r]/u);
    else expect(guarded).toBe(cell);
    expect(readCsv((await site.cdapctl([...line, '--csv-raw'])).stdout)[1]?.[1]).toBe(label);
  });
});

plain('D09: a row of the table above can fail: the reader reads what it should', () => {
  expect(readCsv('a,"b ""c"", d"\r\n1,2\r\n')).toEqual([['a', 'b "c", d'], ['1', '2'], ['']]);
});
