import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { asError, CliError } from '../core/errors.js';
import { commandWords } from '../config/command-words.js';
import { timedToken } from '../config/token.js';
import { withoutSecrets } from './known-secrets.js';

/** Characters of its output. */
const MOST_OUTPUT = 64 * 1024;
/** Milliseconds for what a program left behind that still holds its stdout. */
const GRACE = 1000;

/** How a program is run. */
export interface ProgramOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Milliseconds that it may take. */
  readonly limit: number;
  /** Gives its stdin; each piece must be awaited. Without it there is none. Its stdout is then read as latin1. */
  readonly give?: ((write: (chunk: Uint8Array) => Promise<void>) => Promise<void>) | undefined;
  /** Most characters of its stdout; 64 K unless given. */
  readonly most?: number;
  /** It may print any amount, of which the end is kept; else too much ends it. */
  readonly isTalkative?: boolean;
}

/** The end of a program, with what it printed: at most 64 K characters. */
export interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  /** What is wrong with it; undefined when it ended as it should. */
  readonly why: string | undefined;
}

interface Program {
  readonly child: ChildProcessByStdio<Writable | null, Readable, Readable>;
  readonly texts: Record<'stdout' | 'stderr', string>;
  why: string | undefined;
}

/** Ends a program, and what it started, with the reason of the first call. */
function stop(program: Program, why: string): void {
  program.why ??= why;
  killGroup(program.child);
}

/** Starts a program and gathers what it prints. Its group is its own, so that what it starts ends with it. */
function start(
  name: string,
  words: readonly string[],
  { env, give, most = MOST_OUTPUT, isTalkative = false }: ProgramOptions,
): Program {
  const detached = process.platform !== 'win32';
  const child: Program['child'] =
    give === undefined
      ? spawn(name, words, { env, stdio: ['ignore', 'pipe', 'pipe'], detached })
      : spawn(name, words, { env, stdio: ['pipe', 'pipe', 'pipe'], detached });
  const program: Program = { child, texts: { stdout: '', stderr: '' }, why: undefined };
  const { texts } = program;
  child.stdout.setEncoding(give === undefined ? 'utf8' : 'latin1').on('data', (text: string) => {
    texts.stdout += text;
    if (isTalkative) texts.stdout = texts.stdout.slice(-MOST_OUTPUT);
    else if (texts.stdout.length > most) stop(program, `printed more than ${most} characters`);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    texts.stderr = `${texts.stderr}${text}`.slice(-MOST_OUTPUT);
  });
  return program;
}

/**
 * Runs a program without a shell, and without stdin unless it is given. It gets the environment without the secrets of
 * this tool. When the limit is reached, or the signal stops it, what it started ends with it.
 * @throws what `give` does
 */
export const runProgram = (name: string, words: readonly string[], options: ProgramOptions): Promise<Ended> =>
  run(name, words, { ...options, env: withoutSecrets(options.env) });

function run(name: string, words: readonly string[], options: ProgramOptions): Promise<Ended> {
  const { signal, limit, give } = options;
  const program = start(name, words, options);
  const { child, texts } = program;
  return new Promise((resolve, reject) => {
    const late = setTimeout(stop, limit, program, `did not end within ${limit / 1000} s`);
    const abort = (): void => {
      stop(program, 'was stopped');
    };
    signal.addEventListener('abort', abort);
    const failure = giveTo(program, give);
    const end = async (): Promise<void> => {
      clearTimeout(late);
      signal.removeEventListener('abort', abort);
      child.stdout.destroy();
      child.stderr.destroy();
      const error = await failure;
      if (error === undefined) resolve({ ...texts, why: program.why });
      else reject(asError(error));
    };
    child.once('error', (error: NodeJS.ErrnoException) => {
      program.why ??=
        error.code === 'ENOENT' ? 'was not found' : `cannot be started (${error.code ?? 'unknown error'})`;
      void end();
    });
    child.once('exit', (code, killedBy) => {
      if (code !== 0)
        program.why ??= code === null ? `was ended by ${killedBy ?? 'a signal'}` : `ended with status ${code}`;
      setTimeout(() => void end(), GRACE).unref();
    });
    child.once('close', () => void end());
  });
}

/** Gives a program its stdin. One that reads no further says by itself what is wrong; what failed otherwise ends it. */
async function giveTo(program: Program, give: ProgramOptions['give']): Promise<unknown> {
  const { stdin } = program.child;
  if (give === undefined || stdin === null) return undefined;
  stdin.on('error', () => undefined);
  try {
    await give(
      (chunk) =>
        new Promise((resolve) => {
          stdin.write(chunk, () => {
            resolve();
          });
        }),
    );
    stdin.end();
    return undefined;
  } catch (error) {
    stop(program, 'was stopped');
    return error;
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended by itself meanwhile.
  }
}

const MOST_LINES = 10;
/** Milliseconds for a program that may ask a server. */
const LIMIT = 60_000;
const NO_SHELL = `it is run without a shell; for pipes and variables: sh -c '...'`;

/** How a program that prints a token is run. */
export interface RunOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Takes what a program printed that failed: the words of it must not be shown. */
  readonly hide?: (text: string) => void;
  /** Milliseconds that it may take, 60 s unless given. */
  readonly limit?: number;
}

/**
 * Runs a program that prints a token. It has no shell and no stdin; what it printed is read like a token file.
 * @throws TOKEN_COMMAND with what it said on stderr when it fails, takes too long or prints too much, or no token
 */
export async function tokenOfCommand(command: string, options: RunOptions): Promise<ReturnType<typeof timedToken>> {
  const [program, ...words] = commandWords(command);
  options.signal.throwIfAborted();
  const { stdout, stderr, why } = await run(program, words, { limit: LIMIT, ...options });
  if (why === undefined) return printedToken(stdout, program, options);
  options.signal.throwIfAborted();
  options.hide?.(stdout);
  const lines = stderr.trim().split(/\r?\n/u).slice(-MOST_LINES);
  throw new CliError('TOKEN_COMMAND', `the token command ${program} ${why}`, {
    lines: lines.filter((line) => line !== ''),
    hints: [NO_SHELL],
    sent: 'no',
  });
}

function printedToken(text: string, program: string, { now, hide }: RunOptions): ReturnType<typeof timedToken> {
  try {
    return timedToken(text, `that the token command ${program} printed`, now());
  } catch (error) {
    hide?.(text);
    if (!(error instanceof CliError)) throw error;
    throw new CliError('TOKEN_COMMAND', error.message, { ...error.details, sent: 'no' });
  }
}
