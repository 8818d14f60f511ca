import type { Look } from './look.js';

/** A column of text narrower than this is not broken further. */
const NARROWEST_TEXT = 20;
const ASCII = /^[\u0020-\u007e]*$/u;
const NARROW = /^[\p{M}\p{Cf}\p{Cc}]$/u;
const WIDE =
  /^[\u1100-\u115f\u231a\u231b\u2329\u232a\u23e9-\u23ec\u25fd\u25fe\u2614\u2615\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{1f300}-\u{1f64f}\u{1f680}-\u{1f6ff}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]$/u;

/** Colours of ours; text from outside has none when it comes here. */
const PAINT = /\u001b\[\d+m/gu;

/** Columns that a text takes on a terminal: wide characters two, combining ones and colours none. */
export function displayWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const character of text.replace(PAINT, '')) width += widthOf(character);
  return width;
}

/** A text filled with blanks to a display width. */
export function padded(text: string, width: number, right = false): string {
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(text)));
  return right ? blanks + text : text + blanks;
}

/** A text of several lines, each broken at blanks to a display width; words are never broken. */
export function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const given of text.split('\n')) {
    const [first = '', ...words] = given.split(' ');
    let line = first;
    let broken = false;
    for (const word of words) {
      if (displayWidth(line) + 1 + displayWidth(word) > width) {
        lines.push(line.trimEnd());
        line = word;
        broken = true;
      } else line = broken && line === '' ? word : `${line} ${word}`;
    }
    lines.push(line);
  }
  return lines;
}

/** As `wrapped`, but also breaks words longer than a line: for cells, which nothing may overflow. */
export function hardWrapped(text: string, width: number): string[] {
  return wrapped(text, width).flatMap((line) => {
    const pieces: string[] = [];
    for (let rest = line; rest !== '' || pieces.length === 0;) {
      const piece = displayWidth(rest) <= width ? rest : beginning(rest, Math.max(2, width));
      pieces.push(piece);
      rest = rest.slice(piece.length);
    }
    return pieces;
  });
}

/** The first characters of a text that fit a width. */
function beginning(text: string, width: number): string {
  let used = 0;
  let end = 0;
  for (const character of text) {
    used += widthOf(character);
    if (used > width) break;
    end += character.length;
  }
  return text.slice(0, end);
}

/**
 * Text behind a label, with later lines indented so that none can pass for a line of ours. On a terminal it is also
 * wrapped to the width. The indent is that of the text in the first line, unless given.
 */
export function hanging(
  label: string,
  text: string,
  { terminal, columns }: Look,
  indent = displayWidth(label),
): string[] {
  const room = terminal && columns !== undefined ? columns : Infinity;
  const width = Math.max(NARROWEST_TEXT, room - displayWidth(label));
  const [first = '', ...rest] = wrapped(text, width);
  const later =
    indent === displayWidth(label) ? rest : wrapped(rest.join(' '), Math.max(NARROWEST_TEXT, room - indent));
  return [label + first, ...(rest.length === 0 ? [] : later.map((line) => ' '.repeat(indent) + line))].map((line) =>
    line.trimEnd(),
  );
}

/** A text cut to a display width, with an ellipsis where something is missing (docs/faults.md D08). */
export function cut(text: string, width: number, ellipsis: string): string {
  if (text.length <= width && ASCII.test(text)) return text;
  const kept: string[] = [];
  let used = 0;
  for (const character of text) {
    used += widthOf(character);
    if (used > width) return fitted(kept, width - ellipsis.length) + ellipsis;
    kept.push(character);
  }
  return text;
}

function fitted(characters: string[], width: number): string {
  let used = characters.reduce((sum, character) => sum + widthOf(character), 0);
  while (used > width && characters.length > 0) used -= widthOf(characters.pop() ?? '');
  return characters.join('');
}

function widthOf(character: string): number {
  if (character <= '\u007e') return 1;
  if (NARROW.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}
