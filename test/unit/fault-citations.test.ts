import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const ID = '[STHNPLVUD]\\d\\d';
const CITED = new RegExp(`docs/faults\\.md (${ID}(?:(?:, | to | and )${ID})*)`, 'gu');
const DECIDED = /docs\/conventions\.md ((?:[\d.]+, )*D\d+(?:(?:, | to | and )D\d+)*)/gu;
/** Papers that are not in the repository, and ways to cite them. */
const FOREIGN =
  /(?<!docs\/)\b(?:cli|hub|reliability|performance|specification|architecture)\.md\b|\b(?:contract|architecture) \d|\bdecisions? \d/u;

const idsOf = (text: string, pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([id]) => id);
const rowsOf = (page: string, row: RegExp): Set<string> =>
  new Set([...readFileSync(join(ROOT, 'docs', page), 'utf8').matchAll(row)].map(([, id = '']) => id));

interface Comment {
  readonly file: string;
  readonly text: string;
}

/** The comments of a source; in strings two slashes follow a colon. */
function commentsIn(file: string): Comment[] {
  const found = readFileSync(join(ROOT, file), 'utf8').matchAll(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gmu);
  return [...found].map(([text]) => ({ file, text: text.replaceAll(/\s*\n\s*\*?\s*/gu, ' ') }));
}

const sources = ['src', 'bin'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.[cm]?[jt]s$/u.test(name))
    .map((name) => join(folder, name)),
);
const comments = sources.flatMap(commentsIn);
const where = ({ file, text }: Comment): string => `${file}: ${text.slice(0, 160)}`;

describe('comments of the source', () => {
  it('are found', () => {
    expect(comments.length).toBeGreaterThan(1000);
    expect(comments.filter(({ text }) => text.match(CITED) !== null).length).toBeGreaterThan(50);
  });

  it('cite faults that are in docs/faults.md', () => {
    const rows = rowsOf('faults.md', /^\| ([A-Z]\d\d) \|/gmu);
    const cited = comments.flatMap(({ text }) => idsOf(text, CITED).flatMap((one) => idsOf(one, new RegExp(ID, 'gu'))));
    expect([...new Set(cited)].filter((id) => !rows.has(id))).toEqual([]);
  });

  it('cite decisions that are in docs/conventions.md', () => {
    const rows = rowsOf('conventions.md', /^\| (D\d+) \|/gmu);
    const cited = comments.flatMap(({ text }) => idsOf(text, DECIDED).flatMap((one) => idsOf(one, /\bD\d+/gu)));
    expect([...new Set(cited)].filter((id) => !rows.has(id))).toEqual([]);
    expect(cited.length).toBeGreaterThan(10);
  });

  it('name the file with every id', () => {
    const bare = new RegExp(`\\b${ID}\\b`, 'u');
    const left = comments.filter(({ text }) => bare.test(text.replaceAll(CITED, '').replaceAll(DECIDED, '')));
    expect(left.map(where)).toEqual([]);
  });

  it('cite nothing that is not in the repository', () => {
    expect(comments.filter(({ text }) => FOREIGN.test(text)).map(where)).toEqual([]);
  });
});
