/** The JSON type that the value of an argument must have. */
export type ValueType = 'text' | 'texts' | 'artifact';

/** One argument that an action type knows. */
export interface ArgumentShape {
  readonly name: string;
  readonly type: ValueType;
  readonly required: boolean;
  /** The value names a file of the package, or a list of them; a large one may not fit into memory. */
  readonly resource: 'none' | 'small' | 'large';
}

/** What is known of an action type (docs/hub-format.md 3), without what carries it out. */
export interface ActionShape {
  readonly arguments: readonly ArgumentShape[];
  /** What the user is asked for if the package lacks it: a JAR, or the name of a pipeline or data target. */
  readonly asks: readonly string[];
  /** What a platform must have, whatever is forced. */
  readonly needs?: 'streams';
  /** It shows text and sends nothing. */
  readonly textOnly?: true;
}

/** Declares an argument: an optional text that names no file, unless told otherwise. */
function argument(name: string, options: Partial<ArgumentShape> = {}): ArgumentShape {
  return { name, type: 'text', required: false, resource: 'none', ...options };
}

const NAME = argument('name', { required: true });
/** The user may bring it (docs/hub-format.md 8, JAR source). */
const JAR = argument('jar', { resource: 'large' });
const PACKAGED_JAR = argument('jar', { required: true, resource: 'large' });
const ARTIFACT = [NAME, argument('version'), argument('scope'), argument('config', { resource: 'small' })];
const PIPELINE = [
  argument('artifact', { type: 'artifact', required: true }),
  NAME,
  argument('config', { required: true, resource: 'small' }),
];

/** Every action type that this tool can carry out: its arguments, what is asked, what it needs. */
export const ACTION_TYPES = {
  informational: { arguments: [argument('steps', { type: 'texts' })], asks: [], textOnly: true },
  create_driver_artifact: { arguments: [...ARTIFACT, JAR], asks: ['jar'] },
  create_plugin_artifact: { arguments: [...ARTIFACT, JAR], asks: ['jar'] },
  one_step_deploy_plugin: { arguments: [...ARTIFACT, PACKAGED_JAR], asks: [] },
  deploy_app: { arguments: [JAR], asks: ['jar'] },
  one_step_deploy_app: { arguments: [PACKAGED_JAR], asks: [] },
  create_pipeline: { arguments: PIPELINE, asks: ['name'] },
  create_pipeline_draft: { arguments: PIPELINE, asks: ['name'] },
  create_stream: {
    arguments: [NAME, argument('description'), argument('properties', { resource: 'small' })],
    asks: [],
    needs: 'streams',
  },
  load_datapack: {
    arguments: [NAME, argument('files', { type: 'texts', required: true, resource: 'large' })],
    asks: ['name'],
    needs: 'streams',
  },
} as const satisfies Readonly<Record<string, ActionShape>>;

/** The name of an action type that this tool can carry out. */
export type ActionTypeName = keyof typeof ACTION_TYPES;

const SHAPES: ReadonlyMap<string, ActionShape> = new Map(Object.entries(ACTION_TYPES));

/** What is known of the action type of a name; undefined when this tool cannot carry it out. */
export const shapeOf = (type: string): ActionShape | undefined => SHAPES.get(type);

/**
 * Where the JAR of an action comes from. `none`: the action has no JAR; `asked`: the user is asked when the package
 * lacks it; `packaged`: the package must have it.
 */
export function jarRole(type: string): 'none' | 'asked' | 'packaged' {
  const shape = shapeOf(type);
  if (shape?.arguments.some(({ name }) => name === 'jar') !== true) return 'none';
  return shape.asks.includes('jar') ? 'asked' : 'packaged';
}
