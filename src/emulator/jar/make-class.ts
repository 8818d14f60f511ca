import { ConstantPool, u1, u2, u4 } from './constant-pool.js';

/** A plugin class of ours, as its annotations describe it. */
export interface PluginClass {
  /** Full name with dots. */
  readonly className: string;
  /** Plugin type, for example `transform`. */
  readonly type: string;
  readonly name: string;
  readonly description: string;
  /** Package of the annotations. Another one than the platform's makes a plugin that the platform does not find. */
  readonly apiPackage?: string;
  /**
   * Makes a transform that hands every record on, so that a pipeline can run with it. Needs a parent artifact to be
   * loaded.
   */
  readonly passThrough?: boolean;
}

interface ClassContent {
  readonly pool: ConstantPool;
  readonly className: string;
  readonly superName: string;
  readonly methods: readonly Buffer[];
  readonly attributes: readonly Buffer[];
}

const API_PACKAGE = 'io.cdap.cdap.api.annotation';
const OBJECT = 'java/lang/Object';
const TRANSFORM = 'io/cdap/cdap/etl/api/Transform';
const EMITTER = 'io/cdap/cdap/etl/api/Emitter';
const JAVA_8 = 52;
const PUBLIC = 0x0001;
const PUBLIC_SUPER = 0x0021;

const slashed = (name: string): string => name.replaceAll('.', '/');

function attribute(pool: ConstantPool, name: string, body: Buffer): Buffer {
  return Buffer.concat([u2(pool.utf8(name)), u4(body.length), body]);
}

interface MethodContent {
  readonly name: string;
  readonly descriptor: string;
  readonly stack: number;
  readonly locals: number;
  readonly code: Buffer;
}

function method(pool: ConstantPool, { name, descriptor, stack, locals, code }: MethodContent): Buffer {
  const body = Buffer.concat([u2(stack), u2(locals), u4(code.length), code, u2(0), u2(0)]);
  return Buffer.concat([
    u2(PUBLIC),
    u2(pool.utf8(name)),
    u2(pool.utf8(descriptor)),
    u2(1),
    attribute(pool, 'Code', body),
  ]);
}

function constructorOf(pool: ConstantPool, superName: string): Buffer {
  // aload_0; invokespecial super.<init>; return
  const code = Buffer.concat([u1(0x2a), u1(0xb7), u2(pool.method(superName, '<init>', '()V')), u1(0xb1)]);
  return method(pool, { name: '<init>', descriptor: '()V', stack: 1, locals: 1, code });
}

function passOn(pool: ConstantPool): Buffer {
  // aload_2; aload_1; invokeinterface Emitter.emit (2 slots); return
  const emit = u2(pool.interfaceMethod(EMITTER, 'emit', '(Ljava/lang/Object;)V'));
  const code = Buffer.concat([u1(0x2c), u1(0x2b), u1(0xb9), emit, u1(2), u1(0), u1(0xb1)]);
  return method(pool, {
    name: 'transform',
    descriptor: `(Ljava/lang/Object;L${EMITTER};)V`,
    stack: 2,
    locals: 3,
    code,
  });
}

function annotation(pool: ConstantPool, type: string, element: string, value: string): Buffer {
  return Buffer.concat([
    u2(pool.utf8(`L${slashed(type)};`)),
    u2(1),
    u2(pool.utf8(element)),
    u1('s'.charCodeAt(0)),
    u2(pool.utf8(value)),
  ]);
}

function classFile({ pool, className, superName, methods, attributes }: ClassContent): Buffer {
  const self = u2(pool.classRef(slashed(className)));
  const parent = u2(pool.classRef(superName));
  const body = [
    u2(PUBLIC_SUPER),
    self,
    parent,
    u2(0),
    u2(0),
    u2(methods.length),
    ...methods,
    u2(attributes.length),
    ...attributes,
  ];
  return Buffer.concat([u4(0xcafebabe), u2(0), u2(JAVA_8), pool.bytes(), ...body]);
}

/** Makes a Java 8 class file with a public constructor and the annotations that mark a plugin. */
export function makePluginClass(plugin: PluginClass): Buffer {
  const pool = new ConstantPool();
  const api = plugin.apiPackage ?? API_PACKAGE;
  const passThrough = plugin.passThrough === true;
  const superName = passThrough ? TRANSFORM : OBJECT;
  const annotations = [
    annotation(pool, `${api}.Plugin`, 'type', plugin.type),
    annotation(pool, `${api}.Name`, 'value', plugin.name),
    annotation(pool, `${api}.Description`, 'value', plugin.description),
  ];
  const visible = Buffer.concat([u2(annotations.length), ...annotations]);
  return classFile({
    pool,
    className: plugin.className,
    superName,
    methods: [constructorOf(pool, superName), ...(passThrough ? [passOn(pool)] : [])],
    attributes: [attribute(pool, 'RuntimeVisibleAnnotations', visible)],
  });
}

/** Makes a plain Java 8 class file with a public constructor, so that a driver is found in its JAR. */
export function makeDriverClass(className: string): Buffer {
  const pool = new ConstantPool();
  return classFile({ pool, className, superName: OBJECT, methods: [constructorOf(pool, OBJECT)], attributes: [] });
}
