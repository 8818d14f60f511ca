import type { Action, Argument } from '../../hub/specification.js';

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

const shape = (name: string, options: Partial<ArgumentShape> = {}): ArgumentShape => ({
  name,
  type: 'text',
  required: false,
  resource: false,
  ...options,
});
const required = { required: true } as const;
const resource = { resource: true } as const;

const ARTIFACT = [shape('name', required), shape('version'), shape('scope'), shape('config', resource)];
const PIPELINE: ActionShape = {
  arguments: [
    shape('artifact', { type: 'artifact', required: true }),
    shape('name', required),
    shape('config', { ...required, ...resource }),
  ],
  asks: ['name'],
};

/** The ten action types. The JAR of the types that upload is not required of the package: the user may bring it (`hub.md` 8, JAR source). */
export const ACTION_SHAPES: ReadonlyMap<string, ActionShape> = new Map<string, ActionShape>([
  ['informational', { arguments: [shape('steps', { type: 'texts', required: true })], asks: [] }],
  ['create_driver_artifact', { arguments: [...ARTIFACT, shape('jar', resource)], asks: ['jar'] }],
  ['create_plugin_artifact', { arguments: [...ARTIFACT, shape('jar', resource)], asks: ['jar'] }],
  ['one_step_deploy_plugin', { arguments: [...ARTIFACT, shape('jar', { ...required, ...resource })], asks: [] }],
  [
    'create_stream',
    { arguments: [shape('name', required), shape('description'), shape('properties', resource)], asks: [] },
  ],
  [
    'load_datapack',
    {
      arguments: [shape('name', required), shape('files', { type: 'texts', ...required, ...resource })],
      asks: ['name'],
    },
  ],
  ['deploy_app', { arguments: [shape('jar', resource)], asks: ['jar'] }],
  ['one_step_deploy_app', { arguments: [shape('jar', { ...required, ...resource })], asks: [] }],
  ['create_pipeline', PIPELINE],
  ['create_pipeline_draft', PIPELINE],
]);

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string');

function fits(value: unknown, type: ValueType): boolean {
  if (type === 'text') return typeof value === 'string';
  if (type === 'texts') return isTexts(value);
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  return isTexts(value) ? value : [];
}

function shapesOf(action: Action): readonly ArgumentShape[] {
  return ACTION_SHAPES.get(action.type)?.arguments ?? [];
}

const absent = (argument: Argument | undefined): boolean => argument?.value === undefined || argument.value === null;

/** The names of the arguments that an action must have and has not. */
export function missingArguments(action: Action): readonly string[] {
  const given = new Map(action.arguments.map((argument) => [argument.name, argument]));
  return shapesOf(action).flatMap(({ name, required: must }) => (must && absent(given.get(name)) ? [name] : []));
}

/** The arguments whose value has another JSON type than the action type asks for. */
export function wrongArguments(action: Action): readonly string[] {
  const shapes = new Map(shapesOf(action).map((one) => [one.name, one]));
  return action.arguments.flatMap((argument) => {
    const known = shapes.get(argument.name);
    return known === undefined || absent(argument) || fits(argument.value, known.type) ? [] : [argument.name];
  });
}

/** The files of the package that an action names, each once, in the order of its arguments. */
export function resourcesOf(action: Action): readonly string[] {
  const names = new Set(shapesOf(action).flatMap((one) => (one.resource ? [one.name] : [])));
  return [...new Set(action.arguments.flatMap(({ name, value }) => (names.has(name) ? textsOf(value) : [])))];
}
