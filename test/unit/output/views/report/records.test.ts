import fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Format } from '../../../../../src/output/format.js';
import type { Look } from '../../../../../src/output/look.js';
import type { RenderOptions } from '../../../../../src/output/view-types.js';
import { checkRecordColumns, reportRecords } from '../../../../../src/output/views/report/records.js';
import { DEFAULT_FIELDS } from '../../../../../src/flows/reports/build-request.js';
import { REPORT_FIELDS } from '../../../../../src/services/reports/request/fields.js';
import type { RecordPage } from '../../../../../src/services/reports/source/record.js';

type Row = Readonly<Record<string, unknown>>;

const plain: Look = { terminal: false, color: false, columns: undefined, unicode: true, utc: true };

async function* pagesOf(rows: readonly Row[], size: number): AsyncGenerator<RecordPage> {
  for (let offset = 0; offset < rows.length; offset += size)
    yield { offset, total: rows.length, records: rows.slice(offset, offset + size) };
}

async function piecesOf(
  format: Format,
  rows: readonly Row[],
  more: Partial<RenderOptions> & {
    readonly names?: readonly string[];
    readonly size?: number;
    readonly namespaces?: number;
  } = {},
): Promise<string[]> {
  const { names = ['run', 'start'], size = 1000, namespaces, ...options } = more;
  const pieces: string[] = [];
  const records = { pages: pagesOf(rows, size), fields: names, range: { offset: 0 }, total: rows.length, namespaces };
  for await (const piece of reportRecords.render(records, { format, look: plain, ...options })) pieces.push(piece);
  return pieces;
}

const textOf = async (...args: Parameters<typeof piecesOf>): Promise<string> => (await piecesOf(...args)).join('');

/** A writer of csv that shares nothing with the tool: characters go one by one, rules as RFC 4180 and the guard of cells state them. */
function independentCsv(names: readonly string[], rows: readonly Row[], guard = true): string {
  const isNumber = (text: string): boolean => text.trim() === text && text !== '' && !Number.isNaN(Number(text));
  const cellOf = (value: unknown): string => {
    if (value === null || value === undefined) return '';
    let text = typeof value === 'string' ? value : JSON.stringify(value);
    const begin = text.charAt(0);
    const dangerous = begin !== '' && '=+-@\t\r\0'.includes(begin);
    if (guard && dangerous && !(isNumber(text) && !/[a-df-zA-DF-Z]/u.test(text))) text = `'${text}`;
    let out = '';
    let quotes = false;
    for (const letter of text) {
      if (letter === '"' || letter === ',' || letter === '\r' || letter === '\n') quotes = true;
      out += letter === '"' ? '""' : letter;
    }
    return quotes ? `"${out}"` : out;
  };
  const lines = [names, ...rows.map((row) => names.map((name) => row[name]))];
  return lines.map((cells) => `${cells.map(cellOf).join(',')}\r\n`).join('');
}

/** The names of fields, and the rows, with the times beside the seconds that csv has for spreadsheets. */
function withTimes(names: readonly string[], rows: readonly Row[]): [string[], Row[]] {
  const times = ['start', 'running', 'end'];
  const timed = (row: Row): Row => {
    const twins = times.flatMap((name) => {
      const seconds = row[name];
      if (typeof seconds !== 'number') return [];
      return [[`${name}Utc`, new Date(seconds * 1000).toISOString().replace(/T(.{8}).*/u, ' $1')] as const];
    });
    return { ...row, ...Object.fromEntries(twins) };
  };
  return [names.flatMap((name) => (times.includes(name) ? [name, `${name}Utc`] : [name])), rows.map(timed)];
}

const AWKWARD = [
  '=1+1',
  '+1',
  '-1',
  '-1.5e3',
  '+',
  '-',
  '@SUM(A1)',
  '\tTab',
  '\rReturn',
  '\0nul',
  '-2+3',
  '=cmd|x',
  '"',
  '""',
  'a,b',
  'two\nlines',
  'two\r\nlines',
  ' space ',
  '',
  'é漢\u{1f600}',
  '\u202e',
  "'",
  '1-1',
  '=,"',
];
const text = fc.oneof(fc.constantFrom(...AWKWARD), fc.string({ unit: 'grapheme', maxLength: 12 }));
const value = fc.oneof(
  text,
  text,
  fc.integer({ min: -5, max: 1_800_000_000 }),
  fc.constantFrom(null, undefined, true),
  fc.dictionary(text, text, { maxKeys: 3 }),
);

describe('the records of a report as csv', () => {
  it('are to the last byte what an independent writer makes of any records', async () => {
    const names = ['run', 'start', 'user', 'runtimeArgs', 'program'];
    const record = fc.record({ run: value, start: value, user: value, runtimeArgs: value, program: value });
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 30 }), fc.boolean(), async (rows, csvRaw) => {
        expect(await textOf('csv', rows, { names, csvRaw, size: 7 })).toBe(
          independentCsv(...withTimes(names, rows), !csvRaw),
        );
      }),
    );
  });

  it.each(['6.1.1', '6.11.0'])('are so for what a platform %s really answered', async (version) => {
    const file = resolve(import.meta.dirname, '../../../../fixtures/recordings', version, 'reports.json');
    const recorded = JSON.parse(readFileSync(join(file), 'utf8')) as {
      id: string;
      response: { status: number; body: string };
    }[];
    const names = REPORT_FIELDS.map(({ name }) => name);
    const answers = recorded.filter(
      ({ response }) => response.status === 200 && response.body.includes('"details"') && response.body.endsWith('}'),
    );
    expect(answers.length).toBeGreaterThan(5);
    for (const { response } of answers) {
      const { details } = JSON.parse(response.body) as { details: Row[] };
      expect(await textOf('csv', details, { names })).toBe(independentCsv(...withTimes(names, details)));
    }
  });

  it('have the fields of the request in its order, and no other', async () => {
    const rows = [{ program: 'phase-1', run: 'r', start: 5, extra: 1 }];
    expect(await textOf('csv', rows)).toBe('run,start,startUtc\r\nr,5,1970-01-01 00:00:05\r\n');
    expect(await textOf('csv', rows, { names: ['program', 'run'] })).toBe('program,run\r\nphase-1,r\r\n');
    expect(await textOf('csv', rows, { header: false })).toBe('r,5,1970-01-01 00:00:05\r\n');
  });

  it('may be some columns, times in RFC 3339 among them', async () => {
    const rows = [{ program: 'phase-1', run: 'r', start: 1_700_000_000 }];
    const fields = ['startAt', 'program'];
    expect(await textOf('csv', rows, { fields })).toBe('startAt,program\r\n2023-11-14T22:13:20Z,phase-1\r\n');
    await expect(textOf('csv', rows, { fields: ['user'] })).rejects.toMatchObject({ code: 'USAGE' });
  });

  it('have their header without any record', async () => {
    expect(await textOf('csv', [])).toBe('run,start,startUtc\r\n');
  });

  it('come in pieces of at most 200 rows, each of which ends with a row', async () => {
    const rows = Array.from({ length: 2500 }, (_, at) => ({ run: `r${at}`, start: at, program: 'p,q' }));
    const names = ['run', 'start', 'program'];
    const pieces = await piecesOf('csv', rows, { names, size: 1000 });
    expect(pieces.every((piece) => piece.endsWith('"p,q"\r\n'))).toBe(true);
    expect(Math.max(...pieces.map((piece) => piece.split('\r\n').length))).toBeLessThanOrEqual(202);
    expect(pieces.join('')).toBe(independentCsv(...withTimes(names, rows)));
  });

  it('are given before the next page is asked for', async () => {
    let asked = 0;
    const pages = (async function* (): AsyncGenerator<RecordPage> {
      for (; asked < 3;) yield { offset: asked, total: 3, records: [{ run: `r${asked++}`, program: 'p' }] };
    })();
    const records = { pages, fields: ['run'], range: { offset: 0 }, total: 3 };
    const pieces = reportRecords.render(records, { format: 'csv', look: plain })[Symbol.asyncIterator]();
    await pieces.next();
    expect(asked).toBe(1);
  });
});

describe('the records of a report for programs', () => {
  const rows = [
    { run: 'r1', program: 'p', start: 1_700_000_000, end: null, unknown: { a: [1] } },
    { run: 'r2', program: 'p', start: 1_700_000_060, end: 1_700_000_090 },
  ];
  const items = [
    { ...rows[0], startAt: '2023-11-14T22:13:20Z' },
    { ...rows[1], startAt: '2023-11-14T22:14:20Z', endAt: '2023-11-14T22:14:50Z' },
  ];
  const page = { offset: 0, returned: 2, total: 2, next: null };

  it('are one document with all members, times twice', async () => {
    const warnings = [{ code: 'X', message: 'm' }];
    const document = { schemaVersion: 1, kind: 'ReportRecordList', items, page, warnings };
    expect(await textOf('json', rows, { warnings: () => warnings, size: 1 })).toBe(`${JSON.stringify(document)}\n`);
    const look = { ...plain, terminal: true };
    const shown = await textOf('json', rows, { warnings: () => warnings, look });
    expect(shown).toBe(`${JSON.stringify(document, undefined, 2)}\n`);
    expect(JSON.parse(await textOf('json', []))).toMatchObject({ items: [], page: { returned: 0 } });
  });

  it('are a line each with a last one for the result', async () => {
    const lines = (await textOf('ndjson', rows, { size: 1 })).trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      ...items.map((item) => ({ type: 'item', item })),
      { type: 'result', schemaVersion: 1, kind: 'ReportRecordList', page, warnings: [] },
    ]);
  });

  it('say what comes next when they are a part', async () => {
    const records = { pages: pagesOf(rows, 1), fields: ['run'], range: { offset: 4, limit: 2 }, total: 9 };
    let json = '';
    for await (const piece of reportRecords.render(records, { format: 'json', look: plain })) json += piece;
    expect(JSON.parse(json)).toMatchObject({ page: { offset: 4, returned: 2, total: 9, next: 6 } });
  });

  it('count what an earlier run wrote', async () => {
    const records = { pages: pagesOf(rows, 1), fields: ['run'], range: { offset: 0 }, total: 5, before: 3 };
    let last = '';
    for await (const piece of reportRecords.render(records, { format: 'ndjson', look: plain })) last = piece;
    expect(JSON.parse(last)).toMatchObject({ page: { offset: 0, returned: 5, total: 5, next: null } });
  });

  it('are run ids for xargs', async () => {
    expect(await textOf('name', [...rows, { program: 'alone' }])).toBe('r1\nr2\nalone\n');
  });
});

describe('the records of a report for people', () => {
  it('are a table with times to read and nothing dangerous', async () => {
    const rows = [{ run: 'r1', program: 'p\u001b[2J', start: 1_700_000_000, duration: 5, end: null }];
    const names = ['run', 'start', 'end', 'duration'];
    const shown = await textOf('table', rows, { names });
    expect(shown.split('\n')).toEqual([
      'RUN  START                 END  DURATION  PROGRAM',
      'r1   2023-11-14 22:13:20Z  -         5 s  p\\x1b[2J',
      '',
    ]);
  });
});

describe('the records of a report on a terminal', () => {
  const look = { ...plain, terminal: true };
  const row = {
    ...{ namespace: 'default', applicationName: 'product_sales_by_day', program: 'DataPipelineWorkflow' },
    ...{ programType: 'Workflow', run: '0d917afd-e56d-11f1-9efe-acde48001122', status: 'COMPLETED' },
    ...{ start: 1_700_000_000, end: 1_700_019_260, duration: 19_260, user: 'cdap', startMethod: 'SCHEDULED' },
  };
  const linesAt = async (columns: number, more: Parameters<typeof piecesOf>[2] = {}, rows: readonly Row[] = [row]) =>
    (await textOf('table', rows, { names: DEFAULT_FIELDS, look: { ...look, columns }, ...more })).split('\n');

  it('have what is asked for first whole on a narrow one', async () => {
    expect(await linesAt(80)).toEqual([
      'APPLICATION NAME      STATUS     START           DURATION  USER  START METHOD',
      'product_sales_by_day  COMPLETED  11-14 22:13:20    5h 21m  cdap  SCHEDULED',
      '',
    ]);
  });

  it('name the namespace where the report has several', async () => {
    expect(await linesAt(80, { namespaces: 2 })).toEqual([
      'NAMESPACE  APPLICATION NAME      STATUS     START           DURATION  USER',
      'default    product_sales_by_day  COMPLETED  11-14 22:13:20    5h 21m  cdap',
      '',
    ]);
  });

  it('give way for a longer name of a pipeline, which is cut last', async () => {
    const named = (applicationName: string) => linesAt(80, {}, [{ ...row, applicationName }]);
    expect((await named('n'.repeat(43)))[1]).toBe(`${'n'.repeat(43)}  COMPLETED  11-14 22:13:20    5h 21m`);
    expect((await named('n'.repeat(99)))[1]).toBe(`${'n'.repeat(42)}…  COMPLETED  11-14 22:13:20    5h 21m`);
  });

  it.each([100, 120, 140, 160, 200, 250])(
    'are never longer than its lines, and no time or run is cut: %i',
    async (columns) => {
      const long = { ...row, applicationName: 'n'.repeat(300), user: 'u'.repeat(90), program: 'p'.repeat(90) };
      const text = (await linesAt(columns, {}, [row, long])).join('\n');
      expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(columns);
      expect(text).not.toMatch(/11-14[ :\d]*…|0d917afd[-\w]*…/u);
    },
  );

  it('have all of it on a wide one, in the order of the request', async () => {
    expect(await linesAt(200)).toEqual([
      'NAMESPACE  APPLICATION NAME      PROGRAM               PROGRAM TYPE  RUN                                   STATUS     START           END             DURATION  USER  START METHOD',
      'default    product_sales_by_day  DataPipelineWorkflow  Workflow      0d917afd-e56d-11f1-9efe-acde48001122  COMPLETED  11-14 22:13:20  11-15 03:34:20    5h 21m  cdap  SCHEDULED',
      '',
    ]);
  });

  it('have the columns that --fields names, and those only', async () => {
    expect(await linesAt(80, { fields: ['run', 'program', 'duration', 'endAt'] })).toEqual([
      'RUN                                   PROGRAM               DURATION',
      '0d917afd-e56d-11f1-9efe-acde48001122  DataPipelineWorkflow    5h 21m',
      '',
    ]);
  });

  it('have fields that a request names before its program', async () => {
    const names = ['artifactName', 'numLogErrors', 'run'];
    const rows = [{ artifactName: 'cdap-data-pipeline', numLogErrors: 3, run: row.run, program: row.program }];
    expect((await linesAt(80, { names }, rows))[0]).toMatch(/^ARTIFACT NAME +NUM LOG ERRORS +RUN$/u);
  });

  it('are in full as wide', async () => {
    const shown = await textOf('wide', [row], { names: DEFAULT_FIELDS, look: { ...look, columns: 300 } });
    expect(shown).toContain('2023-11-14 22:13:20Z');
    expect(shown).toContain('5h 21m');
  });
});

describe('the columns of records', () => {
  const options = (...fields: readonly string[]): RenderOptions => ({ format: 'json', look: plain, fields });

  it('may be fields of the report, the program, and times in words', () => {
    for (const format of ['json', 'csv', 'table'] as const)
      checkRecordColumns(['run', 'start'], { ...options('run', 'program', 'startAt'), format });
    checkRecordColumns(['run'], { format: 'csv', look: plain });
  });

  it.each(['status', 'runn', 'endAt'])('may not be others, in no format: %s', (field) => {
    for (const format of ['json', 'csv', 'table'] as const)
      expect(() => {
        checkRecordColumns(['run', 'start'], { ...options(field), format });
      }).toThrow(`unknown field "${field}" in --fields`);
  });
});
