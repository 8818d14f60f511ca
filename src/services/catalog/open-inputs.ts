import { CliError } from '../../core/errors.js';
import { shellWord } from '../../core/shell-word.js';
import type { Action } from '../../hub/specification.js';
import { jarRole, shapeOf } from '../../hub/action-types.js';

/** What the person gives for an install, by action number. */
export interface Inputs {
  readonly set: ReadonlyMap<number, ReadonlyMap<string, string>>;
  readonly jars: ReadonlyMap<number, string>;
  readonly acceptLicense: boolean;
}

/** Something that the person has to say, with the flag that says it. */
export type Gap =
  | { readonly kind: 'jar'; readonly n: number; readonly type: string; readonly label: string; readonly flag: string }
  | {
      readonly kind: 'argument';
      readonly n: number;
      readonly type: string;
      readonly label: string;
      readonly name: string;
      readonly proposal?: string;
      readonly flag: string;
    }
  | { readonly kind: 'license'; readonly file: string; readonly flag: string };

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
    yield { ...base, kind: 'jar', flag: `--jar ${n}=PATH` };
  for (const { name, required } of shapeOf(action.type)?.arguments ?? []) {
    if (required && isMissing(argumentOf(action, name)) && !isGiven(name))
      yield { ...base, kind: 'argument', name, flag: `--set ${shellWord(`${n}.${name}=VALUE`)}` };
  }
  for (const { name, value, canModify } of action.arguments) {
    if (!canModify || isGiven(name) || isMissing(value)) continue;
    const proposal = typeof value === 'string' ? value : JSON.stringify(value);
    yield { ...base, kind: 'argument', name, proposal, flag: `--set ${shellWord(`${n}.${name}=VALUE`)}` };
  }
}

/** Everything that is still open, in the order in which it is asked for. */
export function findGaps(actions: readonly Action[], inputs: Inputs, license: License | undefined): readonly Gap[] {
  const open = actions.flatMap((action) => [...gapsOf(action, inputs)]);
  const unread = license !== undefined && !inputs.acceptLicense;
  return unread ? [{ kind: 'license', file: license.file, flag: '--accept-license' }, ...open] : open;
}

/** Whether `-y` closes a gap: a proposal stands unless somebody changes it. */
export const hasProposal = (gap: Gap): boolean => gap.kind === 'argument' && gap.proposal !== undefined;

/** The flags that an install cannot do without where nobody is asked. */
export function neededFlags(actions: readonly Action[], license: License | undefined): readonly string[] {
  const nothing: Inputs = { set: new Map(), jars: new Map(), acceptLicense: false };
  return findGaps(actions, nothing, license).flatMap((gap) => (hasProposal(gap) ? [] : [gap.flag]));
}

/** One gap in words, without its flag. */
export function describeGap(gap: Gap): string {
  if (gap.kind === 'license') return `the license "${gap.file}" must be accepted`;
  if (gap.kind === 'jar') return `action ${gap.n}  JAR file for ${gap.label}`;
  const note = gap.proposal === undefined ? '' : ` (may be changed; -y accepts "${gap.proposal}")`;
  return `action ${gap.n}  ${gap.name}${note}`;
}

/** The refusal that lists all gaps at once, with one command to paste. */
export function inputMissing(gaps: readonly Gap[], command: string): CliError {
  const count = gaps.length === 1 ? '1 input is missing' : `${gaps.length} inputs are missing`;
  const needed = gaps.filter((gap) => !hasProposal(gap)).map(({ flag }) => flag);
  return new CliError('INPUT_MISSING', count, {
    lines: gaps.map((gap) => `${describeGap(gap)}    ${gap.flag}`),
    hints: [
      [command, ...needed, ...['-y', '--no-input'].filter((flag) => !command.split(' ').includes(flag))].join(' '),
    ],
    item: { missing: gaps },
  });
}
