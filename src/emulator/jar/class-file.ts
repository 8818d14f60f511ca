const MAGIC = 0xcafebabe;

/** An annotation that is kept at run time: its type as a descriptor, and its text members. */
export interface Annotation {
  readonly type: string;
  readonly members: Readonly<Record<string, string>>;
}

/** A field of a class with its annotations. */
export interface ClassField {
  readonly name: string;
  readonly descriptor: string;
  readonly annotations: readonly Annotation[];
}

/** What the inspection of an artifact reads from a class file; names have slashes. */
export interface ClassFile {
  readonly name: string;
  readonly superName: string;
  readonly annotations: readonly Annotation[];
  readonly fields: readonly ClassField[];
}

/** Reads a class file; `undefined` when the bytes are none. */
export function readClassFile(bytes: Buffer): ClassFile | undefined {
  try {
    return new ClassReader(bytes).read();
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** A cursor over a class file (Java virtual machine specification, chapter 4). */
class ClassReader {
  readonly #bytes: Buffer;
  readonly #texts = new Map<number, string>();
  readonly #classes = new Map<number, number>();
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  read(): ClassFile | undefined {
    if (this.#u4() !== MAGIC) return undefined;
    this.#skip(4);
    this.#readPool();
    this.#skip(2);
    const name = this.#className(this.#u2());
    const superName = this.#className(this.#u2());
    this.#skip(2 * this.#u2());
    const fields = this.#readMembers();
    this.#readMembers();
    return { name, superName, fields, annotations: this.#readAttributes() };
  }

  #readPool(): void {
    const count = this.#u2();
    for (let index = 1; index < count; index += 1) {
      const tag = this.#u1();
      if (tag === 1) {
        const length = this.#u2();
        this.#texts.set(index, this.#bytes.toString('utf8', this.#at, this.#at + length));
        this.#skip(length);
      } else if (tag === 7) {
        this.#classes.set(index, this.#u2());
      } else if (tag === 5 || tag === 6) {
        this.#skip(8);
        index += 1;
      } else if (tag === 15) {
        this.#skip(3);
      } else {
        this.#skip([8, 16, 19, 20].includes(tag) ? 2 : 4);
      }
    }
  }

  #readMembers(): ClassField[] {
    const members: ClassField[] = [];
    for (let left = this.#u2(); left > 0; left -= 1) {
      this.#skip(2);
      const name = this.#text(this.#u2());
      const descriptor = this.#text(this.#u2());
      members.push({ name, descriptor, annotations: this.#readAttributes() });
    }
    return members;
  }

  #readAttributes(): Annotation[] {
    const annotations: Annotation[] = [];
    for (let left = this.#u2(); left > 0; left -= 1) {
      const name = this.#text(this.#u2());
      const length = this.#u4();
      const end = this.#at + length;
      if (name === 'RuntimeVisibleAnnotations') {
        for (let more = this.#u2(); more > 0; more -= 1) annotations.push(this.#readAnnotation());
      }
      this.#at = end;
    }
    return annotations;
  }

  #readAnnotation(): Annotation {
    const type = this.#text(this.#u2());
    const members: Record<string, string> = {};
    for (let left = this.#u2(); left > 0; left -= 1) {
      const name = this.#text(this.#u2());
      const value = this.#readValue();
      if (value !== undefined) members[name] = value;
    }
    return { type, members };
  }

  #readValue(): string | undefined {
    const tag = String.fromCharCode(this.#u1());
    if (tag === 's') return this.#text(this.#u2());
    if (tag === 'e') this.#skip(4);
    else if (tag === '@') this.#readAnnotation();
    else if (tag === '[') for (let left = this.#u2(); left > 0; left -= 1) this.#readValue();
    else this.#skip(2);
    return undefined;
  }

  #className(index: number): string {
    return this.#text(this.#classes.get(index) ?? 0);
  }

  #text(index: number): string {
    return this.#texts.get(index) ?? '';
  }

  #skip(length: number): void {
    this.#at += length;
  }

  #u1(): number {
    const value = this.#bytes.readUInt8(this.#at);
    this.#at += 1;
    return value;
  }

  #u2(): number {
    const value = this.#bytes.readUInt16BE(this.#at);
    this.#at += 2;
    return value;
  }

  #u4(): number {
    const value = this.#bytes.readUInt32BE(this.#at);
    this.#at += 4;
    return value;
  }
}
