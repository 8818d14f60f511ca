import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { stripVTControlCharacters } from 'node:util';
import { environmentOf, STARTER } from './run-cli.js';

/** The tool in a pseudo-terminal of 100 columns (`script` of util-linux); its stdout goes to a file, so that the terminal shows what is written to stderr. */
export interface Pty {
  /** Waits until the text appears behind what was waited for before; an end of the program without it is an error. */
  see(text: string): Promise<void>;
  /** Presses keys. */
  type(keys: string): void;
  /** Everything that was shown so far, without control sequences. */
  shown(): string;
  /** Waits for the end: the exit code. */
  end(): Promise<number | null>;
}

export const ENTER = '\r';
export const TAB = '\t';
export const CTRL_C = '\u0003';
/** Ends the input. */
export const CTRL_D = '\u0004';
/** Stops the program until the shell brings it back. */
export const CTRL_Z = '\u001a';
/** Deletes the line that is being typed. */
export const CTRL_U = '\u0015';

const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;

/** Starts the tool; `result` is the file that gets its stdout; so many times as `stops` says it is brought back (`fg`) after it was stopped; what `piped` says comes through a pipe. */
export function startPty(args: readonly string[], home: string, result: string, stops = 0, piped?: string): Pty {
  const tool = [process.execPath, STARTER, ...args].map(quoted).join(' ');
  const words = piped === undefined ? tool : `sh -c ${quoted(`printf %s ${quoted(piped)} | ${tool}`)}`;
  const command =
    stops === 0
      ? `stty cols 100 rows 40; exec ${words} > ${quoted(result)}`
      : `stty cols 100 rows 40; set -m; ${words} > ${quoted(result)}${'; fg'.repeat(stops)}`;
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    cwd: home,
    env: { ...environmentOf(home), TERM: 'xterm', SHELL: '/bin/sh' },
  });
  let text = '';
  let from = 0;
  let open = true;
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    text += more;
  });
  const closed = once(child, 'close').then(([code]) => {
    open = false;
    return code as number | null;
  });
  child.stdin.on('error', () => undefined);
  const shown = (): string => stripVTControlCharacters(text);
  return {
    async see(wanted) {
      for (;;) {
        const at = shown().indexOf(wanted, from);
        if (at >= 0) {
          from = at + wanted.length;
          return;
        }
        if (!open) throw new Error(`the program ended without "${wanted}":\n${shown()}`);
        await Promise.race([once(child.stdout, 'data'), closed]);
      }
    },
    type: (keys) => {
      child.stdin.write(keys);
    },
    shown,
    async end() {
      const code = await closed;
      child.stdin.end();
      return code;
    },
  };
}
