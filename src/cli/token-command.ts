import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import type { Readable } from 'node:stream';
import { CliError } from '../core/errors.js';
import { commandWords } from '../config/command-words.js';
import { timedToken } from '../config/token.js';

/** Characters of its output. */
const MOST_OUTPUT = 64 * 1024;
const MOST_LINES = 10;
/** Milliseconds for a program that may ask a server. */
const LIMIT = 60_000;
/** Milliseconds for what a program left behind that still holds its stdout. */
const GRACE = 1000;
const NO_SHELL = `it is run without a shell; for pipes and variables: sh -c '...'`;

/** How a program is run. */
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

interface Ended {
  readonly stdout: string;
  readonly stderr: string;
  /** What is wrong with it; undefined when it ended as it should. */
  readonly why: string | undefined;
}

/**
 * Runs a program that prints a token. It has no shell and no stdin; what it printed is read like a token file.
 * @throws TOKEN_COMMAND with what it said on stderr when it fails, takes too long or prints too much, or no token
 */
export async function tokenOfCommand(command: string, options: RunOptions): Promise<ReturnType<typeof timedToken>> {
  const [program, ...words] = commandWords(command);
  options.signal.throwIfAborted();
  const { stdout, stderr, why } = await run(program, words, options);
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

interface Program {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly texts: Record<'stdout' | 'stderr', string>;
  why: string | undefined;
}

/** Ends a program, and what it started, with the reason of the first call. */
function stop(program: Program, why: string): void {
  program.why ??= why;
  killGroup(program.child);
}

/** Starts a program and gathers what it prints. Its group is its own, so that what it starts ends with it. */
function start(name: string, words: readonly string[], env: RunOptions['env']): Program {
  const detached = process.platform !== 'win32';
  const child = spawn(name, words, { env, stdio: ['ignore', 'pipe', 'pipe'], detached });
  const program: Program = { child, texts: { stdout: '', stderr: '' }, why: undefined };
  const { texts } = program;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    texts.stdout += text;
    if (texts.stdout.length > MOST_OUTPUT) stop(program, `printed more than ${MOST_OUTPUT} characters`);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    texts.stderr = `${texts.stderr}${text}`.slice(-MOST_OUTPUT);
  });
  return program;
}

function run(name: string, words: readonly string[], { env, signal, limit = LIMIT }: RunOptions): Promise<Ended> {
  const program = start(name, words, env);
  const { child, texts } = program;
  return new Promise((resolve) => {
    const late = setTimeout(stop, limit, program, `did not end within ${limit / 1000} s`);
    const abort = (): void => {
      stop(program, 'was stopped');
    };
    signal.addEventListener('abort', abort);
    const end = (): void => {
      clearTimeout(late);
      signal.removeEventListener('abort', abort);
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ ...texts, why: program.why });
    };
    child.once('error', (error: NodeJS.ErrnoException) => {
      program.why ??=
        error.code === 'ENOENT' ? 'was not found' : `cannot be started (${error.code ?? 'unknown error'})`;
      end();
    });
    child.once('exit', (code, killedBy) => {
      if (code !== 0)
        program.why ??= code === null ? `was ended by ${killedBy ?? 'a signal'}` : `ended with status ${code}`;
      setTimeout(end, GRACE).unref();
    });
    child.once('close', end);
  });
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
