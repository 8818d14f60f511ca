import { commit, version } from 'cdapctl:build';
import { commands } from 'cdapctl:commands';
import { systemClock } from './cli/clock.js';
import { writeCrashFile } from './cli/crash.js';
import { toCliError } from './cli/errors.js';
import { withOtherFolder } from './cli/folders.js';
import { secretsGiven } from './cli/known-secrets.js';
import { runCommand } from './cli/program.js';
import { hintsAt } from './cli/line/command-line.js';
import { formatOf, hasGluedFlags, plainRequest, verbosityOf, type Request } from './cli/line/argv.js';
import type { Build, Session } from './cli/session.js';
import { leave, watchSignals } from './cli/terminal/signals.js';
import { processTerminal, type Terminal } from './cli/terminal/terminal.js';
import { CliError } from './core/errors.js';
import { failureTrace } from './core/failure-trace.js';
import { renderError } from './output/writers/error.js';
import { visibleLines } from './output/escape.js';
import { isMachineFormat } from './output/format.js';

const ENDED_EARLY = 'the command ended before it was finished; this is a bug in cdapctl';

/**
 * What the starter script passes in. `root` is the folder of the package. `beforeEnd` runs just before the process
 * ends, with the id of the command, `help` or an empty text.
 */
export interface Start {
  readonly root: string;
  readonly beforeEnd: (id: string) => void;
}

/**
 * Runs one command line and ends the process: the only place that does. The exit code is 1 until the command has
 * succeeded.
 */
export async function main(given: readonly string[], start: Start): Promise<void> {
  process.exitCode = 1;
  const argv = hasGluedFlags(given) ? await withFlagsApart(given, start.root).catch(() => given) : given;
  const session = sessionOf(argv, start.root, (error) => {
    if (!ending) void fail(endedInWrite(error, session), session);
    leave(error.exitCode, exit);
  });
  let id = '';
  let ending = false;
  const end = onlyOnce(async (error?: unknown) => {
    ending = true;
    const code = error === undefined ? 0 : await fail(error, session);
    await session.terminal.flush();
    start.beforeEnd(id);
    leave(code, exit);
  });
  process.on('uncaughtException', (error) => void end(error));
  process.on('unhandledRejection', (error) => void end(error));
  process.on('beforeExit', () => void end(new CliError('INTERNAL', ENDED_EARLY)));
  try {
    const request = await requestOf(argv, start.root);
    id = request.kind === 'command' ? request.id : request.kind === 'help' ? 'help' : '';
    await run(request, session);
  } catch (error) {
    await end(error);
  }
  await end();
}

function exit(code: number): never {
  process.exit(code);
}

/**
 * What a line asks for. Only one whose flags stand before its command has to be read with the flags of all commands.
 */
async function requestOf(argv: readonly string[], root: string): Promise<Request> {
  const ids = Object.keys(commands);
  const plain = plainRequest(argv, ids);
  if (plain !== undefined) return plain;
  const { readRequest, rules } = await lineReader(root);
  return readRequest(argv, ids, rules);
}

/** The line with its short flags apart, so that no later reader needs the flags of the command. */
async function withFlagsApart(argv: readonly string[], root: string): Promise<readonly string[]> {
  const reader = await lineReader(root);
  return reader.withFlagsApart(argv, Object.keys(commands), reader.rules);
}

async function lineReader(root: string) {
  const [{ readRequest, withFlagsApart }, { readLineRules }] = await Promise.all([
    import('./cli/read-request.js'),
    import('./cli/line/flag-tables.js'),
  ]);
  return { readRequest, withFlagsApart, rules: readLineRules(root) };
}

function sessionOf(argv: readonly string[], root: string, endNow: (error: CliError) => void): Session {
  const { env } = process;
  const terminal = processTerminal(argv, env);
  for (const secret of secretsGiven(argv, env)) terminal.secrets.add(secret);
  const reload = new Set<() => void>();
  const tell = (line: string): void => {
    if (!terminal.watching) terminal.tell(line);
  };
  const signal = watchSignals(endNow, tell, reload);
  return { argv, env, terminal, clock: systemClock, signal, reload, build: buildOf(root), writing: new Set() };
}

/** An end at once, in the middle of a write: what it did is not known then. */
function endedInWrite(error: CliError, { writing }: Session): CliError {
  if (writing.size === 0) return error;
  const message = `${error.message} during a write on the platform; the last change may or may not have been applied`;
  return new CliError(error.code, message, { hints: [...writing] });
}

function onlyOnce(work: (error?: unknown) => Promise<void>): (error?: unknown) => Promise<void> {
  let first: Promise<void> | undefined;
  return (error) => (first ??= work(error));
}

function buildOf(root: string): Build {
  return { version, commit, root, node: process.versions.node, system: `${process.platform} ${process.arch}` };
}

async function run(request: Request, session: Session): Promise<void> {
  switch (request.kind) {
    case 'version': {
      const format = formatOf(session.argv, session.env);
      if (isMachineFormat(format)) return runCommand('version', ['-o', format], commands, session);
      return session.terminal.write(`cdapctl ${version}\n`);
    }
    case 'help': {
      const { writeHelp } = await import('./cli/help.js');
      return writeHelp(request.words, commands, session);
    }
    case 'command':
      return runCommand(request.id, request.argv, commands, session);
  }
}

async function fail(error: unknown, session: Session): Promise<number> {
  const { argv, env, terminal, signal } = session;
  const shown = withReport(withOtherFolder(toCliError(error, signal), env), session);
  // The result that it stands for has been written already; only the code is left to tell.
  if (shown.code === 'CHANGES') return shown.exitCode;
  const format = formatOf(argv, env);
  if (shown.code === 'INTERRUPTED' && terminal.watching && !isMachineFormat(format)) return shown.exitCode;
  const { verbose, debug } = verbosityOf(argv, env);
  const hide = (said: string): string => terminal.hide(said);
  const text = renderError(format, shown, terminal, {
    warnings: terminal.warnings,
    verbose,
    hide,
    place: hintsAt(argv),
  });
  // Both are on their way before the first wait: a second Ctrl-C ends the process at once.
  const written = quietly(terminal, text.stdout);
  if (text.stderr !== '') terminal.draw(text.stderr);
  await written;
  if (debug) terminal.note(visibleLines(failureTrace(error)));
  return shown.exitCode;
}

function withReport(error: CliError, session: Session): CliError {
  if (error.code !== 'INTERNAL') return error;
  const file = writeCrashFile(error.details.cause ?? error, session);
  return file === undefined
    ? error
    : new CliError('INTERNAL', error.message, { ...error.details, lines: [`a crash report was written to ${file}`] });
}

async function quietly(terminal: Terminal, text: string | Promise<string>): Promise<void> {
  try {
    await terminal.write(typeof text === 'string' ? text : await text);
  } catch {
    // stdout is what failed; the exit code still tells
  }
}
