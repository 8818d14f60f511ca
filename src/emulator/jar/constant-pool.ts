/** One unsigned byte. */
export function u1(value: number): Buffer {
  return Buffer.from([value]);
}

/** Two bytes, most significant first, as class files have them. */
export function u2(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

/** Four bytes, most significant first. */
export function u4(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

const UTF8 = 1;
const CLASS = 7;
const METHOD = 10;
const INTERFACE_METHOD = 11;
const NAME_AND_TYPE = 12;

/** The constant pool of a class file: every constant once, numbered from 1 in the order of first use. */
export class ConstantPool {
  readonly #indexes = new Map<string, number>();
  readonly #constants: Buffer[] = [];

  /** A text. Only characters that Java's modified UTF-8 writes like UTF-8 (no NUL, nothing beyond U+FFFF). */
  utf8(text: string): number {
    const bytes = Buffer.from(text, 'utf8');
    return this.#add(Buffer.concat([u1(UTF8), u2(bytes.length), bytes]));
  }

  /** A class by its name with slashes. */
  classRef(name: string): number {
    return this.#add(Buffer.concat([u1(CLASS), u2(this.utf8(name))]));
  }

  /** A method of a class. */
  method(owner: string, name: string, descriptor: string): number {
    return this.#member(METHOD, owner, name, descriptor);
  }

  /** A method of an interface. */
  interfaceMethod(owner: string, name: string, descriptor: string): number {
    return this.#member(INTERFACE_METHOD, owner, name, descriptor);
  }

  /** The pool as it stands in the class file: its count plus one, then the constants. */
  bytes(): Buffer {
    return Buffer.concat([u2(this.#constants.length + 1), ...this.#constants]);
  }

  #member(tag: number, owner: string, name: string, descriptor: string): number {
    const nameAndType = this.#add(Buffer.concat([u1(NAME_AND_TYPE), u2(this.utf8(name)), u2(this.utf8(descriptor))]));
    return this.#add(Buffer.concat([u1(tag), u2(this.classRef(owner)), u2(nameAndType)]));
  }

  #add(constant: Buffer): number {
    const key = constant.toString('latin1');
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    this.#constants.push(constant);
    this.#indexes.set(key, this.#constants.length);
    return this.#constants.length;
  }
}
