const MAGIC = 0xcafebabe;
/** Annotations may hold annotations and lists; no real one is nested as deep. */
const DEEPEST = 32;
/** Annotations and values in them, of one class. */
const MOST_VALUES = 10_000;
/** Bytes of constants behind their tag, but for text. Those of 8 bytes count as two constants. */
const CONSTANTS: ReadonlyMap<number, number> = new Map([
  ...[7, 8, 16, 19, 20].map((tag) => [tag, 2] as const),
  [15, 3],
  ...[3, 4, 9, 10, 11, 12, 17, 18].map((tag) => [tag, 4] as const),
  [5, 8],
  [6, 8],
]);

/** What a class file says of its class; names have slashes. */
export interface ClassFile {
  readonly superName: string;
  readonly interfaces: readonly string[];
  /** Annotations by descriptor (`Lorg/example/Name;`), with their members that are text. */
  readonly annotations: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** The types that it extends, with their type arguments; empty when there are none. */
  readonly signature: string;
}

/** Reads a class file (Java virtual machine specification, chapter 4); undefined for other bytes. */
export function readClassFile(bytes: Buffer): ClassFile | undefined {
  try {
    return new ClassReader(bytes).read();
  } catch (error) {
    // What is counted in the file reaches beyond its end.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

class ClassReader {
  readonly #bytes: Buffer;
  readonly #constants = new Map<number, Buffer>();
  readonly #texts = new Map<number, string>();
  readonly #classes = new Map<number, number>();
  #at = 0;
  #values = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  read(): ClassFile | undefined {
    if (this.#u4() !== MAGIC) return undefined;
    this.#skip(4);
    this.#readPool();
    this.#skip(4);
    const superName = this.#className(this.#u2());
    const interfaces = Array.from({ length: this.#u2() }, () => this.#className(this.#u2()));
    this.#skipMembers();
    this.#skipMembers();
    return { superName, interfaces, ...this.#attributes() };
  }

  #readPool(): void {
    const count = this.#u2();
    for (let index = 1; index < count; index += 1) {
      const tag = this.#u1();
      if (tag === 1) {
        const length = this.#u2();
        this.#constants.set(index, this.#bytes.subarray(this.#at, this.#at + length));
        this.#skip(length);
        continue;
      }
      const size = CONSTANTS.get(tag);
      if (size === undefined) throw new RangeError('unknown constant');
      if (tag === 7) this.#classes.set(index, this.#bytes.readUInt16BE(this.#at));
      if (size === 8) index += 1;
      this.#skip(size);
    }
  }

  /** Fields or methods. */
  #skipMembers(): void {
    for (let left = this.#u2(); left > 0; left -= 1) {
      this.#skip(6);
      for (let more = this.#u2(); more > 0; more -= 1) {
        this.#skip(2);
        this.#skip(this.#u4());
      }
    }
  }

  #attributes(): Pick<ClassFile, 'annotations' | 'signature'> {
    let signature = '';
    const annotations = new Map<string, ReadonlyMap<string, string>>();
    for (let left = this.#u2(); left > 0; left -= 1) {
      const name = this.#text(this.#u2());
      const length = this.#u4();
      const end = this.#at + length;
      if (name === 'RuntimeVisibleAnnotations')
        for (let more = this.#u2(); more > 0; more -= 1) annotations.set(...this.#annotation(0));
      if (name === 'Signature') signature = this.#text(this.#u2());
      this.#at = end;
    }
    return { annotations, signature };
  }

  #annotation(depth: number): [descriptor: string, members: ReadonlyMap<string, string>] {
    this.#count();
    const descriptor = this.#text(this.#u2());
    const members = new Map<string, string>();
    for (let left = this.#u2(); left > 0; left -= 1) {
      const name = this.#text(this.#u2());
      const value = this.#value(depth);
      if (value !== undefined) members.set(name, value);
    }
    return [descriptor, members];
  }

  /** The text of a value; others are passed over. */
  #value(depth: number): string | undefined {
    this.#count();
    if (depth > DEEPEST) throw new RangeError('nested too deep');
    const tag = String.fromCharCode(this.#u1());
    if (tag === 's') return this.#text(this.#u2());
    if (tag === 'e') this.#skip(4);
    else if (tag === '@') this.#annotation(depth + 1);
    else if (tag === '[') for (let left = this.#u2(); left > 0; left -= 1) this.#value(depth + 1);
    else this.#skip(2);
    return undefined;
  }

  #className(index: number): string {
    return this.#text(this.#classes.get(index) ?? 0);
  }

  /** One constant may be named very often. */
  #text(index: number): string {
    const known = this.#texts.get(index);
    if (known !== undefined) return known;
    const text = modifiedUtf8(this.#constants.get(index) ?? Buffer.alloc(0));
    this.#texts.set(index, text);
    return text;
  }

  #count(): void {
    if (++this.#values > MOST_VALUES) throw new RangeError('too many values');
  }

  #skip(length: number): void {
    this.#at += length;
  }

  #u1(): number {
    return this.#bytes.readUInt8(this.#at++);
  }

  #u2(): number {
    this.#at += 2;
    return this.#bytes.readUInt16BE(this.#at - 2);
  }

  #u4(): number {
    this.#at += 4;
    return this.#bytes.readUInt32BE(this.#at - 4);
  }
}

/** UTF-8 with characters beyond U+FFFF as two halves of three bytes, and NUL as two bytes. */
function modifiedUtf8(bytes: Buffer): string {
  const text = bytes.toString('utf8');
  if (!text.includes('\ufffd')) return text;
  const units: number[] = [];
  for (let at = 0; at < bytes.length; at += 1) {
    const first = bytes[at] ?? 0;
    let unit = first;
    if (first >= 0xe0) unit = ((first & 0x0f) << 12) | (((bytes[++at] ?? 0) & 0x3f) << 6) | ((bytes[++at] ?? 0) & 0x3f);
    else if (first >= 0xc0) unit = ((first & 0x1f) << 6) | ((bytes[++at] ?? 0) & 0x3f);
    units.push(unit);
  }
  return units.map((unit) => String.fromCharCode(unit)).join('');
}
