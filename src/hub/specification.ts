import { CliError } from '../core/errors.js';
import { parseJson } from '../core/json/json.js';
import {
  brief,
  isRawObject,
  readPackageFields,
  type PackageFields,
  type ProblemCode,
  type RawObject,
  type Severity,
} from './fields.js';

/** Most actions of a package, and most arguments of all of them (`docs/limits.md`). */
export const MOST_ACTIONS = 2000;
const MOST_ARGUMENTS = 20_000;

/** One argument of an action; the value is what the publisher wrote, of any JSON type. */
export interface Argument {
  readonly name: string;
  readonly value: unknown;
  readonly canModify: boolean;
}

/** One step of an installation; `n` counts from 1, unknown types are kept. */
export interface Action {
  readonly n: number;
  readonly type: string;
  readonly label: string | undefined;
  readonly arguments: readonly Argument[];
  readonly raw: RawObject;
}

/** What is odd in a specification without making it unreadable; an install refuses a `warning`. */
export interface SpecificationProblem {
  readonly severity: Severity;
  readonly code: ProblemCode;
  readonly message: string;
}

/** A specification (`spec.json`); it says neither name nor version of its package. */
export interface Specification extends PackageFields {
  readonly actions: readonly Action[];
  readonly problems: readonly SpecificationProblem[];
  readonly raw: RawObject;
}

/**
 * Reads a specification (docs/hub-format.md 5.2).
 * @throws BAD_JSON, BAD_UTF8, TOO_DEEP, DUP_KEY, TOO_LARGE, or BAD_ACTION when an action cannot be read
 */
export function readSpecification(bytes: Uint8Array, what: string): Specification {
  const json = parseJson(bytes, what, { duplicates: 'refuse' });
  if (!isRawObject(json)) throw new CliError('BAD_JSON', `${what} is not a JSON object`);
  const problems: SpecificationProblem[] = [];
  const fields = readPackageFields(json, (severity, code, message) => problems.push({ severity, code, message }));
  const actions = listOf(json['actions'], `"actions" of ${what} is not a list`);
  if (actions.length > MOST_ACTIONS) throw new CliError('TOO_LARGE', `${what} has more than ${MOST_ACTIONS} actions`);
  const given = actions.reduce<number>((sum, action) => sum + argumentCount(action), 0);
  if (given > MOST_ARGUMENTS) throw new CliError('TOO_LARGE', `${what} has more than ${MOST_ARGUMENTS} arguments`);
  return {
    ...fields,
    actions: actions.map((action, index) => readAction(action, index + 1, `action ${index + 1} of ${what}`)),
    problems,
    raw: json,
  };
}

function listOf(value: unknown, complaint: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new CliError('BAD_ACTION', complaint);
  return value;
}

function argumentCount(action: unknown): number {
  const list = isRawObject(action) ? action['arguments'] : undefined;
  return Array.isArray(list) ? list.length : 0;
}

function readAction(json: unknown, n: number, what: string): Action {
  if (!isRawObject(json)) throw new CliError('BAD_ACTION', `${what} is not an object`);
  const { type, label } = json;
  if (typeof type !== 'string' || type === '') throw new CliError('BAD_ACTION', `${what} has no type`);
  const named = `${what} (${type.slice(0, 60)})`;
  const list = listOf(json['arguments'], `"arguments" of ${named} is not a list`).map((value) =>
    readArgument(value, named),
  );
  const names = new Set<string>();
  for (const { name } of list) {
    if (names.has(name)) throw new CliError('BAD_ACTION', `${named} has the argument ${brief(name)} twice`);
    names.add(name);
  }
  if (label !== undefined && label !== null && typeof label !== 'string' && typeof label !== 'number') {
    throw new CliError('BAD_ACTION', `the label of ${named} is not text`);
  }
  return {
    n,
    type,
    label: label === undefined || label === null ? undefined : String(label),
    arguments: list,
    raw: json,
  };
}

function readArgument(json: unknown, action: string): Argument {
  if (!isRawObject(json)) throw new CliError('BAD_ACTION', `an argument of ${action} is not an object`);
  const { name, value, canModify } = json;
  if (typeof name !== 'string' || name === '') throw new CliError('BAD_ACTION', `an argument of ${action} has no name`);
  const flag = canModify === undefined || canModify === null || canModify === 'false' ? false : canModify;
  if (typeof flag !== 'boolean' && flag !== 'true') {
    throw new CliError('BAD_ACTION', `canModify of the argument ${brief(name)} of ${action} is neither true nor false`);
  }
  return { name, value, canModify: flag !== false };
}
