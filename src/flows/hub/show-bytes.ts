import { isUtf8 } from 'node:buffer';
import { CliError } from '../../core/errors.js';
import { visibleLines } from '../../output/escape.js';
import type { Terminal } from '../../cli/terminal/terminal.js';

/** The longest text that is shown on a terminal. */
const MOST = 4 * 1024 * 1024;

/**
 * Writes the bytes of a file to stdout. A file or pipe gets them unchanged, a terminal gets text without control
 * characters.
 * @throws USAGE when stdout is a terminal and the bytes are not text
 */
export async function showBytes(
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  terminal: Pick<Terminal, 'stdout' | 'write'>,
): Promise<void> {
  if (!terminal.stdout.terminal) {
    for await (const piece of pieces) await terminal.write(piece);
    return;
  }
  const seen: Uint8Array[] = [];
  let length = 0;
  for await (const piece of pieces) {
    seen.push(Uint8Array.from(piece));
    length += piece.length;
    if (length > MOST) throw noText();
  }
  const bytes = Buffer.concat(seen);
  if (!isUtf8(bytes) || bytes.includes(0)) throw noText();
  const text = visibleLines(bytes.toString('utf8'));
  await terminal.write(text.endsWith('\n') ? text : `${text}\n`);
}

function noText(): CliError {
  return new CliError('USAGE', 'the file is not text and cannot be printed on a terminal', {
    hints: ['write it to a file: add > FILE', 'or download the package: cdapctl hub download PACKAGE -D FOLDER'],
  });
}
