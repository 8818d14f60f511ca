import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../src/core/errors.js';
import { readCatalog } from '../../../src/hub/catalog.js';

const bytesOf = (value: unknown): Uint8Array => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value));
const GOOD = {
  name: 'plugin-pivot',
  version: '1.0.0',
  description: 'Turns tables',
  label: 'Pivot',
  author: 'Team',
  org: 'Org',
  cdapVersion: '[6.1.0,7.0.0)',
  created: 1606302808,
  categories: ['hydrator-plugin'],
  beta: false,
  paid: false,
};

function problemsOf(...entries: unknown[]) {
  return readCatalog(bytesOf(entries), 'packages.json').problems;
}

describe('readCatalog', () => {
  it('reads an entry and keeps every member it came with', () => {
    const { entries, problems } = readCatalog(bytesOf([{ ...GOOD, marketing: { rank: 1 } }]), 'packages.json');
    expect(problems).toEqual([]);
    expect(entries).toEqual([
      {
        ...GOOD,
        index: 0,
        preview: false,
        paidLink: undefined,
        license: undefined,
        licenseInfo: undefined,
        raw: { ...GOOD, marketing: { rank: 1 } },
      },
    ]);
  });

  it('holds the same fields, and no member as it came, where it is read lean', () => {
    const bytes = bytesOf([
      { ...GOOD, marketing: { rank: 1 } },
      { ...GOOD, version: '2', categories: ['b', 'c'] },
    ]);
    const { entries } = readCatalog(bytes, 'packages.json', { lean: true });
    const whole = readCatalog(bytes, 'packages.json').entries;
    expect(entries).toEqual(whole.map((entry) => ({ ...entry, raw: undefined })));
  });

  it('keeps apart what a thousand packages say in different ways', () => {
    const many = Array.from({ length: 2500 }, (_, at) => ({
      ...GOOD,
      version: `1.${at}`,
      author: `author ${at % 1200}`,
      categories: [`category ${at % 1300}`],
    }));
    const { entries } = readCatalog(bytesOf(many), 'packages.json');
    expect(entries.map(({ author, categories }) => ({ author, categories }))).toEqual(
      many.map(({ author, categories }) => ({ author, categories })),
    );
  });

  it('reads the flags of a package', () => {
    const flags = {
      beta: 'true',
      preview: true,
      paidLink: 'https://x.example',
      license: 'license.txt',
      licenseInfo: { name: 'A', url: 'u' },
    };
    const [entry] = readCatalog(bytesOf([{ ...GOOD, ...flags }]), 'packages.json').entries;
    expect(entry).toMatchObject({ ...flags, beta: true, paid: true });
  });

  it('accepts a byte order mark', () => {
    expect(readCatalog(bytesOf(`\ufeff${JSON.stringify([GOOD])}`), 'packages.json').entries).toHaveLength(1);
  });

  it.each([
    ['nothing but an object', { packages: [] }, 'BAD_CATALOG'],
    ['null', 'null', 'BAD_CATALOG'],
    ['cut JSON', '[{"name":', 'BAD_JSON'],
    ['100,000 levels', '['.repeat(100_000), 'TOO_DEEP'],
  ])('refuses %s', (_, document, code) => {
    expect(() => readCatalog(bytesOf(document), 'packages.json')).toThrow(expect.objectContaining({ code }) as Error);
  });

  it('skips entries without name or version, says so, and keeps the places of the others', () => {
    const { entries, problems } = readCatalog(
      bytesOf([{ ...GOOD, name: undefined }, null, 'x', { ...GOOD, version: '' }, GOOD]),
      'packages.json',
    );
    expect(entries.map(({ index, name }) => [index, name])).toEqual([[4, 'plugin-pivot']]);
    expect(problems.map(({ severity, index, message }) => [severity, index, message])).toEqual([
      ['skipped', 0, 'has no name'],
      ['skipped', 1, 'is not an object'],
      ['skipped', 2, 'is not an object'],
      ['skipped', 3, 'has no version'],
    ]);
  });

  it('keeps both of two entries with one name and version and reports the second', () => {
    const { entries, problems } = readCatalog(
      bytesOf([GOOD, { ...GOOD, label: 'Other' }, { ...GOOD, version: '1.0.1' }]),
      'packages.json',
    );
    expect(entries).toHaveLength(3);
    expect(problems).toMatchObject([
      { severity: 'warning', index: 1, name: 'plugin-pivot', version: '1.0.0', code: 'AMBIGUOUS' },
    ]);
  });

  it('takes created above 1e11 for milliseconds', () => {
    const [entry] = readCatalog(bytesOf([{ ...GOOD, created: 1606302808123 }]), 'packages.json').entries;
    expect(entry?.created).toBe(1606302808);
  });

  it.each(['1e400', '-1', '9007199254740993', '"12"', 'true', '{}', '9000000000000000'])(
    'reports created = %s',
    (created) => {
      const { entries, problems } = readCatalog(
        bytesOf(
          `[{"name":"a","version":"1","label":"A","description":"","author":"","org":"","categories":[],"created":${created}}]`,
        ),
        'x',
      );
      expect(entries[0]?.created).toBeUndefined();
      expect(problems).toMatchObject([{ severity: 'warning', code: 'BAD_FIELD', name: 'a', version: '1' }]);
    },
  );

  it.each(['[6.0.0,', '6.0.0;7.0.0', '1'.repeat(100_000)])('reports a range that is none', (cdapVersion) => {
    const [problem, ...others] = problemsOf({ ...GOOD, cdapVersion });
    expect(others).toEqual([]);
    expect(problem).toMatchObject({ severity: 'warning', code: 'BAD_RANGE' });
    expect(problem?.message.length).toBeLessThan(150);
  });

  it.each(['[6.1.3,6.1.3)', '[6.0.0,6.0.0-SNAPSHOT)'])('only notes the empty range %s', (cdapVersion) => {
    expect(problemsOf({ ...GOOD, cdapVersion })).toMatchObject([{ severity: 'note' }]);
  });

  it('reads numbers where text is expected and says so', () => {
    const { entries, problems } = readCatalog(
      bytesOf([{ ...GOOD, version: 1.5, label: 7, categories: ['a', 3] }]),
      'packages.json',
    );
    expect(entries[0]).toMatchObject({ version: '1.5', label: '7', categories: ['a', '3'] });
    expect(problems.map(({ severity, message }) => [severity, message])).toEqual([
      ['note', 'version is the number 1.5, used as text'],
      ['note', 'label is the number 7, used as text'],
      ['note', 'a category is the number 3, used as text'],
    ]);
  });

  it('reports members of a wrong type and reads the rest', () => {
    const { entries, problems } = readCatalog(
      bytesOf([{ ...GOOD, label: {}, beta: 'maybe', categories: [null, 'x'] }]),
      'packages.json',
    );
    expect(entries[0]).toMatchObject({ label: undefined, beta: false, categories: ['x'], author: 'Team' });
    expect(problems.map(({ code, message }) => [code, message])).toEqual([
      ['BAD_FIELD', 'label is not text'],
      ['BAD_FIELD', 'beta is neither true nor false'],
    ]);
  });

  it('takes null categories for none and names what is missing', () => {
    const { entries, problems } = readCatalog(
      bytesOf([{ name: 'a', version: '1', label: 'A', description: '', created: 1, categories: null }]),
      'x',
    );
    expect(entries[0]?.categories).toEqual([]);
    expect(problems).toMatchObject([{ severity: 'note', message: 'has no author, org, categories' }]);
  });

  it.each(['..', '.', 'a/b', 'a\\b', '%2e%2e', 'a\u0000b'])(
    'lists a package called %j but reports the name',
    (name) => {
      expect(problemsOf({ ...GOOD, name })).toMatchObject([{ severity: 'warning', code: 'BAD_NAME' }]);
    },
  );

  it('reads keys of the prototype as plain data', () => {
    const { entries } = readCatalog(
      bytesOf('[{"name":"a","version":"1","__proto__":{"label":"evil"},"constructor":1,"toString":2}]'),
      'x',
    );
    expect(entries[0]?.label).toBeUndefined();
    expect(({} as { label?: string }).label).toBeUndefined();
    expect(Object.keys(entries[0]?.raw ?? {})).toEqual(['name', 'version', '__proto__', 'constructor', 'toString']);
  });

  it('ends with a catalog or a known error whatever it is given', () => {
    const member = fc.oneof(fc.jsonValue(), fc.constantFrom('[1,2)', '1.0.0', -1, 1e300));
    const entry = fc.dictionary(fc.constantFrom(...Object.keys(GOOD), 'licenseInfo', 'license', 'paidLink'), member);
    fc.assert(
      fc.property(fc.oneof(fc.array(fc.oneof(entry, fc.jsonValue())), fc.jsonValue()), (document) => {
        try {
          const { entries, problems } = readCatalog(bytesOf(JSON.stringify(document)), 'x');
          expect(entries.length + problems.filter(({ severity }) => severity === 'skipped').length).toBe(
            (document as unknown[]).length,
          );
        } catch (error) {
          expect(error).toBeInstanceOf(CliError);
        }
      }),
    );
  });
});
