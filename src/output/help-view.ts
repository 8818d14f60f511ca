import { largestOf } from '../core/extremes.js';
import { EXIT_CODES } from './exit-codes.js';
import { wrapped } from './width.js';

const WIDTH = 80;
const LABEL = 30;

/** A flag or argument as help shows it. */
export interface HelpEntry {
  readonly label: string;
  readonly text: string;
}

/** What the help of a command tells, in its order (`cli.md` 2.13). */
export interface CommandHelp {
  readonly summary: string;
  readonly description: string | undefined;
  readonly usage: string;
  readonly examples: readonly string[];
  readonly args: readonly HelpEntry[];
  readonly groups: readonly (readonly [title: string, entries: readonly HelpEntry[]])[];
  readonly exitCodes: readonly number[];
  readonly seeAlso: readonly string[];
}

/** The help of a command: at best 80 columns, commands never broken. */
export function commandHelp(help: CommandHelp): string {
  return join([
    wrap(help.summary, 0),
    help.description === undefined ? '' : wrap(help.description, 0),
    section('usage', [help.usage]),
    section('examples', help.examples),
    section('arguments', entryLines(help.args)),
    ...help.groups.map(([title, entries]) => section(title, entryLines(entries))),
    'Every flag can be set by the environment: --no-input is CDAPCTL_NO_INPUT.',
    section('exit codes', entryLines(help.exitCodes.map(codeEntry), 5)),
    section('see also', help.seeAlso),
  ]);
}

/** A list of commands under a heading, with what to type next. */
export function commandList(
  title: string,
  entries: readonly HelpEntry[],
  usage: string,
  more: readonly (readonly [string, readonly string[]])[],
): string {
  return join([
    title,
    section('usage', [usage]),
    section('commands', entryLines(entries)),
    ...more.map(([head, lines]) => section(head, lines)),
  ]);
}

/** Lines of labels and texts in two columns, the text wrapped beside its label. */
export function entryLines(entries: readonly HelpEntry[], least = 0): string[] {
  const width = Math.min(LABEL, largestOf([least, ...entries.map(({ label }) => label.length)]));
  return entries.flatMap(({ label, text }) => {
    const lines = wrap(text, width + 4).split('\n');
    const first = label.length > width ? [label] : [];
    const rest = label.length > width ? ['', ...lines] : [label, ...lines];
    return [
      ...first,
      `${(rest[0] ?? '').padEnd(width)}  ${rest[1] ?? ''}`.trimEnd(),
      ...rest.slice(2).map((line) => ' '.repeat(width + 2) + line),
    ];
  });
}

/** Text broken at blanks so that it fits 80 columns after an indent; words are never broken. */
export function wrap(text: string, indent: number): string {
  return wrapped(text, WIDTH - indent).join('\n');
}

/** A heading with indented lines, or nothing when there are none. */
export function section(title: string, lines: readonly string[]): string {
  return lines.length === 0 ? '' : [title.toUpperCase(), ...lines.map((line) => `  ${line}`.trimEnd())].join('\n');
}

/** An exit code with its meaning. */
export function codeEntry(code: number): HelpEntry {
  const [name, when] = EXIT_CODES.get(code) ?? ['', ''];
  return { label: String(code), text: `${name}: ${when}` };
}

function join(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
