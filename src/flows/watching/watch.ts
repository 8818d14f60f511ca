import { counted } from '../../core/counted.js';
import { formatDuration } from '../../core/duration.js';
import { isPassing } from '../../core/errors.js';
import { joinSignals } from '../../core/join-signals.js';
import { momentText } from '../../output/clock-text.js';
import { visible } from '../../output/escape.js';
import { paint, type Look } from '../../output/look.js';
import type { OnLeftOut } from '../../output/view-types.js';
import { CLEAR_LINE, Redraw } from './redraw.js';
import type { Terminal } from '../../cli/terminal/terminal.js';

/**
 * Handles failed looks of a watch. `failed` warns once that the platform is away, and throws errors that do not pass by
 * themselves. `seen` resets it.
 */
export interface Absence {
  readonly failed: (error: unknown) => void;
  readonly seen: () => void;
}

/** Watches over the platform being away. */
export function absence(terminal: Terminal): Absence {
  let away = false;
  return {
    failed(error) {
      if (!isPassing(error)) throw error;
      if (!away) terminal.warn('AWAY', `platform not responding, retrying: ${visible(error.message)}`);
      away = true;
    },
    seen() {
      away = false;
    },
  };
}

/** When it was looked last, in milliseconds, and how often that is done. */
interface RefreshTimes {
  readonly now: number;
  readonly interval: number;
}

/** A frame, and below it a line: when it was looked last, how often, what ends it, what had no room. */
export async function* frameOf(
  render: (onLeftOut: OnLeftOut) => AsyncIterable<string>,
  { now, interval }: RefreshTimes,
  look: Look,
): AsyncGenerator<string> {
  let left = 0;
  yield* render((columns) => (left = columns));
  const at = momentText(Math.floor(now / 1000), look, false);
  const hidden = left === 0 ? '' : `; ${counted(left, 'column')} hidden`;
  const line = `${at}${look.utc ? 'Z' : ''}, every ${formatDuration(interval)}, q ends${hidden}`;
  yield `${paint(look, 'dim', line)}\n`;
}

/**
 * Watches until it is stopped, or on a terminal until somebody types q. What the terminal itself shows of Ctrl-C does
 * not stay under the last frame.
 */
export async function watchUntilStopped(
  terminal: Terminal,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
): Promise<void> {
  terminal.watching = true;
  const joined = joinSignals(signal);
  const restore = terminal.keys?.((key) => {
    if (key.toLowerCase() === 'q') joined.abort();
  });
  try {
    await work(joined.signal);
  } catch (error) {
    if (signal.aborted || !joined.signal.aborted) throw error;
  } finally {
    restore?.();
    joined.release();
    if (signal.aborted && terminal.stdout.terminal) await terminal.write(`\r${CLEAR_LINE}`);
  }
}

/**
 * Draws each frame over the one before, for a terminal as large as it is now. What was said in between stays where it
 * is.
 */
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
