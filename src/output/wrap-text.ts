import type { Look } from './look.js';
import { displayWidth, hanging, wrapped } from './width.js';

/** A command at the end of a line, with what introduces it: nothing, a colon, or a label. */
const COMMAND = /^(|.*?(?::\s+|\s{2,}))(cdapctl [a-z].*)$/u;

/** The number of a step, with the blanks around it. */
const NUMBER = /^ *\d+\. +/u;

/** Whether a text is there to be pasted into a shell: never broken. */
export const isCommand = (text: string): boolean => /^(?:cdapctl|curl|export|kill) |^--?[a-z]/u.test(text);

/**
 * Wraps text for people at words to the width of a terminal. Later lines are indented like the first, or behind its
 * number if it has one. A command to paste is never broken; it may get a line of its own.
 */
export function flowed(text: string, look: Look): string {
  const { terminal, columns } = look;
  if (!terminal || columns === undefined) return text;
  return text
    .split('\n')
    .flatMap((line) => (displayWidth(line) <= columns ? [line] : brokenLine(line, columns, look)))
    .join('\n');
}

function brokenLine(line: string, columns: number, look: Look): readonly string[] {
  const indent = /^ */u.exec(line)?.[0] ?? '';
  const [, before = '', command] = COMMAND.exec(line.slice(indent.length)) ?? [];
  const room = columns - indent.length;
  const inside = (texts: readonly string[]): readonly string[] => texts.map((one) => `${indent}${one}`.trimEnd());
  if (command === undefined) {
    const number = NUMBER.exec(line)?.[0] ?? indent;
    return hanging(number, line.slice(number.length), look);
  }
  return before.trim() === '' ? [line] : inside([...wrapped(before.trimEnd(), room), `  ${command}`]);
}
