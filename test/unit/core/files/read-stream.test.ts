import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../../../src/core/errors.js';
import { readStream } from '../../../../src/core/files/read-stream.js';

const { signal } = new AbortController();
const MOST = 1024 * 1024;
const wrong = (why: string): CliError => new CliError('USAGE', why);

describe('what is piped in', () => {
  it('is read whole', async () => {
    const whole = Buffer.from('{"a":"\u00e4"}');
    const pieces = Readable.from([whole.subarray(0, 7), whole.subarray(7)]);
    expect(await readStream(pieces, MOST, wrong, signal)).toEqual(whole);
  });

  it('is refused when it is larger than a file may be', async () => {
    let given = 0;
    const endless = Readable.from(
      (function* () {
        for (; given < 64; given += 1) yield Buffer.alloc(256 * 1024, ' ');
      })(),
    );
    await expect(readStream(endless, MOST, wrong, signal)).rejects.toMatchObject({
      code: 'USAGE',
      message: 'is larger than 1048576 bytes',
    });
    expect(given).toBeLessThan(32);
  });

  it('is not waited for after Ctrl-C', async () => {
    const stop = new AbortController();
    const silent = new Readable({ read: () => undefined });
    const reading = readStream(silent, MOST, wrong, stop.signal);
    const stopped = new CliError('INTERRUPTED', 'stopped by Ctrl-C');
    stop.abort(stopped);
    await expect(reading).rejects.toBe(stopped);
  });
});
