import { StringDecoder } from 'node:string_decoder';
import { visible } from './escape.js';
import { paint, type Look, type Style } from './look.js';

const LEVEL = /^(\S+ \S+ - )(ERROR|WARN|DEBUG|TRACE)( .*)$/su;
const STYLES: Readonly<Record<string, Style>> = { ERROR: 'red', WARN: 'yellow', DEBUG: 'dim', TRACE: 'dim' };
/** Characters of a line that are shown as one, so that no log fills the memory. */
const LONGEST = 64 * 1024;
/** The least that is held back of a longer one: what has only begun there is masked with what follows. */
const HELD = 1024;

/** Text of a log for a terminal: without secrets and what moves the cursor, levels in their colour. */
export async function* logForTerminal(
  pieces: AsyncIterable<Uint8Array>,
  look: Look,
  hide: (text: string) => string,
): AsyncGenerator<string> {
  const shown = (text: string): string =>
    text
      .split('\n')
      .map((line) => lineText(hide(line), look))
      .join('\n');
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const piece of pieces) {
    const text = rest + decoder.write(Buffer.from(piece));
    const end = text.lastIndexOf('\n');
    rest = text.slice(end + 1);
    if (end !== -1) yield `${shown(text.slice(0, end))}\n`;
    if (rest.length < LONGEST) continue;
    const cut = cutOf(rest, hide);
    yield shown(rest.slice(0, cut));
    rest = rest.slice(cut);
  }
  const end = rest + decoder.end();
  if (end !== '') yield shown(end);
}

/** Where a long line is cut: behind a whole character, and where its parts are masked as the whole is. */
function cutOf(line: string, hide: (text: string) => string): number {
  const whole = hide(line);
  for (let held = HELD; held <= LONGEST / 2; held *= 2) {
    const cut = line.length - held - (/[\uD800-\uDBFF]/u.test(line.charAt(line.length - held - 1)) ? 1 : 0);
    if (hide(line.slice(0, cut)) + hide(line.slice(cut)) === whole) return cut;
  }
  return line.length;
}

/** One line, where tabs of stack traces become blanks. */
function lineText(line: string, look: Look): string {
  const [, before = '', level = '', after = ''] = LEVEL.exec(line) ?? [];
  const shown = (text: string): string => visible(text.replace(/\r$/u, '').replaceAll('\t', '    '));
  if (level === '') return shown(line);
  const style = STYLES[level];
  return shown(before) + (style === undefined ? level : paint(look, style, level)) + shown(after);
}
