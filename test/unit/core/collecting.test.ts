import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { collectNow } from '../../../src/core/collecting.js';

it('gives back what nobody holds any more at once', async () => {
  const held = new WeakRef({ large: new Array(1000).fill(0) });
  // A reference that was read in this turn counts until its end.
  await setImmediate();
  collectNow();
  expect(held.deref()).toBeUndefined();
});
