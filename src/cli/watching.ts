import { CliError, type ErrorCode } from '../core/errors.js';
import { visible } from '../output/escape.js';
import type { Look } from '../output/look.js';
import { CLEAR_LINE, Redraw } from './dashboard-redraw.js';
import type { Terminal } from './terminal.js';

/** Errors that pass by themselves: the platform is away or slow. */
const PASSING: ReadonlySet<ErrorCode> = new Set([
  'NET_DNS',
  'NET_REFUSED',
  'NET_RESET',
  'NET_SHORT',
  'NET_TIMEOUT',
  'NET_SLOW',
  'RATE_LIMIT',
  'UNAVAILABLE',
]);

/** What a watch does about a look that failed: `failed` says once that the platform is away and throws what does not pass, `seen` ends that. */
export interface Absence {
  readonly failed: (error: unknown) => void;
  readonly seen: () => void;
}

/** Watches over the platform being away. */
export function absence(terminal: Terminal): Absence {
  let away = false;
  return {
    failed(error) {
      if (!(error instanceof CliError) || !PASSING.has(error.code)) throw error;
      if (!away) terminal.warn('AWAY', `the platform does not answer, looking on: ${visible(error.message)}`);
      away = true;
    },
    seen() {
      away = false;
    },
  };
}

/** Watches until it is stopped; what the terminal itself shows of Ctrl-C does not stay under the last frame. */
export async function watchUntilStopped(
  terminal: Terminal,
  signal: AbortSignal,
  work: () => Promise<void>,
): Promise<void> {
  terminal.watching = true;
  try {
    await work();
  } finally {
    if (signal.aborted && terminal.stdout.terminal) await terminal.write(`\r${CLEAR_LINE}`);
  }
}

/** Draws each frame over the one before, for a terminal as large as it is now; what was said in between stays where it is. */
export function redrawer(
  terminal: Terminal,
): (frame: (look: Look, rows: number | undefined) => AsyncIterable<string>) => Promise<void> {
  let redraw = new Redraw(terminal);
  let warned = terminal.warnings.length;
  return async (frame) => {
    if (terminal.warnings.length > warned) redraw = new Redraw(terminal);
    warned = terminal.warnings.length;
    let text = '';
    const columns = terminal.size()?.columns ?? terminal.stdout.columns;
    for await (const piece of frame({ ...terminal.stdout, columns }, redraw.rows)) text += piece;
    await redraw.draw(text);
  };
}
