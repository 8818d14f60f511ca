import { CliError } from '../core/errors.js';
import type { WireAnswer } from './exchange.js';

const RANGE = /^bytes ([0-9]{1,15})-([0-9]{1,15})\/([0-9]{1,15}|\*)$/u;
const BROKEN = ['NET_RESET', 'NET_SHORT'];

/** Asks for the same address once more with these headers besides; `further` counts from 1. */
export type AskAgain = (
  headers: Readonly<Record<string, string>>,
  further: number,
  reason: string,
) => Promise<WireAnswer>;

/**
 * The bytes of an answer to a read. Where they break off, the rest is asked for while tries are left, if the server can
 * tell that it still has the same file (docs/faults.md N08). Otherwise the error stands.
 */
export async function* resumedBody(
  first: WireAnswer,
  triesLeft: number,
  askAgain: AskAgain,
): AsyncGenerator<Uint8Array, void, void> {
  const validator = validatorOf(first);
  const begin = validator === undefined ? undefined : startOf(first, first, validator);
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
      if (answer !== first && received !== (totalOf(answer) ?? received))
        throw new CliError('NET_SHORT', `the rest of the file is incomplete: it ended after ${received} bytes`);
      return;
    } catch (error) {
      const broken = error instanceof CliError && BROKEN.includes(error.code);
      if (!broken || further > triesLeft || validator === undefined || begin === undefined) throw error;
      answer = await askAgain({ range: `bytes=${received}-`, 'if-range': validator }, further, error.message);
      const starts = startOf(answer, first, validator);
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

/**
 * The place in the file where the bytes of an answer begin, which go on to its end. Undefined when it is not, or not
 * for sure, of the same file.
 */
function startOf(answer: WireAnswer, first: WireAnswer, validator: string): number | undefined {
  const same = (name: string): boolean => answer.headers[name] === first.headers[name];
  const kept = (name: string): boolean => answer.headers[name] === undefined || same(name);
  const [total, before] = [totalOf(answer), totalOf(first)];
  if (!same('content-encoding') || (total !== undefined && before !== undefined && total !== before)) return undefined;
  if (answer.status === 200) return validatorOf(answer) === validator ? 0 : undefined;
  if (answer.status !== 206 || !kept('etag') || !kept('last-modified')) return undefined;
  const [, start, end] = RANGE.exec(answer.headers['content-range'] ?? '') ?? [];
  return total === undefined || Number(end) !== total - 1 ? undefined : Number(start);
}

/** The size of the whole file in bytes, as it is sent. */
function totalOf({ status, headers }: WireAnswer): number | undefined {
  const text = status === 206 ? RANGE.exec(headers['content-range'] ?? '')?.[3] : headers['content-length'];
  return text !== undefined && /^[0-9]{1,15}$/u.test(text) ? Number(text) : undefined;
}
