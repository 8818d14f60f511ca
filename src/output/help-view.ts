import { largestOf } from '../core/collections.js';
import { paint, type Look } from './look.js';
import { hanging, wrapped } from './width.js';

const WIDTH = 80;
const CODES = 'cdapctl help exit-codes';
const HEADING = /^[A-Z][A-Z ]+$/u;
const LABEL = 30;
/** Words of a shell, with their quotes. */
const WORDS = /(?:[^\s'"]|'[^']*'|"[^"]*")+/gu;
const CONTINUES = ' \\';
/** Lines of sections are indented by this much; commands elsewhere are part of a sentence. */
const INDENT = '  ';

/** A flag or argument as help shows it. */
export interface HelpEntry {
  readonly label: string;
  readonly text: string;
}

/** What the help of a command tells, in its order (docs/conventions.md 2.13). */
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

/** The help of a command: at best 80 columns, commands in one line. */
export function commandHelp(help: CommandHelp): string {
  return join([
    wrap(help.summary, 0),
    help.description === undefined ? '' : wrap(help.description, 0),
    section('usage', [help.usage]),
    section('examples', help.examples),
    section('arguments', entryLines(help.args)),
    ...help.groups.map(([title, entries]) => section(title, entryLines(entries))),
    ['Global flags: cdapctl help flags', `Exit codes: ${ranges(help.exitCodes)}: ${CODES}`].join('\n'),
    section(
      'see also',
      help.seeAlso.filter((command) => command !== CODES),
    ),
  ]);
}

/** Numbers in ascending order as text: `0-8 10 13`. */
function ranges(numbers: readonly number[]): string {
  const starts = numbers.filter((one) => !numbers.includes(one - 1));
  return starts
    .map((first) => {
      let last = first;
      while (numbers.includes(last + 1)) last += 1;
      return last === first ? `${first}` : `${first}-${last}`;
    })
    .join(' ');
}

/** Flags in their groups, with what is true of all of them. */
export function flagList(title: string, groups: CommandHelp['groups']): string {
  return join([
    title,
    ...groups.map(([head, entries]) => section(head, entryLines(entries))),
    wrap('Every long flag except --confirm has an environment variable: --no-input is CDAPCTL_NO_INPUT.', 0),
  ]);
}

/** Formats a help page for a terminal: bold headings, and long lines wrapped when it is narrow. */
export function pageFor(look: Look, page: string): string {
  const columns = (look.terminal ? look.columns : undefined) ?? Infinity;
  return page
    .split('\n')
    .flatMap((line) => (line.length > columns ? narrowed(line, look) : [line]))
    .map((line) => (HEADING.test(line) ? paint(look, 'bold', line) : line))
    .join('\n');
}

function narrowed(line: string, look: Look): readonly string[] {
  const [, label = '', text = ''] = /^(\s*(?:\S.*\S\s{2,})?)(\S.*)$/u.exec(line) ?? [];
  const isCommand = label === INDENT && /^(?:cdapctl|export) | \| cdapctl /u.test(text);
  return isCommand ? continued(label, text, look) : hanging(label, text, look);
}

/** A command over several lines that a shell reads as one: broken between words, never within quotes. */
function continued(label: string, command: string, { columns = Infinity }: Look): readonly string[] {
  const lines: string[] = [];
  let line = label;
  for (const word of command.match(WORDS) ?? []) {
    const more = line.trim() === '' ? line + word : `${line} ${word}`;
    const isFull = line.trim() !== '' && more.length + CONTINUES.length > columns;
    if (isFull) lines.push(line + CONTINUES);
    line = isFull ? `${label}  ${word}` : more;
  }
  return [...lines, line];
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
  return lines.length === 0
    ? ''
    : [title.toUpperCase(), ...lines.map((line) => `${INDENT}${line}`.trimEnd())].join('\n');
}

function join(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
}
