import { describe, expect, it } from 'vitest';
import type { Look } from '../../../src/output/look.js';
import { paintState, stateKindOf, STATE_KINDS } from '../../../src/output/states.js';

const look: Look = { terminal: true, color: true, columns: 80, unicode: true, utc: true };

describe('the rule of states', () => {
  it.each([
    ['FAILED', 31],
    ['REJECTED', 31],
    ['missed', 33],
    ['RUNNING', 36],
    ['completed', 32],
    ['valid', 32],
    ['risky', 33],
    ['KILLED', 35],
    ['scheduled', 2],
  ])('gives %s one colour', (word, code) => {
    expect(paintState(look, word)).toBe(`\u001b[${code}m${word}\u001b[0m`);
  });

  it('leaves other words, and all where there is no colour, as they are', () => {
    expect(paintState(look, 'orders')).toBe('orders');
    expect(paintState({ ...look, color: false }, 'FAILED', '3 failed')).toBe('3 failed');
  });

  it('knows its own words', () => {
    expect(STATE_KINDS.map((kind) => stateKindOf(kind))).toEqual([...STATE_KINDS]);
  });
});
