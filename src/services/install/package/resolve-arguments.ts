import { closest } from '../../../core/closest.js';
import { CliError } from '../../../core/errors.js';
import { parseJson } from '../../../core/json/json.js';
import type { Action } from '../../../hub/specification.js';
import { jarRole, shapeOf } from '../../../hub/action-types.js';
import type { Inputs } from '../../catalog/open-inputs.js';
import type { ActionType, JarSource, ResolvedAction } from '../action.js';

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== '';

function change(action: Action, name: string, value: string, forceSet: boolean): unknown {
  const argument = action.arguments.find((candidate) => candidate.name === name);
  const known = shapeOf(action.type)?.arguments.map((candidate) => candidate.name) ?? [];
  if (argument === undefined && !known.includes(name)) {
    const near = closest(name, [...action.arguments.map((candidate) => candidate.name), ...known]);
    throw new CliError('USAGE', `action ${action.n} (${action.type}) has no argument "${name}"`, {
      hints: near === undefined ? [] : [{ next: 'meant-argument', n: action.n, name: near }],
    });
  }
  if (argument !== undefined && isGiven(argument.value) && !argument.canModify && !forceSet) {
    throw new CliError('USAGE', `argument "${name}" of action ${action.n} (${action.type}) is fixed by the package`, {
      hints: [{ next: 'force-argument' }],
    });
  }
  if (typeof argument?.value !== 'object' || argument.value === null) return value;
  try {
    return parseJson(Buffer.from(value), `the value of ${action.n}.${name}`);
  } catch (cause) {
    throw cause instanceof CliError ? new CliError('USAGE', cause.message, { cause }) : cause;
  }
}

/** What is wrong with the user's text for an argument, worded for asking again. */
export function faultOfInput(action: Action, type: ActionType, name: string, text: string): string | undefined {
  try {
    change(action, name, text, true);
  } catch (error) {
    if (error instanceof CliError) return error.message;
    throw error;
  }
  return type.faultOf?.(name, text);
}

function jarOf(action: Action, inputs: Inputs, values: ReadonlyMap<string, unknown>): JarSource | undefined {
  const local = inputs.jars.get(action.n);
  if (local !== undefined && jarRole(action.type) === 'none')
    throw new CliError('USAGE', `action ${action.n} (${action.type}) does not take a JAR`, {
      hints: [{ next: 'list-actions' }],
    });
  if (local !== undefined) return { kind: 'local', file: local };
  const name = values.get('jar');
  return typeof name === 'string' && name !== '' ? { kind: 'hub', name } : undefined;
}

/**
 * Applies the user's changes to the arguments of an action. `canModify` allows them, `--force-set` forces them
 * (docs/hub-format.md 8).
 */
export function resolveArguments(action: Action, inputs: Inputs, forceSet: boolean): ResolvedAction {
  const values = new Map(action.arguments.map(({ name, value }) => [name, value]));
  for (const [name, value] of inputs.set.get(action.n) ?? []) values.set(name, change(action, name, value, forceSet));
  const changed = (name: string): boolean => inputs.set.get(action.n)?.has(name) === true;
  const fixed = action.arguments.filter(({ name, value, canModify }) => isGiven(value) && !canModify && !changed(name));
  const jar = jarOf(action, inputs, jarRole(action.type) === 'none' ? new Map() : values);
  return {
    n: action.n,
    type: action.type,
    label: action.label ?? action.type,
    arguments: values,
    fixed: new Set(fixed.map(({ name }) => name)),
    ...(jar && { jar }),
  };
}
