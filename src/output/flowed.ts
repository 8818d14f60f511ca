import type { Look } from './look.js';
import { displayWidth, wrapped } from './width.js';

/** A command at the end of a line, with what introduces it: nothing, a colon, or a label. */
const COMMAND = /^(|.*?(?::\s+|\s{2,}))(cdapctl [a-z].*)$/u;

/** Whether a text is there to be pasted into a shell: never broken. */
export const isCommand = (text: string): boolean => /^(?:cdapctl|export|kill) |^--?[a-z]/u.test(text);

/** Text for people, on a terminal broken at words to its width: later lines are indented like the first, and a command to paste stays in one piece, if need be on a line of its own. */
export function flowed(text: string, { terminal, columns }: Look): string {
  if (!terminal || columns === undefined) return text;
  return text
    .split('\n')
    .flatMap((line) => (displayWidth(line) <= columns ? [line] : brokenLine(line, columns)))
    .join('\n');
}

function brokenLine(line: string, columns: number): readonly string[] {
  const indent = /^ */u.exec(line)?.[0] ?? '';
  const [, before = '', command] = COMMAND.exec(line.slice(indent.length)) ?? [];
  const room = columns - indent.length;
  const inside = (texts: readonly string[]): readonly string[] => texts.map((one) => `${indent}${one}`.trimEnd());
  if (command === undefined) return inside(wrapped(line.slice(indent.length), room));
  return before.trim() === '' ? [line] : inside([...wrapped(before.trimEnd(), room), `  ${command}`]);
}
