import { isatty } from 'node:tty';
import { redactor } from '../../core/secrets/redact.js';
import { visible } from '../../output/escape.js';
import { flowed } from '../../output/wrap-text.js';
import { paint, type Look } from '../../output/look.js';
import type { Warning } from '../../output/view-types.js';
import { isOn, verbosityOf } from '../line/argv.js';
import { hintsAt } from '../line/command-line.js';
import { isCi, lookOf } from './stream-look.js';
import { CliError } from '../../core/errors.js';
import { LARGEST_TEXT } from '../../core/files/read-bounded.js';
import { readStream } from '../../core/files/read-stream.js';

/** The streams of the process and what is known about them: a port that tests replace. */
export interface Terminal {
  readonly stdout: Look;
  readonly stderr: Look;
  /** Whether a question may be asked at all (docs/conventions.md 2.5). Flags of a command may still forbid it. */
  readonly interactive: boolean;
  /** Whether somebody may sit there: stdin or stderr is a terminal, and not one of a build server. */
  readonly attended: boolean;
  readonly ci: boolean;
  /** Whether stderr may be redrawn. */
  readonly animated: boolean;
  /** Values that must not be printed; whoever reads a secret adds it here. */
  readonly secrets: Set<string>;
  /** Takes those values, and whatever looks like a credential, out of a text. */
  hide(text: string): string;
  /** Warnings of this run so far, for the JSON envelope. */
  readonly warnings: Warning[];
  /** Whether the reader of stdout went away; a list may stop then, a write on the platform goes on. */
  readonly closed: boolean;
  /** Whether something is watched until Ctrl-C, which people need not be told about then. */
  watching: boolean;
  /** Called once before the next text on stdout: progress clears its line. */
  beforeResult: () => void;
  /** Writes to stdout and waits until there is room for more; quiet once the reader is gone. */
  write(text: string | Uint8Array): Promise<void>;
  /** Writes to stderr, with a line end; on a terminal broken at words. */
  note(line: string): void;
  /** The same for what `-q` leaves out: what is going on, where, and what to do next. */
  tell(line: string): void;
  /** Where questions are drawn: never stdout. */
  readonly questions: NodeJS.WritableStream;
  /** Adds a warning to those of the run and says it on stderr. */
  warn(code: string, message: string): void;
  /** Writes to stderr as it is: redrawing. */
  draw(text: string): void;
  /** The size of stdout right now, in characters; undefined off a terminal. */
  size(): { readonly columns: number; readonly rows: number } | undefined;
  /**
   * Gives each key that is typed to a listener, without showing it. What it answers gives the keyboard back. Absent, or
   * undefined, where nobody types.
   */
  keys?(listener: (key: string) => void): (() => void) | undefined;
  /** Waits until both streams have taken everything. */
  flush(): Promise<void>;
}

/** The terminal of this process. */
export function processTerminal(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Terminal {
  return new ProcessTerminal(argv, env);
}

class ProcessTerminal implements Terminal {
  readonly stdout: Look;
  readonly stderr: Look;
  readonly interactive: boolean;
  readonly attended: boolean;
  readonly ci: boolean;
  readonly animated: boolean;
  readonly warnings: Warning[] = [];
  readonly secrets = new Set<string>();
  readonly questions = process.stderr;
  private readonly quiet: boolean;
  private readonly place: (hint: string) => string;
  private hider: { readonly size: number; readonly hide: (text: string) => string } | undefined;
  beforeResult: () => void = nothing;
  closed = false;
  watching = false;

  constructor(argv: readonly string[], env: Readonly<Record<string, string | undefined>>) {
    this.stdout = lookOf(process.stdout, argv, env);
    this.stderr = lookOf(process.stderr, argv, env);
    this.quiet = verbosityOf(argv, env).quiet;
    this.place = hintsAt(argv);
    this.ci = isCi(env);
    // On a terminal that nobody told its size, whose width is 0, ora would clear lines without end.
    const hasWidth = process.stderr.columns !== 0;
    this.animated = this.stderr.terminal && hasWidth && !this.ci && env['TERM'] !== 'dumb';
    this.attended = (isatty(0) || this.stderr.terminal) && !this.ci;
    this.interactive = this.attended && isatty(0) && this.stderr.terminal && !isOn(env['CDAPCTL_NO_INPUT']);
    process.stdout.on('error', (error: NodeJS.ErrnoException) => {
      if (!isClosedPipe(error)) throw error;
      this.closed = true;
    });
    process.stderr.on('error', () => undefined);
  }

  async write(text: string | Uint8Array): Promise<void> {
    this.beforeResult();
    this.beforeResult = nothing;
    if (this.closed || text.length === 0) return;
    await new Promise<void>((resolve, reject) => {
      process.stdout.write(text, (error) => {
        if (isClosedPipe(error)) this.closed = true;
        if (error === undefined || error === null || isClosedPipe(error)) resolve();
        else reject(error);
      });
    });
  }

  hide(text: string): string {
    if (this.hider?.size !== this.secrets.size)
      this.hider = { size: this.secrets.size, hide: redactor([...this.secrets]) };
    return this.hider.hide(text);
  }

  note(line: string): void {
    this.draw(`${flowed(this.hide(line), this.stderr)}\n`);
  }

  tell(line: string): void {
    if (!this.quiet) this.note(this.place(line));
  }

  warn(code: string, text: string): void {
    const message = this.place(text);
    this.warnings.push({ code, message: this.hide(message) });
    this.note(`${paint(this.stderr, 'yellow', 'warning:')} ${visible(message)}`);
  }

  draw(text: string): void {
    process.stderr.write(text);
  }

  size(): ReturnType<Terminal['size']> {
    const { isTTY, columns, rows } = process.stdout;
    // Terminals that nobody told their size say 0.
    return isTTY && columns > 0 && rows > 0 ? { columns, rows } : undefined;
  }

  keys(listener: (key: string) => void): (() => void) | undefined {
    const { stdin } = process;
    if (!stdin.isTTY || !this.stdout.terminal) return undefined;
    const take = (bytes: Buffer): void => {
      // A terminal that gives single keys leaves it to the program what Ctrl-C means.
      for (const key of bytes.toString())
        if (key === '\u0003') process.kill(process.pid, 'SIGINT');
        else listener(key);
    };
    const restore = (): void => {
      stdin.off('data', take).pause().setRawMode(false);
      process.off('exit', restore);
    };
    process.once('exit', restore);
    stdin.setRawMode(true).on('data', take).resume();
    return restore;
  }

  async flush(): Promise<void> {
    const empty = (stream: NodeJS.WriteStream): Promise<void> =>
      new Promise((resolve) => {
        if (stream.destroyed || stream.writableLength === 0) resolve();
        else
          stream.write('', () => {
            resolve();
          });
      });
    await empty(process.stdout);
    await empty(process.stderr);
  }
}

function nothing(): void {
  // until progress has something to clear
}

function isClosedPipe(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && ['EPIPE', 'ERR_STREAM_DESTROYED', 'EIO'].includes(String(error.code))
  );
}

/**
 * The bytes of a text that is piped in.
 * @throws LOCAL_IO, or what `wrong` makes, where there are more than `most`
 */
export const readStdin = (
  signal: AbortSignal,
  most = LARGEST_TEXT,
  wrong = (why: string): CliError => new CliError('LOCAL_IO', `stdin ${why}`),
): Promise<Buffer> => readStream(process.stdin, most, wrong, signal);
