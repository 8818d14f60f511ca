import { CliError } from '../../core/errors.js';
import { shellWord } from '../../core/shell-word.js';
import type { Action } from '../../hub/specification.js';
import {
  findGaps,
  hasProposal,
  type FlaggedGap,
  type Gap,
  type Inputs,
  type License,
} from '../../services/catalog/open-inputs.js';

/** The flag that closes a gap. */
function flagOf(gap: Gap): string {
  if (gap.kind === 'license') return '--accept-license';
  return gap.kind === 'jar' ? `--jar ${gap.n}=PATH` : `--set ${shellWord(`${gap.n}.${gap.name}=VALUE`)}`;
}

/** Gaps with the flags that close them. */
export const flagged = (gaps: readonly Gap[]): readonly FlaggedGap[] =>
  gaps.map((gap) => ({ ...gap, flag: flagOf(gap) }));

/** The flags that an install cannot do without where nobody is asked. */
export function neededFlags(actions: readonly Action[], license: License | undefined): readonly string[] {
  const nothing: Inputs = { set: new Map(), jars: new Map(), acceptLicense: false };
  return findGaps(actions, nothing, license).flatMap((gap) => (hasProposal(gap) ? [] : [flagOf(gap)]));
}

/** One gap in words, without its flag. */
export function describeGap(gap: Gap): string {
  if (gap.kind === 'license') return `the license "${gap.file}" must be accepted`;
  if (gap.kind === 'jar') return `action ${gap.n}  JAR file for ${gap.label}`;
  const note = gap.proposal === undefined ? '' : ` (can be changed; -y accepts "${gap.proposal}")`;
  return `action ${gap.n}  ${gap.name}${note}`;
}

/** The refusal that lists all gaps at once, with one command to paste. */
export function inputMissing(gaps: readonly Gap[], command: string): CliError {
  const count = gaps.length === 1 ? '1 input missing' : `${gaps.length} inputs missing`;
  const needed = gaps.filter((gap) => !hasProposal(gap)).map(flagOf);
  return new CliError('INPUT_MISSING', count, {
    lines: gaps.map((gap) => `${describeGap(gap)}    ${flagOf(gap)}`),
    hints: [
      [command, ...needed, ...['-y', '--no-input'].filter((flag) => !command.split(' ').includes(flag))].join(' '),
    ],
    item: { missing: flagged(gaps) },
  });
}
