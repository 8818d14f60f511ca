import { describe, expect, it } from 'vitest';
import { unlessAborted } from '../../../src/core/unless-aborted.js';

const never = new Promise<string>(() => undefined);

describe('unlessAborted', () => {
  it('says nothing of many waits for one signal', async () => {
    const warnings: Error[] = [];
    const hear = (warning: Error): unknown => warnings.push(warning);
    process.on('warning', hear);
    const controller = new AbortController();
    const waiting = Promise.allSettled(Array.from({ length: 20 }, () => unlessAborted(never, controller.signal)));
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', hear);
    controller.abort();
    await waiting;
    expect(warnings).toEqual([]);
  });

  it('gives what the work gives, or its error', async () => {
    const { signal } = new AbortController();
    expect(await unlessAborted(Promise.resolve('done'), signal)).toBe('done');
    await expect(unlessAborted(Promise.reject(new Error('broken')), signal)).rejects.toThrow('broken');
  });

  it('ends with the reason of a signal that aborts, or has aborted', async () => {
    const controller = new AbortController();
    const waiting = unlessAborted(never, controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(unlessAborted(never, controller.signal)).rejects.toThrow('enough');
  });
});
