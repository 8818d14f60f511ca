import { describe, expect, it } from 'vitest';
import { unlessAborted } from '../../../src/core/unless-aborted.js';

const never = new Promise<string>(() => undefined);

describe('unlessAborted', () => {
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
