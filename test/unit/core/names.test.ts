import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fileNameFor, fileNameProblem, isSafeSegment } from '../../../src/core/names.js';

describe('isSafeSegment', () => {
  it.each(['', '.', '..', '%2e', '%2E%2e', '.%2e', 'a/b', 'a\\b', 'a\u0000', '\n', '\u0085', 'x'.repeat(2049)])(
    'refuses %j',
    (text) => {
      expect(isSafeSegment(text)).toBe(false);
    },
  );

  it.each(['a', 'a.b', '...', 'a..b', 'ä ö', '%2f', '-SNAPSHOT', '1.0.0+x'])('takes %j', (text) => {
    expect(isSafeSegment(text)).toBe(true);
  });

  it('takes only texts that stay one segment in a URL', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('.', '/', '\\', '%', '2', 'e', 'E', 'f', 'a', ' ', '\t', '?', '#') }),
        (text) => {
          if (!isSafeSegment(text)) return;
          const url = new URL(`http://h/base/${encodeURIComponent(text)}/end`);
          expect(url.pathname.split('/')).toHaveLength(4);
          expect(decodeURIComponent(url.pathname.split('/')[2] ?? '')).toBe(text);
        },
      ),
    );
  });
});

describe('fileNameProblem', () => {
  it.each(['../x', 'a/b', '%2e%2e', 'a\\b', 'a\u0000b', '', '.', '..', 'x'.repeat(300)])(
    'refuses %j, which could leave its folder (H20)',
    (name) => {
      expect(fileNameProblem(name)).toBeTypeOf('string');
    },
  );

  it.each(['CON', 'nul.jar', 'Lpt1.txt', 'a:b', 'a.', 'a ', 'a?b', 'a*'])(
    'refuses %j, which some systems cannot hold (H21)',
    (name) => {
      expect(fileNameProblem(name)).toBeTypeOf('string');
    },
  );

  it.each(['.cdapctl-unfinished', '.CDAPCTL-x'])('refuses %j, which is one of our own files (H21)', (name) => {
    expect(fileNameProblem(name)).toBe('is reserved for files of cdapctl');
  });

  it.each(['cdapctl-x', '.cdapctl', 'spec.json', 'google-cloud-0.20.1.jar', 'a b', 'consul', 'nullable.jar', 'ä.jar'])(
    'takes %j',
    (name) => {
      expect(fileNameProblem(name)).toBeUndefined();
    },
  );
});

describe('fileNameFor', () => {
  it('gives every text a portable name of its own (L42)', () => {
    const text = fc.string({ maxLength: 300, unit: 'binary' });
    fc.assert(
      fc.property(text, text, (a, b) => {
        expect(fileNameProblem(fileNameFor(a))).toBeUndefined();
        expect(fileNameFor(a).length).toBeLessThanOrEqual(200);
        expect(fileNameFor(a) === fileNameFor(b)).toBe(a === b);
      }),
    );
  });

  it('keeps a readable name as it is', () => {
    expect(fileNameFor('pipeline-1.0.json')).toBe('pipeline-1.0.json');
    expect(fileNameFor('a/b')).toMatch(/^a_b~[0-9a-f]{16}$/u);
  });
});
