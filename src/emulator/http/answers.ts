import type { EmulatorAnswer } from './exchange.js';

const TEXT = { 'content-type': 'text/plain; charset=utf-8' };
const JSON_TYPE = { 'content-type': 'application/json' };

/** Text as the platform writes it, errors included. */
export function text(status: number, body: string): EmulatorAnswer {
  return { status, headers: TEXT, body };
}

/** JSON as the platform writes it: `<`, `>`, `&`, `=` and apostrophes are escaped. See docs/platform.md 0.2. */
export function json(value: unknown): EmulatorAnswer {
  return { status: 200, headers: JSON_TYPE, body: gsonText(value) };
}

/** A success without a body (docs/platform.md 0.3), or one of the errors that have none. */
export function empty(status = 200): EmulatorAnswer {
  return { status, headers: {}, body: '' };
}

/** Application lists: JSON sent as a chunked octet stream. */
export function streamed(value: unknown): EmulatorAnswer {
  return {
    status: 200,
    headers: { 'content-type': 'application/octet-stream', 'transfer-encoding': 'chunked' },
    body: gsonText(value),
  };
}

/** An error of the HTTP layer: no content type, and the connection is closed. */
export function bare(status: number, body: string): EmulatorAnswer {
  return { status, headers: { connection: 'close' }, body };
}

/** A request that is refused: the routes throw it, the router answers with it. */
export class Refusal extends Error {
  readonly answer: EmulatorAnswer;
  constructor(answer: EmulatorAnswer) {
    super(`refused with ${answer.status}`);
    this.answer = answer;
  }
}

/** Ends a route with an error text. */
export function refuse(status: number, sentence: string): never {
  throw new Refusal(text(status, sentence));
}

/** Ends a route with 404 `'<what>' was not found.` */
export function notFound(what: string): never {
  refuse(404, `'${what}' was not found.`);
}

/** Serialises as the platform does, with its escapes inside strings. */
export function gsonText(value: unknown): string {
  return JSON.stringify(value).replace(/[<>&='\u2028\u2029]/gu, (character) => {
    return `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
  });
}
