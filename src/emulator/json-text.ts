/** A JSON text without its blanks, numbers kept as they were written; of members with one name the last wins. `undefined` when it is none. */
export function compactJson(source: string): string | undefined {
  try {
    JSON.parse(source);
  } catch {
    return undefined;
  }
  return new Compactor(source).value();
}

/** Walks over a text that is known to be JSON. */
class Compactor {
  readonly #tokens: IterableIterator<RegExpExecArray>;
  #next: string;

  constructor(source: string) {
    this.#tokens = source.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{},:]|[^\s[\]{},:"]+/gsu);
    this.#next = this.#read();
  }

  value(): string {
    const token = this.#take();
    if (token === '{') return this.#object();
    if (token === '[') return this.#array();
    return token.startsWith('"') ? rewritten(token) : token;
  }

  #object(): string {
    const members = new Map<string, string>();
    while (this.#next !== '}') {
      const name = rewritten(this.#take());
      this.#take();
      members.set(name, this.value());
      if (this.#next === ',') this.#take();
    }
    this.#take();
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

function rewritten(quoted: string): string {
  const text: unknown = JSON.parse(quoted);
  return JSON.stringify(text);
}
