import { Refusal } from '../../http/answers.js';
import type { EmulatorAnswer } from '../../http/exchange.js';

/** How the service begins what it says of a body that is no request. */
export const INVALID = 'Request body is invalid json: ';

/** An answer of the report service in text. */
export function reportText(status: number, body: EmulatorAnswer['body']): EmulatorAnswer {
  return { status, headers: { 'content-type': 'text/plain; charset=UTF-8' }, body };
}

/** Ends a route of the report service with an error. */
export function deny(status: number, sentence: string): never {
  throw new Refusal(reportText(status, sentence));
}

/** Ends a route with the 500 of what the service did not foresee. */
export function stumble(sentence: string): never {
  deny(500, `Exception occurred while handling request: ${sentence}`);
}
