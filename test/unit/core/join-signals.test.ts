import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { joinSignals } from '../../../src/core/join-signals.js';
import { inChild } from '../../support/processes/child.js';

it('ends with the first of its signals, for the reason of that one', () => {
  const [one, other] = [new AbortController(), new AbortController()];
  const joined = joinSignals(one.signal, other.signal);
  expect(joined.signal.aborted).toBe(false);
  other.abort('other');
  one.abort('one');
  expect(joined.signal.reason).toBe('other');
});

it('has ended when one of its signals had', () => {
  expect(joinSignals(new AbortController().signal, AbortSignal.abort('before')).signal.reason).toBe('before');
});

it('ends alone when it is told to', () => {
  const one = new AbortController();
  const joined = joinSignals(one.signal);
  joined.abort('told');
  expect([joined.signal.reason, one.signal.aborted]).toEqual(['told', false]);
});

it('leaves nothing at the signals that it was released from', () => {
  const one = new AbortController();
  const joined = joinSignals(one.signal);
  expect(getEventListeners(one.signal, 'abort')).toHaveLength(1);
  joined.release();
  expect(getEventListeners(one.signal, 'abort')).toEqual([]);
});

it('ends also when nothing but its listener is held and garbage was collected', async () => {
  const body = `
    let fired = 0;
    const sources = Array.from({ length: 50 }, () => new AbortController());
    for (const source of sources) {
      const inner = joinSignals(joinSignals(source.signal).signal);
      joinSignals(inner.signal).signal.addEventListener('abort', () => { fired += 1; });
    }
    for (let round = 0; round < 20; round += 1) {
      globalThis.gc();
      await new Promise((turn) => { setImmediate(turn); });
    }
    for (const source of sources) source.abort();
    console.log(fired);`;
  const imports = `import { joinSignals } from './src/core/join-signals.ts';`;
  expect((await inChild(imports, body, { flags: ['--expose-gc'] })).stdout).toBe('50\n');
});
