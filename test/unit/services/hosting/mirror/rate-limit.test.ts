import { expect, it } from 'vitest';
import type { HubFile, HubSource } from '../../../../../src/hub/source.js';
import { slowed } from '../../../../../src/services/hosting/mirror/rate-limit.js';

it('gives all files together so many bytes a second, and does not save up pauses', async () => {
  const never = new AbortController().signal;
  let [now, slept] = [0, 0];
  const clock = {
    monotonic: () => now,
    sleep: async (time: number) => {
      slept += time;
      now += time;
    },
  };
  const file = (): HubFile => ({
    what: 'a file',
    body: (async function* () {
      yield Buffer.alloc(500);
      yield Buffer.alloc(1500);
    })(),
    discard: async () => undefined,
  });
  const open: HubSource['open'] = async ({ file: name }) => (name === 'none' ? undefined : file());
  const source = slowed({ open }, 1000, clock);
  const read = async (name: string): Promise<number> => {
    let bytes = 0;
    for await (const piece of (await source.open({ file: name }, { maxBytes: 9999 }, never))?.body ?? [])
      bytes += piece.length;
    return bytes;
  };
  expect([await read('one'), slept]).toEqual([2000, 2000]);
  now += 60_000;
  expect([await read('two'), slept]).toEqual([2000, 4000]);
  expect(await read('none')).toBe(0);
});
