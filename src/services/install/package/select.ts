import { CliError } from '../../../core/errors.js';
import type { Action } from '../../../hub/specification.js';
import { shapeOf } from '../../../hub/action-types.js';
import type { PackageCommands } from '../action.js';
import { actionNumber } from './inputs.js';

/** Which actions a person wants: numbers or `type[index]` as typed. */
export interface Selection {
  readonly skip: readonly string[];
  readonly only: readonly string[];
  readonly stopBefore?: string | undefined;
  readonly skipUnknown: boolean;
}

/**
 * The actions that will run; the others are `skipped`.
 * @throws BAD_ACTION for a type that this tool cannot carry out, unless it was told to skip those
 */
export function selectActions(
  actions: readonly Action[],
  selection: Selection,
  commands: PackageCommands,
): readonly Action[] {
  const numbers = (typed: readonly string[]): Set<number> =>
    new Set(typed.map((text) => actionNumber(text, actions, commands)));
  const [skip, only] = [numbers(selection.skip), numbers(selection.only)];
  const end = selection.stopBefore === undefined ? Infinity : actionNumber(selection.stopBefore, actions, commands);
  const chosen = actions.filter(({ n }) => !skip.has(n) && (only.size === 0 || only.has(n)) && n < end);
  const unknown = chosen.filter(({ type }) => shapeOf(type) === undefined);
  if (unknown.length > 0 && !selection.skipUnknown) {
    throw new CliError(
      'BAD_ACTION',
      `not supported: ${unknown.map(({ n, type }) => `action ${n} (${type})`).join(', ')}`,
      {
        hints: [{ next: 'skip-unknown' }],
      },
    );
  }
  return chosen.filter(({ type }) => shapeOf(type) !== undefined);
}

/** Whether an action only shows text, and sends nothing. */
export const isTextOnly = ({ type }: Pick<Action, 'type'>): boolean => shapeOf(type)?.textOnly === true;

/** Numbers of the actions that a person left out although this tool would change the platform by them. */
export function leftOut(actions: readonly Action[], chosen: readonly { readonly n: number }[]): readonly number[] {
  const changing = actions.filter((action) => shapeOf(action.type) !== undefined && !isTextOnly(action));
  return changing.flatMap(({ n }) => (chosen.some((one) => one.n === n) ? [] : n));
}
