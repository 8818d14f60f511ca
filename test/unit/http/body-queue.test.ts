import { describe, expect, it } from 'vitest';
import { BodyQueue, wholeTimeoutOf } from '../../../src/http/body-queue.js';
import { CliError } from '../../../src/core/errors.js';
import { testClock } from './support.js';

/** A queue with what it asked of its connection. */
function queue() {
  const asked: string[] = [];
  const flow = {
    pause: () => void asked.push('pause'),
    resume: () => void asked.push('resume'),
    abort: () => void asked.push('abort'),
  };
  const stage = { facts: { method: 'GET', url: 'http://cdap.example/x' }, sent: true };
  const limits = { idleTimeout: 30_000, wholeTimeout: 60_000, clock: testClock(), stage };
  return { asked, body: new BodyQueue(flow, limits) };
}

const QUARTER = Buffer.alloc(65_536);

describe('a body on its way', () => {
  it('is paused once it is full, and continues when less than half of that is left', async () => {
    const { asked, body } = queue();
    const seen: string[] = [];
    for (let piece = 1; piece <= 5; piece += 1) {
      body.push(QUARTER);
      seen.push(`${piece} ${asked.join()}`);
    }
    expect(seen).toEqual(['1 ', '2 ', '3 ', '4 pause', '5 pause']);
    body.end();
    const read: number[] = [];
    for await (const piece of body) if (asked.length === 1) read.push(piece.length);
    expect([read.length, asked, body.received]).toEqual([3, ['pause', 'resume'], 5 * QUARTER.length]);
  });

  it('that is not read to its end is cut off, unless all of it has come', async () => {
    for (const whole of [false, true]) {
      const { asked, body } = queue();
      body.push(QUARTER);
      if (whole) body.end();
      for await (const _ of body) break;
      expect(asked).toEqual(whole ? [] : ['abort']);
    }
  });

  it('ends in the first error, after what came before it', async () => {
    const { body } = queue();
    const error = new CliError('NET_SHORT', 'cut');
    body.push(QUARTER);
    body.fail(error);
    body.fail(new Error('a later one'));
    body.end();
    let pieces = 0;
    const reading = (async () => {
      for await (const _ of body) pieces += 1;
    })();
    await expect(reading).rejects.toBe(error);
    expect([pieces, body.ended]).toEqual([1, true]);
  });
});

it.each([
  [{}, 16_000, 61_000],
  [{ 'content-length': '8000' }, 16_000, 60_500],
  [{ 'content-length': '32000' }, 16_000, 61_000],
  [{ 'content-length': '8e3' }, 16_000, 61_000],
  [{ 'content-length': '0' }, 16_000, 60_000],
])('a body with the headers %j, of which %i bytes are accepted, may take %i ms', (headers, most, expected) => {
  expect(wholeTimeoutOf(most, headers)).toBe(expected);
});
