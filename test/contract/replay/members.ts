/** The members of a JSON text as `path: type`; `complete` is false when the text breaks off, and then the last member is left out. */
export interface Members {
  readonly paths: ReadonlySet<string>;
  readonly complete: boolean;
}

class BrokenOff extends Error {}

const ESCAPES = /\\(?:u[0-9a-f]{4}|.)/giu;

/**
 * Reads the members of a JSON text that may break off anywhere. Items of arrays share the path `[]`; the keys of `properties` are free
 * (`*`), since they are names that somebody chose.
 */
export function membersOf(text: string): Members {
  const paths = new Set<string>();
  const reader = new Reader(text, paths);
  try {
    reader.value('');
    return { paths, complete: true };
  } catch (error) {
    if (error instanceof BrokenOff) return { paths, complete: false };
    throw error;
  }
}

class Reader {
  readonly #text: string;
  readonly #paths: Set<string>;
  #at = 0;

  constructor(text: string, paths: Set<string>) {
    this.#text = text;
    this.#paths = paths;
  }

  value(path: string): void {
    const start = this.#peek();
    if (start === '{') this.#object(path);
    else if (start === '[') this.#array(path);
    else if (start === '"') {
      this.#string();
      this.#found(path, 'string');
    } else this.#literal(path);
  }

  #object(path: string): void {
    this.#found(path, 'object');
    this.#at += 1;
    while (this.#peek() !== '}') {
      if (this.#peek() === ',') this.#at += 1;
      this.#peek();
      const key = this.#string();
      if (this.#peek() === ':') this.#at += 1;
      this.value(`${path}.${path.endsWith('.properties') ? '*' : key}`);
    }
    this.#at += 1;
  }

  #array(path: string): void {
    this.#found(path, 'array');
    this.#at += 1;
    while (this.#peek() !== ']') {
      if (this.#peek() === ',') this.#at += 1;
      this.value(`${path}[]`);
    }
    this.#at += 1;
  }

  #string(): string {
    const match = /"((?:[^"\\]|\\.)*)"/suy;
    match.lastIndex = this.#at;
    const found = match.exec(this.#text);
    if (found === null) throw new BrokenOff();
    this.#at = match.lastIndex;
    return (found[1] ?? '').replace(ESCAPES, (escape) => JSON.parse(`"${escape}"`) as string);
  }

  #literal(path: string): void {
    const match = /[-+.\w]+/uy;
    match.lastIndex = this.#at;
    const found = match.exec(this.#text)?.[0];
    if (found === undefined)
      throw new SyntaxError(`no JSON at ${this.#at}: ${this.#text.slice(this.#at, this.#at + 20)}`);
    this.#at = match.lastIndex;
    if (this.#at >= this.#text.length && path !== '') throw new BrokenOff();
    this.#found(path, found === 'true' || found === 'false' ? 'boolean' : found === 'null' ? 'null' : 'number');
  }

  #found(path: string, type: string): void {
    this.#paths.add(`${path === '' ? '$' : path}: ${type}`);
  }

  #peek(): string {
    while (/\s/u.test(this.#text[this.#at] ?? '')) this.#at += 1;
    const character = this.#text[this.#at];
    if (character === undefined) throw new BrokenOff();
    return character;
  }
}
