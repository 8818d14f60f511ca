import { describe, expect, it } from 'vitest';
import { faultsIn, spec, type Tree } from './lint-site.js';

const shown = (cdapVersion: unknown): Promise<readonly string[]> => faultsIn(spec({ cdapVersion }));

describe('the platform range of a package', () => {
  it('is there', async () => {
    expect(await shown(undefined)).toEqual([
      'a/1.0.0/spec.json 1:1 warning RANGE_MISSING: cdapVersion is missing; the package is shown on every platform',
    ]);
    expect(await faultsIn({ 'a/1.0.0/spec.json': '[]' })).toEqual([
      'a/1.0.0/spec.json 1:1 error BAD_JSON: it is not a JSON object',
    ]);
  });

  it('is a range that matches a platform', async () => {
    const only = 'a/1.0.0/spec.json 5:17 error RANGE_FORM:';
    expect(await shown('[6.1.0')).toEqual(['a/1.0.0/spec.json 5:17 error RANGE_BAD: "[6.1.0" is not a version range']);
    expect(await shown('[6.1.0,6.1.0)')).toEqual([
      'a/1.0.0/spec.json 5:17 warning RANGE_EMPTY: [6.1.0,6.1.0) matches no platform, which hides the package',
    ]);
    expect(await shown('[6.2.0,6.1.0]')).toEqual([
      'a/1.0.0/spec.json 5:17 warning RANGE_EMPTY: [6.2.0,6.1.0] matches no platform, which hides the package',
    ]);
    expect(await shown(7)).toEqual([`${only} 7 is not a range, and the UI of the platform fails on it: use [7,7]`]);
  });

  it('lets no snapshot of its end in', async () => {
    expect(await shown('[6.1.0,7.0.0)')).toEqual([
      'a/1.0.0/spec.json 5:17 warning RANGE_SNAPSHOT (fixable): [6.1.0,7.0.0) matches 7.0.0-SNAPSHOT; end it with 7.0.0-SNAPSHOT)',
    ]);
    expect(await shown(' [6.1.0, 7.0.0)')).toEqual([
      'a/1.0.0/spec.json 5:17 warning RANGE_SNAPSHOT (fixable):  [6.1.0, 7.0.0) matches 7.0.0-SNAPSHOT; end it with 7.0.0-SNAPSHOT)',
    ]);
    expect(await shown('[6.1.0,7.0.0 )')).toEqual([
      'a/1.0.0/spec.json 5:17 warning RANGE_SNAPSHOT: [6.1.0,7.0.0 ) matches 7.0.0-SNAPSHOT; end it with 7.0.0-SNAPSHOT)',
    ]);
    expect(await shown('[6.1.0,7.0.0) ')).toEqual([
      'a/1.0.0/spec.json 5:17 warning RANGE_SNAPSHOT: [6.1.0,7.0.0)  matches 7.0.0-SNAPSHOT; end it with 7.0.0-SNAPSHOT)',
    ]);
    expect(await shown('[6.1.0,7.0.0]')).toEqual([]);
    expect(await shown('[6.1.0,7.0.0-rc1)')).toEqual([]);
    expect(await shown(' 6.1.0 ')).toEqual([
      'a/1.0.0/spec.json 5:17 error RANGE_FORM: 6.1.0 is not a range, and the UI of the platform fails on it: use [6.1.0,6.1.0]',
    ]);
  });
});

describe('the platform ranges of two versions of a package', () => {
  const both = (one: string, other: string): Promise<readonly string[]> =>
    faultsIn({
      ...spec({ cdapVersion: one }),
      ...spec({ cdapVersion: other }, 'a/1.1.0'),
      ...spec({ cdapVersion: '[6.0.0,9.0.0]' }, 'b/1.0.0'),
    });

  it.each([
    ['[6.1.0,6.5.0]', '[6.2.0,6.3.0]'],
    ['[6.2.0,6.3.0]', '[6.1.0,6.5.0]'],
    ['[6.1.0,6.3.0]', '[6.3.0,6.5.0]'],
    ['[6.3.0,6.5.0]', '[6.1.0,6.3.0]'],
    ['[6.1.0,6.5.0]', '(6.1.0,6.5.0]'],
    ['(6.1.0,6.5.0]', '[6.1.0,6.5.0]'],
    ['[6.1.0,6.5.0]', '[6.1.0,6.4.0]'],
    ['(6.1.0,6.5.0]', '[6.2.0,6.2.0]'],
    ['[6.2.0,6.2.0]', '[6.1.0,6.3.0]'],
  ])('are told where they overlap: %s and %s', async (one, other) => {
    expect(await both(one, other)).toEqual([
      `a/1.1.0/spec.json 5:17 warning RANGE_OVERLAP: ${other} overlaps 1.0.0 of the same package: ${one}`,
    ]);
  });

  it.each([
    ['[6.1.0,6.3.0]', '(6.3.0,6.5.0]'],
    ['(6.3.0,6.5.0]', '[6.1.0,6.3.0]'],
    ['[6.1.0,6.2.0]', '[6.3.0,6.5.0]'],
    ['[6.3.0,6.5.0]', '[6.1.0,6.2.0]'],
    ['[6.1.0,6.5.0]', '[6.1.0,6.5.0]'],
    ['[6.1.0,6.3.0-SNAPSHOT)', '[6.3.0-SNAPSHOT,6.5.0]'],
    ['[6.1.0,6.1.0]', '(6.1.0,6.5.0]'],
    ['(6.1.0,6.5.0]', '[6.1.0,6.1.0]'],
    ['[6.5.0-rc1,6.5.0-rc1]', '[6.1.0,6.5.0-rc1)'],
    ['[6.1.0,6.5.0-rc1)', '[6.5.0-rc1,6.5.0-rc1]'],
  ])('may be the same, or lie beside each other: %s and %s', async (one, other) => {
    expect(await both(one, other)).toEqual([]);
  });

  it('are counted where there are many', async () => {
    const ranges = ['[6.1.0,6.2.0]', '[6.1.0,6.3.0]', '[6.1.0', '[6.3.0,6.2.0]', '[6.1.0,6.4.0]', '[6.1.0,6.5.0]'];
    const trees = ranges.map((cdapVersion, at) => spec({ cdapVersion }, `a/1.0.${at}`));
    expect(await faultsIn(Object.assign({}, ...trees) as Tree)).toEqual([
      'a/1.0.1/spec.json 5:17 warning RANGE_OVERLAP: [6.1.0,6.3.0] overlaps 1.0.0 of the same package: [6.1.0,6.2.0]',
      'a/1.0.2/spec.json 5:17 error RANGE_BAD: "[6.1.0" is not a version range',
      'a/1.0.3/spec.json 5:17 warning RANGE_EMPTY: [6.3.0,6.2.0] matches no platform, which hides the package',
      'a/1.0.4/spec.json 5:17 warning RANGE_OVERLAP: [6.1.0,6.4.0] overlaps 1.0.0 of the same package: [6.1.0,6.2.0] and 1 more',
      'a/1.0.5/spec.json 5:17 warning RANGE_OVERLAP: [6.1.0,6.5.0] overlaps 1.0.0 of the same package: [6.1.0,6.2.0] and 2 more',
    ]);
  });
});
