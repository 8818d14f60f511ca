import type { Session } from '../cli/session.js';
import { readStdin } from '../cli/terminal/terminal.js';
import { CliError } from '../core/errors.js';
import { decode, readBounded } from '../core/files/read-bounded.js';

/** The longest file of a secret that is read, in bytes. */
const LARGEST = 4096;

/**
 * A secret of one line from a file, or from stdin for `-`; it is never printed.
 * @throws USAGE when it is empty or not one line
 */
export async function secretLine(
  file: string,
  what: string,
  { signal, terminal }: Pick<Session, 'signal' | 'terminal'>,
): Promise<string> {
  const bytes = file === '-' ? await readStdin(signal, LARGEST) : await readBounded(file, LARGEST);
  const line = decode(bytes)?.replace(/\r?\n$/u, '');
  if (line === undefined || line === '' || /[\r\n]/u.test(line))
    throw new CliError(
      'USAGE',
      `the ${what} ${file === '-' ? 'on stdin' : 'in the file'} is empty or not one line of text`,
    );
  terminal.secrets.add(line);
  return line;
}
