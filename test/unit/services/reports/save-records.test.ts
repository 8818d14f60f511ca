import fc from 'fast-check';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import { checkFile } from '../../../../src/services/reports/check-file.js';
import {
  countRows,
  openRecords,
  type ResumeRule,
  type SaveOptions,
} from '../../../../src/services/reports/save-records.js';
import { temporaryFolder } from '../../state/support.js';
import { codeOf } from '../../../support/errors.js';

const root = temporaryFolder();
const { signal } = new AbortController();
let path = '';

beforeEach(() => {
  path = join(mkdtempSync(join(root, 'save-')), 'runs.csv');
});

const names = (): string[] => readdirSync(join(path, '..'));
const row = (at: number): string => `${at},"say ""${at}""\r\nand more"\r\n`;
const HEADER = 'at,text\r\n';

/** The text of a report of `count` rows from one on, which breaks off with an error behind `cut` rows. */
const textOf = (count: number, cut?: { readonly after: number; readonly error: Error }, begun: number[] = []) =>
  async function* (from: number): AsyncGenerator<string> {
    begun.push(from);
    if (from === 0) yield HEADER;
    for (let at = from; at < count; at += 1) {
      if (at === cut?.after) throw cut.error;
      yield row(at);
    }
  };
const whole = (count: number): string => HEADER + Array.from({ length: count }, (_, at) => row(at)).join('');
const rule = (count: number, more: Partial<ResumeRule> = {}): ResumeRule => ({
  address: 'here',
  tag: `${count} rows`,
  format: 'csv',
  header: true,
  records: count,
  ...more,
});
const options = (resume: ResumeRule | undefined, more: Partial<SaveOptions> = {}): SaveOptions => ({
  path,
  overwrite: false,
  resume,
  keepPartial: false,
  ...more,
});
/** Writes a text, which is made from a record on, as a whole. */
async function saveRecords(from: (record: number) => AsyncIterable<string>, how: SaveOptions, until: AbortSignal) {
  const file = await openRecords(how, until);
  return file.write(from(file.resumed));
}
const lost = new CliError('NET_RESET', 'the connection broke');
const short = new CliError('SHORT', 'rows are missing: got 3 of 5');

describe('the file of a report', () => {
  it('has its name when it is whole, and its bytes counted', async () => {
    const seen: string[][] = [];
    const saved = await saveRecords(
      async function* () {
        yield HEADER;
        seen.push(names());
        yield 'é\r\n';
      },
      options(undefined),
      signal,
    );
    expect(saved).toEqual({ bytes: HEADER.length + 4, resumed: 0 });
    expect(seen[0]).not.toContain('runs.csv');
    expect(names()).toEqual(['runs.csv']);
  });

  it.each([
    ['the way', lost],
    ['the records', short],
  ])('is not there after a failure of %s, and one of an earlier run stays', async (_, error) => {
    writeFileSync(path, 'older');
    const failing = saveRecords(textOf(5, { after: 3, error }), options(undefined, { overwrite: true }), signal);
    expect(await codeOf(failing)).toBe(error.code);
    expect(names()).toEqual(['runs.csv']);
    expect(readFileSync(path, 'utf8')).toBe('older');
  });

  it('goes on where an earlier run was cut off', async () => {
    const first = saveRecords(textOf(50, { after: 30, error: lost }), options(rule(50)), signal);
    await expect(first).rejects.toMatchObject({
      details: { lines: [expect.stringContaining('run the same command again') as string] },
    });
    expect(existsSync(path)).toBe(false);
    const begun: number[] = [];
    expect(await saveRecords(textOf(50, undefined, begun), options(rule(50)), signal)).toEqual({
      bytes: Buffer.byteLength(whole(50)),
      resumed: 30,
    });
    expect(begun).toEqual([30]);
    expect(readFileSync(path, 'utf8')).toBe(whole(50));
    expect(names()).toEqual(['runs.csv']);
  });

  it('names the command that goes on where it is another one', async () => {
    const goOn = 'cdapctl report download 1 -O runs.csv';
    const first = saveRecords(textOf(50, { after: 30, error: lost }), options(rule(50), { goOn }), signal);
    await expect(first).rejects.toMatchObject({
      details: {
        lines: [
          expect.stringMatching(/^to resume after \d+ bytes: cdapctl report download 1 -O runs\.csv$/u) as string,
        ],
      },
    });
  });

  it('goes on behind the last row, too', async () => {
    const first = saveRecords(textOf(51, { after: 50, error: lost }), options(rule(50)), signal);
    expect(await codeOf(first)).toBe('NET_RESET');
    const begun: number[] = [];
    await saveRecords(textOf(50, undefined, begun), options(rule(50)), signal);
    expect(begun).toEqual([50]);
    expect(readFileSync(path, 'utf8')).toBe(whole(50));
  });

  it.each<[string, ResumeRule | undefined]>([
    ['of another total', rule(60)],
    ['made at another time', rule(50, { tag: '50 rows, later' })],
    ['of other columns', rule(50, { address: 'there' })],
    ['that may not be resumed', undefined],
  ])('begins anew for a report %s', async (_, other) => {
    const first = saveRecords(textOf(50, { after: 30, error: lost }), options(rule(50)), signal);
    expect(await codeOf(first)).toBe('NET_RESET');
    const begun: number[] = [];
    expect(await saveRecords(textOf(50, undefined, begun), options(other), signal)).toMatchObject({ resumed: 0 });
    expect(begun).toEqual([0]);
    expect(readFileSync(path, 'utf8')).toBe(whole(50));
    expect(names()).toEqual(['runs.csv']);
  });

  it('begins anew when what is left ends inside a row', async () => {
    const torn = async function* (): AsyncGenerator<string> {
      yield HEADER + row(0);
      yield '1,"a\r\n';
      throw lost;
    };
    expect(await codeOf(saveRecords(torn, options(rule(5)), signal))).toBe('NET_RESET');
    const begun: number[] = [];
    await saveRecords(textOf(5, undefined, begun), options(rule(5)), signal);
    expect(begun).toEqual([0]);
    expect(readFileSync(path, 'utf8')).toBe(whole(5));
  });

  it('leaves nothing when records are missing, unless it is told to keep them', async () => {
    const missing = textOf(5, { after: 3, error: short });
    await expect(saveRecords(missing, options(rule(5)), signal)).rejects.toBe(short);
    expect(names()).toEqual([]);
    await expect(saveRecords(missing, options(rule(5), { keepPartial: true }), signal)).rejects.toMatchObject({
      code: 'SHORT',
      details: { lines: [`the received part is in ${path}.partial`] },
    });
    expect(names()).toEqual(['runs.csv.partial']);
    expect(readFileSync(`${path}.partial`, 'utf8')).toBe(whole(3));
  });
});

describe('the place of the file', () => {
  it('is looked at before anything is asked for', async () => {
    await checkFile(path, false);
    expect(names()).toEqual([]);
    writeFileSync(path, '');
    expect(await codeOf(checkFile(path, false))).toBe('EXISTS');
    await checkFile(path, true);
    mkdirSync(`${path}.d`);
    expect(await codeOf(checkFile(`${path}.d`, true))).toBe('LOCAL_IO');
    expect(await codeOf(checkFile(join(path, '..', 'no', 'file'), true))).toBe('LOCAL_IO');
    symlinkSync(path, `${path}.link`);
    expect(await codeOf(checkFile(`${path}.link`, true))).toBe('SYMLINK');
  });
});

describe('the count of rows', () => {
  const cell = fc.stringMatching(/^[a-z",\r\n]{0,6}$/u);

  it('holds for any cells in any pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.array(cell, { minLength: 1, maxLength: 3 })), fc.nat(7), (rows, size) => {
        const text = rows.map((cells) => `${cells.map((one) => `"${one.replaceAll('"', '""')}"`).join()}\r\n`).join('');
        const bytes = Buffer.from(text);
        const counter = countRows('csv');
        for (let at = 0; at < bytes.length; at += size + 1) counter.take(bytes.subarray(at, at + size + 1));
        expect([counter.rows, counter.whole]).toEqual([rows.length, true]);
      }),
    );
  });

  it.each([
    ['csv', 'a\r\n"b\r\n', 1, false],
    ['csv', 'a\r\nb', 1, false],
    ['csv', '', 0, true],
    ['ndjson', '{"a":"\\""}\n{}\n', 2, true],
    ['ndjson', '{"a":"', 0, false],
  ] as const)('of %s %j is %i', (format, text, rows, isWhole) => {
    const counter = countRows(format);
    counter.take(Buffer.from(text));
    expect([counter.rows, counter.whole]).toEqual([rows, isWhole]);
  });
});
