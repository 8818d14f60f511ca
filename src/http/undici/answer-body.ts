import { Readable } from 'node:stream';
import { CliError } from '../../core/errors.js';
import { withoutSecrets, type Hide } from '../../core/secrets/hide-error.js';
import type { WireAnswer } from '../exchange.js';
import { codeOf } from '../connect-errors.js';
import { detailsOf, type Stage } from '../exchange-errors.js';
import { wordsOf } from '../../core/secrets/words.js';

/**
 * Decodes the body of an answer from `bytes`. No text of an error has a secret.
 * @throws TOO_LARGE when it is longer than `maxBytes`
 * @throws BAD_ENCODING when it is neither plain nor gzip once (docs/faults.md N27, N28)
 */
export async function* answerBody(
  answer: WireAnswer,
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
  stage: Stage,
  hide?: Hide,
): AsyncGenerator<Uint8Array, void, void> {
  const encoding = (answer.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const announced = Number(answer.headers['content-length'] ?? 0);
  try {
    if (!/^(?:|identity|gzip|x-gzip)$/u.test(encoding)) {
      throw new CliError(
        'BAD_ENCODING',
        `unsupported encoding of ${stage.facts.url}: ${JSON.stringify(wordsOf(encoding, 80, hide))}`,
        detailsOf(stage),
      );
    }
    if (answer.status < 300 && announced > maxBytes) throw tooLarge(maxBytes, stage);
    const pieces = encoding.endsWith('gzip') ? gunzip(bytes, stage) : bytes;
    let total = 0;
    for await (const piece of pieces) {
      total += piece.length;
      if (total > maxBytes) {
        const rest = piece.length - (total - maxBytes);
        if (rest > 0) yield piece.subarray(0, rest);
        throw tooLarge(maxBytes, stage);
      }
      yield piece;
    }
  } catch (error) {
    throw withoutSecrets(error, hide);
  } finally {
    answer.body.cancel();
  }
}

function tooLarge(maxBytes: number, stage: Stage): CliError {
  return new CliError(
    'TOO_LARGE',
    `the response of ${stage.facts.url} is larger than ${maxBytes} bytes`,
    detailsOf(stage),
  );
}

async function* gunzip(body: AsyncIterable<Uint8Array>, stage: Stage): AsyncGenerator<Uint8Array, void, void> {
  const { createGunzip } = await import('node:zlib');
  const source = Readable.from(body, { objectMode: false });
  const decoded = createGunzip();
  source.once('error', (error) => decoded.destroy(error));
  try {
    for await (const piece of source.pipe(decoded)) if (piece instanceof Uint8Array) yield piece;
  } catch (error) {
    if (!codeOf(error).startsWith('Z_')) throw error;
    const short = codeOf(error) === 'Z_BUF_ERROR';
    const message = `the gzip encoding of ${stage.facts.url} is ${short ? 'cut off' : 'damaged'}`;
    throw new CliError(short ? 'NET_SHORT' : 'BAD_ENCODING', message, detailsOf(stage, error));
  } finally {
    source.destroy();
    decoded.destroy();
  }
}
