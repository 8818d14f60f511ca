import { CliError } from '../../core/errors.js';
import type { ResolvedAction } from './action.js';

const problem = (action: ResolvedAction, name: string, what: string): CliError =>
  new CliError('BAD_ACTION', `action ${action.n} (${action.type}): argument "${name}" ${what}`, {
    hints: [`--set ${action.n}.${name}=VALUE --force-set`],
  });

/** The text of an argument; undefined when it is absent, BAD_ACTION when it is something else. Numbers count as text (`hub.md` 6). */
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

/** Refuses every scope but `user`: the platform takes no uploads into the system scope over HTTP (contract 4.1). */
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
