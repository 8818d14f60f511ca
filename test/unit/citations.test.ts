import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');
const SOURCE = /\.(?:ts|mjs|js)$/u;
/** A document and, behind it, its chapters or the rows of its tables: `docs/x.md 1.2, 3 and 4`, `docs/x.md N26`. */
const CITATION =
  /\bdocs\/([\w-]+(?:\/[\w-]+)*\.md)`?((?: (?:[A-Z]\d+|\d+(?:\.\d+)*)\b(?:(?:,| and) (?:[A-Z]\d+|\d+(?:\.\d+)*)\b)*)?)/gu;

/** A chapter, or a whole document, that a comment names. */
interface Citation {
  readonly file: string;
  readonly document: string;
  readonly chapters: readonly string[];
}

/** Joins comments that go over several lines, so that a citation may be broken anywhere. */
const joined = (text: string): string => text.replaceAll(/\n\s*(?:\*|\/\/)(?!\/) ?/gu, ' ');

function citationsIn(file: string, text: string): Citation[] {
  return [...joined(text).matchAll(CITATION)].map(([, document = '', chapters = '']) => ({
    file,
    document,
    chapters: chapters.match(/[A-Z]?\d+(?:\.\d+)*/gu) ?? [],
  }));
}

/** The numbers that the headings of a document begin with, and the ids that rows of its tables do. */
const headingsIn = (markdown: string): Set<string> =>
  new Set(
    [...markdown.matchAll(/^(?:#{1,6} (\d+(?:\.\d+)*)\.? |\| ([A-Z]\d+) \|)/gmu)].map(
      ([, number, id]) => number ?? id ?? '',
    ),
  );

/** What a citation names and the repository does not have; nothing when it resolves. */
function missing({ document, chapters }: Citation): string[] {
  const path = join(ROOT, 'docs', document);
  if (!existsSync(path)) return [`docs/${document}`];
  const headings = headingsIn(readFileSync(path, 'utf8'));
  return chapters.filter((chapter) => !headings.has(chapter)).map((chapter) => `docs/${document} ${chapter}`);
}

function sources(): { readonly file: string; readonly text: string }[] {
  return ['src', 'bin', 'test'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name).replaceAll('\\', '/'))
      .filter(
        (file) => SOURCE.test(file) && !file.startsWith('test/fixtures/') && file !== 'test/unit/citations.test.ts',
      )
      .map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') })),
  );
}

describe('citations of documents', () => {
  const all = sources();
  const citations = all.flatMap(({ file, text }) => citationsIn(file, text));

  it('name files and chapters that are there', () => {
    const broken = citations.flatMap((citation) => missing(citation).map((what) => `${citation.file}: ${what}`));
    expect(broken).toEqual([]);
    expect(citations.filter(({ document }) => document === 'platform.md').length).toBeGreaterThan(50);
  });

  it('name no paper of which the repository holds nothing', () => {
    const strange = /\bcontract (?:chapter )?\d|\bplatform-http\b|\bdifferences-6|\(differences\)/u;
    expect(all.filter(({ text }) => strange.test(joined(text))).map(({ file }) => file)).toEqual([]);
  });

  it.each([
    ['/** Twice (docs/platform.md 1.2, 3). */', ['1.2', '3']],
    ['/**\n * Broken (docs/platform.md\n * 5.3; seen on 6.1.1).\n */', ['5.3']],
    ['// as `docs/platform.md` 16 and 4.1 say', ['16', '4.1']],
    ['// docs/platform.md 2: 3 of them', ['2']],
    ['// docs/faults.md N26, L04', ['N26', 'L04']],
    ['// see docs/limits.md, 4 MB', []],
  ])('are read out of %j', (text, chapters) => {
    expect(citationsIn('x.ts', text)).toMatchObject([{ chapters }]);
  });

  it('do not resolve where a chapter or a document is missing', () => {
    const of = (document: string, chapter: string): string[] =>
      missing({ file: 'x.ts', document, chapters: [chapter] });
    expect(of('platform.md', '5.3')).toEqual([]);
    expect(of('platform.md', '5.9')).toEqual(['docs/platform.md 5.9']);
    expect(of('nowhere.md', '1')).toEqual(['docs/nowhere.md']);
  });
});

describe('links of documents', () => {
  const LINK = /\]\((?!https?:|mailto:|#)([^)#\s]+)/gu;

  const documents = [
    ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
    ...['docs', 'test'].flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
        .map((name) => join(folder, name))
        .filter((name) => name.endsWith('.md') && !name.startsWith(join('test', 'fixtures', 'hub'))),
    ),
  ];

  it('lead to what is there', () => {
    const links = documents.flatMap((document) =>
      [...readFileSync(join(ROOT, document), 'utf8').matchAll(LINK)].map(([, target = '']) => ({ document, target })),
    );
    const broken = links.filter(({ document, target }) => !existsSync(resolve(ROOT, document, '..', target)));
    expect(broken).toEqual([]);
    expect(links.length).toBeGreaterThan(10);
  });
});

describe('files of the source that documents name', () => {
  const ROOMS = new Set(
    readdirSync(join(ROOT, 'src'), { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? entry.name : [])),
  );
  const documents = readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((document) => ({ document, text: readFileSync(join(ROOT, 'docs', document), 'utf8') }));
  const named = documents.flatMap(({ document, text }) =>
    [...text.matchAll(/(?<![\w/])(?:src\/)?(([\w-]+)\/[\w/-]+\.ts)\b/gu)]
      .filter(([, , room = '']) => ROOMS.has(room))
      .map(([, path = '']) => ({ document, path })),
  );
  const namesIn = (folder: string): readonly string[] =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((path) => basename(path));

  it('are there', () => {
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter(({ path }) => !existsSync(join(ROOT, 'src', path)))).toEqual([]);
  });

  it('are there when only their names are given, in docs/trust.md those of src/trust', () => {
    const trust = new Set(namesIn('src/trust'));
    const all = new Set(['src', 'test'].flatMap(namesIn));
    const bare = documents.flatMap(({ document, text }) =>
      [...text.matchAll(/`([\w-]+\.ts)`/gu)].map(([, name = '']) => ({ document, name })),
    );
    expect(bare.length).toBeGreaterThan(20);
    expect(bare.filter(({ document, name }) => !(document === 'trust.md' ? trust : all).has(name))).toEqual([]);
  });
});
