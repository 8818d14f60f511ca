import type { Terminal } from '../../cli/terminal/terminal.js';
import { CliError } from '../../core/errors.js';
import { formatTime } from '../../core/time.js';
import { visible } from '../../output/escape.js';
import type { Format } from '../../output/format.js';
import { logForTerminal } from '../../output/log-text.js';
import { timeText } from '../../output/writers/columns.js';
import type { LogMembers } from '../../platform/logs.js';
import type { RunRecord } from '../../platform/runs.js';
import { followJson, followText, logLines, logText, type Line, type LogWish } from '../../services/pipelines/logs.js';
import { secretsOfRun } from '../../services/pipelines/run-record.js';
import { causeInTrace } from '../../services/pipelines/stack-trace.js';
import { waitingOf, type Operation } from './operate.js';

/** Formats that are one document: all of it is in memory at once, so that it has a limit. */
const DOCUMENTS: readonly Format[] = ['json', 'yaml'];
const LARGEST_DOCUMENT = 64 * 1024 * 1024;
/** Errors that are shown after a failed run. */
const MOST_ERRORS = 20;
/** Lines that a terminal shows of a log, each with its stack trace. */
const ON_TERMINAL = 200;
/** Formats that show lines as they come. */
const FOLLOWING: readonly Format[] = ['table', 'wide', 'ndjson'];

/** Whether a format is the text of the log itself. */
export const isText = (format: Format): boolean => format === 'table' || format === 'wide';

/** Refuses what no log can be followed with. */
export function checkFollow(
  { follow, until, interval }: { readonly follow: boolean; readonly until?: unknown; readonly interval?: unknown },
  format: Format,
): void {
  if (!follow && interval !== undefined) throw new CliError('USAGE', '--interval needs --follow');
  if (follow && until !== undefined) throw new CliError('USAGE', '--follow and --until cannot be used together');
  if (follow && !FOLLOWING.includes(format))
    throw new CliError('USAGE', `--follow cannot write ${format}`, { hints: ['--follow -o ndjson'] });
}

/** Masks the secret arguments of a run in all that is shown from now on. */
export function hideSecretsOf(run: RunRecord, { secrets }: Pick<Terminal, 'secrets'>): void {
  for (const secret of secretsOfRun(run)) secrets.add(secret);
}

/** How a log is read: `interval` (ms) where it is followed; `isAll`, `showSecrets` on terminals. */
export interface LogRequest {
  readonly wish: LogWish;
  readonly isAll: boolean;
  readonly interval: number | undefined;
  readonly showSecrets: boolean;
}

/**
 * Writes the text of a log. On a terminal it is made safe, without secrets and with colour, and only the end of it
 * unless more is asked for; elsewhere it is exactly the platform's.
 */
export async function writeLog(
  { wish: asked, isAll, interval, showSecrets }: LogRequest,
  operation: Operation,
  terminal: Terminal,
): Promise<void> {
  const waiting = waitingOf(operation);
  const isSelected = isAll || [asked.since, asked.until, asked.tail].some((one) => one !== undefined);
  const isShort = terminal.stdout.terminal && !isSelected;
  const wish = isShort ? { ...asked, tail: ON_TERMINAL } : asked;
  const pieces = interval === undefined ? logText(wish, waiting) : followedText(wish, interval, operation);
  const hide = (text: string): string => (showSecrets ? text : terminal.hide(text));
  const shown = terminal.stdout.terminal ? logForTerminal(pieces, terminal.stdout, hide) : pieces;
  let count = 0;
  for await (const piece of shown) {
    if (terminal.closed) return;
    if (piece.length > 0) count += 1;
    await terminal.write(piece);
  }
  if (count === 0) terminal.tell('the log has no lines');
  if (isShort && interval === undefined && count >= ON_TERMINAL)
    terminal.tell(`the last ${ON_TERMINAL} lines; use --tail all for the whole log`);
}

async function* followedText(wish: LogWish, interval: number, operation: Operation): AsyncGenerator<Buffer> {
  for await (const lines of followText(wish, interval, waitingOf(operation)))
    yield Buffer.from(lines.map(({ log }) => log).join(''));
}

/** The lines of a log as other programs take them. */
export async function* logItems({ wish, interval }: LogRequest, operation: Operation, format: Format) {
  const waiting = waitingOf(operation);
  if (interval !== undefined) {
    for await (const lines of followJson(wish, interval, waiting)) yield* lines.map(itemOf);
    return;
  }
  const most = DOCUMENTS.includes(format) ? LARGEST_DOCUMENT : undefined;
  try {
    for await (const line of logLines(wish, waiting, most)) yield itemOf(line);
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'TOO_LARGE') throw error;
    throw new CliError('TOO_LARGE', `the log is too large for one ${format} document`, {
      ...error.details,
      hints: ['-o ndjson has no limit', 'or select a part: --level, --since, --tail'],
    });
  }
}

const itemOf = ({ log, offset }: Line<LogMembers>) => ({ ...log, timestampAt: formatTime(log.timestamp), offset });

/**
 * Says the last errors of the log of a run with their causes. A log that cannot be read is a warning, as the run is
 * what the command is about.
 */
export async function tellErrors(runid: string, operation: Operation): Promise<void> {
  const { pipeline, session } = operation;
  const { terminal } = session;
  const wish = { place: { ...pipeline.place, run: runid, level: 'ERROR' }, tail: MOST_ERRORS };
  try {
    let count = 0;
    for await (const { log } of logLines(wish, waitingOf(operation))) {
      const time = timeText(new Date(log.timestamp), terminal.stderr, 'seconds');
      terminal.note(visible(`${time}  ${log.logLevel ?? ''}  ${log.message ?? ''}`));
      const cause = causeInTrace(log.stackTrace ?? '');
      if (cause !== undefined) terminal.note(visible(`  ${cause}`));
      count += 1;
    }
    if (count === 0) terminal.note('the log of the run has no error');
  } catch (error) {
    if (!(error instanceof CliError) || session.signal.aborted) throw error;
    terminal.warn(error.code, `the log of the run cannot be read: ${error.message}`);
  }
}
