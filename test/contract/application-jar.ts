import { ConstantPool, u1, u2, u4 } from '../../src/emulator/jar/constant-pool.js';
import { makeJar } from '../../src/emulator/jar/make-jar.js';

type Code = (pool: ConstantPool) => readonly Buffer[];

interface Content {
  readonly name: string;
  readonly superName: string;
  /** The one method besides the constructor. */
  readonly method: string;
  readonly code: Code;
}

const STACK_AND_LOCALS = Buffer.concat([u2(4), u2(2)]);
const ALOAD_0 = u1(0x2a);
const RETURN = u1(0xb1);

function classFile({ name, superName, method, code }: Content): Buffer {
  const pool = new ConstantPool();
  const methodOf = (called: string, instructions: readonly Buffer[]): Buffer => {
    const bytes = Buffer.concat([...instructions, RETURN]);
    const body = Buffer.concat([STACK_AND_LOCALS, u4(bytes.length), bytes, u2(0), u2(0)]);
    const head = [u2(0x0001), u2(pool.utf8(called)), u2(pool.utf8('()V')), u2(1), u2(pool.utf8('Code'))];
    return Buffer.concat([...head, u4(body.length), body]);
  };
  const create = [ALOAD_0, u1(0xb7), u2(pool.method(superName, '<init>', '()V'))];
  const methods = [methodOf('<init>', create), methodOf(method, code(pool))];
  const [own, parent] = [u2(pool.classRef(name)), u2(pool.classRef(superName))];
  const rest = [u2(0x0021), own, parent, u2(0), u2(0), u2(methods.length), ...methods, u2(0)];
  return Buffer.concat([u4(0xcafebabe), u2(0), u2(52), pool.bytes(), ...rest]);
}

/** `this.<add>(new <created>())` */
function adding(owner: string, add: string, type: string, created: string): Code {
  return (pool) => [
    ALOAD_0,
    u1(0xbb),
    u2(pool.classRef(created)),
    u1(0x59),
    u1(0xb7),
    u2(pool.method(created, '<init>', '()V')),
    u1(0xb6),
    u2(pool.method(owner, add, `(L${type};)V`)),
  ];
}

/** What a JAR with an application may do without. */
export interface ApplicationJar {
  /** The attribute `Main-Class`; `undefined` leaves it out. */
  readonly mainClass?: string | undefined;
  /** Package of the platform's classes: `io/cdap/cdap`, or `co/cask/cdap` up to 5.x. */
  readonly api?: string;
}

/** The JAR of the application `Shop`, which has one workflow, `Nightly`, of one action that does nothing; its classes run on a real platform. */
export function applicationJar({ api = 'io/cdap/cdap', ...rest }: ApplicationJar = {}): Buffer {
  const mainClass = 'mainClass' in rest ? rest.mainClass : 'example.Shop';
  const workflow = `${api}/api/workflow/AbstractWorkflow`;
  const action = `${api}/api/customaction/CustomAction`;
  const classes: Content[] = [
    {
      name: 'example/Shop',
      superName: `${api}/api/app/AbstractApplication`,
      method: 'configure',
      code: adding('example/Shop', 'addWorkflow', `${api}/api/workflow/Workflow`, 'example/Nightly'),
    },
    {
      name: 'example/Nightly',
      superName: workflow,
      method: 'configure',
      code: adding('example/Nightly', 'addAction', action, 'example/Nothing'),
    },
    {
      name: 'example/Nothing',
      superName: `${api}/api/customaction/AbstractCustomAction`,
      method: 'run',
      code: () => [],
    },
  ];
  return makeJar({
    manifest: { 'Bundle-Version': '1.0.0', ...(mainClass === undefined ? {} : { 'Main-Class': mainClass }) },
    entries: classes.map((content) => ({ name: `${content.name}.class`, bytes: classFile(content) })),
  });
}
