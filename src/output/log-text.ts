import { StringDecoder } from 'node:string_decoder';
import { visible } from './escape.js';
import { paint, type Look, type Style } from './look.js';

const LEVEL = /^(\S+ \S+ - )(ERROR|WARN|DEBUG|TRACE)( .*)$/su;
const STYLES: Readonly<Record<string, Style>> = { ERROR: 'red', WARN: 'yellow', DEBUG: 'dim', TRACE: 'dim' };
/** Characters of a line that are shown as one, so that no log fills the memory. */
const LONGEST = 64 * 1024;

/** Text of a log for a terminal: nothing in it can move the cursor, and levels have their colour. */
export async function* logForTerminal(pieces: AsyncIterable<Uint8Array>, look: Look): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const piece of pieces) {
    const lines = (rest + decoder.write(Buffer.from(piece))).split('\n');
    rest = lines.pop() ?? '';
    if (lines.length > 0) yield `${lines.map((line) => lineText(line, look)).join('\n')}\n`;
    if (rest.length < LONGEST) continue;
    yield lineText(rest, look);
    rest = '';
  }
  const end = rest + decoder.end();
  if (end !== '') yield lineText(end, look);
}

/** One line, where tabs of stack traces become blanks. */
function lineText(line: string, look: Look): string {
  const [, before = '', level = '', after = ''] = LEVEL.exec(line) ?? [];
  const shown = (text: string): string => visible(text.replace(/\r$/u, '').replaceAll('\t', '    '));
  if (level === '') return shown(line);
  const style = STYLES[level];
  return shown(before) + (style === undefined ? level : paint(look, style, level)) + shown(after);
}
