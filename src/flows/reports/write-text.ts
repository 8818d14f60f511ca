import type { Terminal } from '../../cli/terminal/terminal.js';

/** Writes a text to stdout piece by piece, until its reader is gone. */
export async function writeAsItComes(
  texts: AsyncIterable<string>,
  terminal: Pick<Terminal, 'closed' | 'write'>,
): Promise<void> {
  for await (const text of texts) {
    if (terminal.closed) return;
    await terminal.write(text);
  }
}
