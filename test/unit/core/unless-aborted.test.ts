import { getEventListeners } from 'node:events';
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

  it('leaves no listener on a signal after the last wait', async () => {
    const { signal } = new AbortController();
    let finish: (text: string) => void = () => undefined;
    const work = new Promise<string>((resolve) => (finish = resolve));
    const waiting = [unlessAborted(work, signal), unlessAborted(Promise.resolve('done'), signal)];
    await waiting[1];
    expect(getEventListeners(signal, 'abort')).toHaveLength(1);
    finish('late');
    expect(await Promise.all(waiting)).toEqual(['late', 'done']);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('ends with the reason of a signal that aborts, or has aborted', async () => {
    const controller = new AbortController();
    const waiting = unlessAborted(never, controller.signal);
    controller.abort(new Error('enough'));
    await expect(waiting).rejects.toThrow('enough');
    await expect(unlessAborted(never, controller.signal)).rejects.toThrow('enough');
  });
});
