import * as z from 'zod/mini';
import { describe, expect, it } from 'vitest';
import type { Look } from '../../../src/output/look.js';
import { itemView, view } from '../../../src/output/views/view.js';
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

  it.each(['state', 'status', 'signature'])('is that of every table and item with a column "%s"', async (key) => {
    const columns = [
      { key: 'name', value: () => 'running' },
      { key, value: () => 'running' },
    ];
    const parts = { kind: 'X', none: '', schema: z.object({}), name: () => '', columns };
    for (const pieces of [
      view(parts).render({ items: [{}] }, { format: 'table', look }),
      itemView(parts).render({}, { format: 'table', look }),
    ]) {
      let text = '';
      for await (const piece of pieces) text += piece;
      expect(text.split('running')).toHaveLength(3);
      expect(text.match(/\u001b\[36mrunning *\u001b\[0m/gu)).toHaveLength(1);
    }
  });

  it('knows its own words', () => {
    expect(STATE_KINDS.map((kind) => stateKindOf(kind))).toEqual([...STATE_KINDS]);
  });
});
