import { CliError } from '../core/errors.js';
import type { WireAnswer } from './exchange.js';

const BROKEN = ['NET_RESET', 'NET_SHORT'];

/** Asks for the same address once more with these headers besides; `further` counts from 1. */
export type AskAgain = (
  headers: Readonly<Record<string, string>>,
  further: number,
  reason: string,
) => Promise<WireAnswer>;

/** The bytes of an answer to a read; where they break off, the rest is asked for while tries are left, if the server can tell that it still has the same file (N08). Otherwise the error stands. */
export async function* resumedBody(
  first: WireAnswer,
  triesLeft: number,
  askAgain: AskAgain,
): AsyncGenerator<Uint8Array, void, void> {
  const validator = validatorOf(first);
  const begin = validator === undefined ? undefined : startOf(first, validator);
  let answer = first;
  let received = begin ?? 0;
  let skip = 0;
  for (let further = 1; ; further++) {
    try {
      for await (const piece of answer.body) {
        const wanted = piece.subarray(Math.min(skip, piece.length));
        skip -= piece.length - wanted.length;
        received += wanted.length;
        if (wanted.length > 0) yield wanted;
      }
      return;
    } catch (error) {
      const broken = error instanceof CliError && BROKEN.includes(error.code);
      if (!broken || further > triesLeft || validator === undefined || begin === undefined) throw error;
      answer = await askAgain({ range: `bytes=${received}-`, 'if-range': validator }, further, error.message);
      const starts = startOf(answer, validator);
      if (starts === undefined || starts > received) {
        answer.body.cancel();
        throw error;
      }
      skip = received - starts;
    }
  }
}

/** What shows that a file is still the same one: a strong tag, or else the time of its last change. */
function validatorOf({ status, headers }: WireAnswer): string | undefined {
  if (status !== 200 && status !== 206) return undefined;
  const { etag } = headers;
  return etag?.startsWith('"') === true ? etag : headers['last-modified'];
}

/** The place in the file where the bytes of an answer begin; undefined when it is not of the same file. */
function startOf(answer: WireAnswer, validator: string): number | undefined {
  if (answer.status === 200) return validatorOf(answer) === validator ? 0 : undefined;
  const start = /^bytes ([0-9]{1,15})-/u.exec(answer.headers['content-range'] ?? '')?.[1];
  return answer.status === 206 && start !== undefined ? Number(start) : undefined;
}
