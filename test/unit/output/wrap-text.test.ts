import { describe, expect, it } from 'vitest';
import { flowed } from '../../../src/output/wrap-text.js';
import type { Look } from '../../../src/output/look.js';

const narrow: Look = { terminal: true, color: false, columns: 30, unicode: true, utc: true };

describe('a line that is longer than the terminal', () => {
  it.each([
    [
      'goes on below its beginning',
      '  one two three four five six seven',
      ['  one two three four five six', '  seven'],
    ],
    [
      'goes on behind the number of a step',
      '  2. one two three four five six',
      ['  2. one two three four five', '     six'],
    ],
    [
      'leaves a command to paste in one piece',
      'no key yet: cdapctl hub key add FILE --hub NAME',
      ['no key yet:', '  cdapctl hub key add FILE --hub NAME'],
    ],
  ])('%s', (_, line, lines) => {
    expect(flowed(line, narrow).split('\n')).toEqual(lines);
    expect(flowed(line, { ...narrow, terminal: false })).toBe(line);
  });
});
