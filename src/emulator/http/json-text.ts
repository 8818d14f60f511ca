import { gsonText } from './answers.js';

/** How a text is rewritten: `gson` drops null members and escapes `<>&='`, as a platform 4.3.5 does. */
export type JsonStyle = 'plain' | 'gson';

/**
 * A JSON text without its blanks, numbers kept as they were written. Of members with one name the last wins.
 * `undefined` when it is none.
 */
export function compactJson(source: string, style: JsonStyle): string | undefined {
  try {
    JSON.parse(source);
  } catch {
    return undefined;
  }
  return new Compactor(source, style).value();
}

/** Walks over a text that is known to be JSON. */
class Compactor {
  readonly #style: JsonStyle;
  readonly #tokens: IterableIterator<RegExpExecArray>;
  #next: string;

  constructor(source: string, style: JsonStyle) {
    this.#style = style;
    this.#tokens = source.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/gsu);
    this.#next = this.#read();
  }

  value(): string {
    const token = this.#take();
    if (token === '{') return this.#object();
    if (token === '[') return this.#array();
    return token.startsWith('"') ? this.#rewritten(token) : token;
  }

  #object(): string {
    const members = new Map<string, string>();
    while (this.#next !== '}') {
      const name = this.#rewritten(this.#take());
      this.#take();
      members.set(name, this.value());
      if (this.#next === ',') this.#take();
    }
    this.#take();
    if (this.#style === 'gson') for (const [name, value] of members) if (value === 'null') members.delete(name);
    return `{${[...members].map(([name, value]) => `${name}:${value}`).join(',')}}`;
  }

  #array(): string {
    const items: string[] = [];
    while (this.#next !== ']') {
      items.push(this.value());
      if (this.#next === ',') this.#take();
    }
    this.#take();
    return `[${items.join(',')}]`;
  }

  #rewritten(quoted: string): string {
    const text: unknown = JSON.parse(quoted);
    return this.#style === 'gson' ? gsonText(text) : JSON.stringify(text);
  }

  #take(): string {
    const token = this.#next;
    this.#next = this.#read();
    return token;
  }

  #read(): string {
    const next = this.#tokens.next();
    return next.done === true ? '' : next.value[0];
  }
}
