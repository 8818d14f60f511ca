import type { Action, Argument } from '../../hub/specification.js';
import { shapeOf, type ArgumentShape, type ValueType } from '../../hub/action-types.js';

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
  return shapeOf(action.type)?.arguments ?? [];
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

function filesOf(action: Action, sizes: readonly ArgumentShape['resource'][]): readonly string[] {
  const names = new Set(shapesOf(action).flatMap((one) => (sizes.includes(one.resource) ? [one.name] : [])));
  return [...new Set(action.arguments.flatMap(({ name, value }) => (names.has(name) ? textsOf(value) : [])))];
}

/** The files of the package that an action names, each once, in the order of its arguments. */
export const resourcesOf = (action: Action): readonly string[] => filesOf(action, ['small', 'large']);

/** Those of them that are read into memory. */
export const smallResourcesOf = (action: Action): readonly string[] => filesOf(action, ['small']);
