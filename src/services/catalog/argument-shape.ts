/** The JSON type that the value of an argument must have. */
export type ValueType = 'text' | 'texts' | 'artifact';

/** One argument that an action type knows. */
export interface ArgumentShape {
  readonly name: string;
  readonly type: ValueType;
  readonly required: boolean;
  /** The value names a file of the package, or a list of them. */
  readonly resource: boolean;
}

/** What is known of an action type (`specification.md` 2.4, completed by `hub.md` 3). */
export interface ActionShape {
  readonly arguments: readonly ArgumentShape[];
  /** What the user is asked for when the package does not bring it: a JAR, the name of a pipeline or of the target of data. */
  readonly asks: readonly string[];
}

/** Declares an argument: an optional text that names no file, unless told otherwise. */
export function argument(name: string, options: Partial<ArgumentShape> = {}): ArgumentShape {
  return { name, type: 'text', required: false, resource: false, ...options };
}

/** Arguments that every upload of an artifact has; the user may bring the JAR (`hub.md` 8, JAR source). */
export const ARTIFACT_ARGUMENTS: readonly ArgumentShape[] = [
  argument('name', { required: true }),
  argument('version'),
  argument('scope'),
  argument('config', { resource: true }),
];

/** Arguments of a pipeline and of a draft of one. */
export const PIPELINE_ARGUMENTS: readonly ArgumentShape[] = [
  argument('artifact', { type: 'artifact', required: true }),
  argument('name', { required: true }),
  argument('config', { required: true, resource: true }),
];

/** Where the JAR of an action comes from: it has none, the user is asked when the package lacks it, or the package must have it. */
export function jarRole(shape: ActionShape): 'none' | 'asked' | 'packaged' {
  if (!shape.arguments.some(({ name }) => name === 'jar')) return 'none';
  return shape.asks.includes('jar') ? 'asked' : 'packaged';
}
