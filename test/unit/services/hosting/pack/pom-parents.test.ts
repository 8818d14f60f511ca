import { describe, expect, it } from 'vitest';
import { pomParents } from '../../../../../src/services/hosting/pack/pom-parents.js';
import { pomOf } from '../../../../support/pack-jars.js';

/** Characters of the largest pom. */
const LARGEST = 1024 * 1024;
const PARENT = 'system:cdap-data-pipeline[6.1.0,7.0.0-SNAPSHOT)';
const listed = (text: string): string => pomOf([], `<app.parents>${text}</app.parents>`);

describe('the parents of a pom', () => {
  it('of one line or several, with blanks behind their commas', () => {
    expect(pomParents(listed(`${PARENT},\n  system:a[1.0,2.0)`))).toEqual([PARENT, 'system:a[1.0,2.0)']);
  });

  // A pattern that looks at each character again from every other one would need hours here.
  it.each([
    ['a name without an end', `<${'a'.repeat(LARGEST)}`, undefined],
    ['a name of quotes', `<${'"'.repeat(LARGEST)}`, undefined],
    ['a name with a quote that has no end', `<${'a""'.repeat(LARGEST / 3)}"`, undefined],
    ['attributes without an end', `<a ${'""'.repeat(LARGEST / 2)}`, undefined],
    ['parents without a range', listed('a'.repeat(LARGEST)), []],
    ['parents of ranges without a name', listed(']'.repeat(LARGEST)), []],
    ['parents whose ranges have no end', listed(',a['.repeat(LARGEST / 3)), []],
    ['a parent with a very long range', listed(`${'a['.repeat(LARGEST / 2)})`), []],
  ])('are read of 1 MB of %s', (_, pom, parents) => {
    expect(pomParents(pom)).toEqual(parents);
  });

  it('are not made of properties that multiply', () => {
    const more = `<long>${'x'.repeat(LARGEST / 2)}</long><short>b</short>`;
    const many = ['${long}'.repeat(LARGEST / 14), '${long}', '${cdap.range}'.repeat(30), 'a${short}[1.0,2.0)'];
    expect(pomParents(pomOf(many, more))).toEqual(['ab[1.0,2.0)']);
  });
});
