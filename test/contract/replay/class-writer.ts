/** An annotation that the class file keeps: type as a descriptor, members as texts. */
export interface WrittenAnnotation {
  readonly type: string;
  readonly members?: Readonly<Record<string, string>>;
}

/** A class file to be written: names with slashes, no methods. */
export interface WrittenClass {
  readonly name: string;
  readonly superName?: string;
  readonly annotations?: readonly WrittenAnnotation[];
  readonly fields?: readonly { name: string; descriptor: string; annotations?: readonly WrittenAnnotation[] }[];
}

const u1 = (value: number): Buffer => Buffer.from([value]);
const u2 = (value: number): Buffer => Buffer.from([value >> 8, value & 255]);
const u4 = (value: number): Buffer => Buffer.concat([u2(value >>> 16), u2(value & 65535)]);

/** Writes a class file as the Java virtual machine specification describes it, as far as annotations of classes and fields go. */
export function writeClass({
  name,
  superName = 'java/lang/Object',
  annotations = [],
  fields = [],
}: WrittenClass): Buffer {
  const pool: Buffer[] = [];
  const add = (entry: Buffer): number => pool.push(entry);
  const text = (value: string): number => {
    const bytes = Buffer.from(value, 'utf8');
    return add(Buffer.concat([u1(1), u2(bytes.length), bytes]));
  };
  const classRef = (value: string): number => {
    const index = text(value);
    return add(Buffer.concat([u1(7), u2(index)]));
  };
  const annotation = ({ type, members = {} }: WrittenAnnotation): Buffer => {
    const pairs = Object.entries(members).map(([key, value]) =>
      Buffer.concat([u2(text(key)), u1('s'.charCodeAt(0)), u2(text(value))]),
    );
    return Buffer.concat([u2(text(type)), u2(pairs.length), ...pairs]);
  };
  const attributes = (list: readonly WrittenAnnotation[]): Buffer => {
    if (list.length === 0) return u2(0);
    const body = Buffer.concat([u2(list.length), ...list.map(annotation)]);
    return Buffer.concat([u2(1), u2(text('RuntimeVisibleAnnotations')), u4(body.length), body]);
  };
  const own = classRef(name);
  const parent = classRef(superName);
  const written = fields.map((field) => {
    const head = [u2(1), u2(text(field.name)), u2(text(field.descriptor))];
    return Buffer.concat([...head, attributes(field.annotations ?? [])]);
  });
  const tail = [u2(0x21), u2(own), u2(parent), u2(0), u2(fields.length), ...written, u2(0), attributes(annotations)];
  const body = Buffer.concat(tail);
  return Buffer.concat([u4(0xcafebabe), u2(0), u2(52), u2(pool.length + 1), ...pool, body]);
}
