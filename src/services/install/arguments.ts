import { CliError } from '../../core/errors.js';
import type { NextStep } from '../../core/next-step.js';
import type { ResolvedAction } from './action.js';

const NAME = /^[A-Za-z0-9_-]+$/u;

/** The advice to give an argument another value; one of the package has to be forced. */
export function setHint({ n, fixed }: ResolvedAction, name: string): NextStep {
  return { next: 'set-argument', n, name, what: 'another', fixed: fixed.has(name) };
}

const problem = (action: ResolvedAction, name: string, what: string): CliError =>
  new CliError('BAD_ACTION', `action ${action.n} (${action.type}): argument "${name}" ${what}`, {
    hints: [setHint(action, name)],
  });

/** What is wrong with the name of a pipeline or a stream, the argument "name". Undefined for other arguments. */
export function faultOfName(name: string, text: string): string | undefined {
  if (name !== 'name' || NAME.test(text)) return undefined;
  return `the platform does not accept the name "${text}": use letters, digits, "_" and "-"`;
}

/**
 * The name of a pipeline or a stream.
 * @throws BAD_ACTION for one that the platform does not take
 */
export function requiredName(action: ResolvedAction): string {
  const name = requiredText(action, 'name');
  const fault = faultOfName('name', name);
  if (fault === undefined) return name;
  throw new CliError('BAD_ACTION', `action ${action.n}: ${fault}`, { hints: [setHint(action, 'name')] });
}

/**
 * The text of an argument; undefined when it is absent, BAD_ACTION when it is something else. Numbers count as text
 * (docs/hub-format.md 5.2).
 */
export function optionalText(action: ResolvedAction, name: string): string | undefined {
  const value = action.arguments.get(name);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'string') throw problem(action, name, 'is not a text');
  return value;
}

/** The text of an argument that must be there. */
export function requiredText(action: ResolvedAction, name: string): string {
  const value = optionalText(action, name);
  if (value === undefined || value === '') throw problem(action, name, 'is missing');
  return value;
}

/**
 * Refuses every scope but `user` (docs/platform.md 4.1). The platform takes no uploads into the system scope over HTTP.
 */
export function refuseSystemScope(action: ResolvedAction): void {
  const scope = optionalText(action, 'scope');
  if (scope !== undefined && scope.toLowerCase() !== 'user')
    throw problem(action, 'scope', `is "${scope}"; only "user" can be installed over HTTP`);
}

/** The texts in a value: one, or those of a list. */
export function textsIn(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.filter((text) => typeof text === 'string');
}
