import type { Action } from '../../hub/specification.js';
import { jarRole, shapeOf } from '../../hub/action-types.js';

/** What the person gives for an install, by action number. */
export interface Inputs {
  readonly set: ReadonlyMap<number, ReadonlyMap<string, string>>;
  readonly jars: ReadonlyMap<number, string>;
  readonly acceptLicense: boolean;
}

/** Something that the person has to say. */
export type Gap =
  | { readonly kind: 'jar'; readonly n: number; readonly type: string; readonly label: string }
  | {
      readonly kind: 'argument';
      readonly n: number;
      readonly type: string;
      readonly label: string;
      readonly name: string;
      readonly proposal?: string;
    }
  | { readonly kind: 'license'; readonly file: string };

/** What is given, and all that is still open. */
export interface OpenInputs {
  readonly inputs: Inputs;
  readonly gaps: readonly Gap[];
}

/** A gap with the flag that closes it. */
export type FlaggedGap = Gap & { readonly flag: string };

/** The license of a package, when it names one. */
export interface License {
  readonly file: string;
}

const argumentOf = (action: Action, name: string): unknown =>
  action.arguments.find((argument) => argument.name === name)?.value;
const isMissing = (value: unknown): boolean => value === undefined || value === null || value === '';

function* gapsOf(action: Action, inputs: Inputs): Generator<Gap> {
  const { n } = action;
  const isGiven = (name: string): boolean =>
    inputs.set.get(n)?.has(name) === true || (name === 'jar' && inputs.jars.has(n));
  const base = { n, type: action.type, label: action.label ?? action.type };
  if (jarRole(action.type) === 'asked' && !isGiven('jar') && isMissing(argumentOf(action, 'jar')))
    yield { ...base, kind: 'jar' };
  for (const { name, required } of shapeOf(action.type)?.arguments ?? []) {
    if (required && isMissing(argumentOf(action, name)) && !isGiven(name)) yield { ...base, kind: 'argument', name };
  }
  for (const { name, value, canModify } of action.arguments) {
    if (!canModify || isGiven(name) || isMissing(value)) continue;
    const proposal = typeof value === 'string' ? value : JSON.stringify(value);
    yield { ...base, kind: 'argument', name, proposal };
  }
}

/** Everything that is still open, in the order in which it is asked for. */
export function findGaps(actions: readonly Action[], inputs: Inputs, license: License | undefined): readonly Gap[] {
  const open = actions.flatMap((action) => [...gapsOf(action, inputs)]);
  const unread = license !== undefined && !inputs.acceptLicense;
  return unread ? [{ kind: 'license', file: license.file }, ...open] : open;
}

/** Whether `-y` closes a gap: a proposal stands unless somebody changes it. */
export const hasProposal = (gap: Gap): boolean => gap.kind === 'argument' && gap.proposal !== undefined;
