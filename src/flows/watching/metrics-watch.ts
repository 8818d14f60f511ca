import { CliError } from '../../core/errors.js';
import { formatTime } from '../../core/time.js';
import { jsonDocument } from '../../output/writers/json.js';
import type { RenderOptions } from '../../output/view-types.js';
import type { FoundMetrics } from '../../services/metrics/read.js';
import { failureOfMetrics, rowsOf, warnOfMissing, warnOfSums, type MetricRows } from './metrics-show.js';
import type { Session } from '../../cli/session.js';
import { absence, frameOf, redrawer, watchUntilStopped } from './watch.js';

/** How metrics are watched; `interval` in milliseconds. */
export interface MetricWatch {
  readonly look: (signal: AbortSignal) => Promise<FoundMetrics>;
  readonly interval: number;
  readonly spark: boolean;
  readonly options: RenderOptions;
}

type WatchSession = Pick<Session, 'argv' | 'clock' | 'signal' | 'terminal'>;

/** Refuses formats that need an end, and pauses that would be a burden. */
export function checkWatch({ interval, options: { format } }: Pick<MetricWatch, 'interval' | 'options'>): void {
  if (!['table', 'wide', 'csv', 'ndjson'].includes(format))
    throw new CliError('USAGE', `--watch cannot write ${format}`, { hints: ['-o ndjson'] });
  if (interval < 1000) throw new CliError('USAGE', '--interval must be at least 1s');
}

/**
 * Looks again and again until the signal or a condition ends it. On a terminal redrawn in place, elsewhere what has
 * changed is added.
 */
export function watchMetrics(watch: MetricWatch, session: WatchSession): Promise<void> {
  return watchUntilStopped(session.terminal, session.signal, (stop) => lookOn(watch, session, stop));
}

async function lookOn(watch: MetricWatch, session: WatchSession, signal: AbortSignal): Promise<void> {
  const { terminal, clock } = session;
  const draw = drawer(watch, session);
  const away = absence(terminal);
  for (let round = 0; !terminal.closed; round++) {
    try {
      const seen = await watch.look(signal);
      away.seen();
      if (round === 0) {
        warnOfMissing(seen, terminal);
        warnOfSums(seen, session);
      }
      await draw(rowsOf(seen, watch.spark));
      const failure = failureOfMetrics(seen, false);
      if (failure !== undefined) throw failure;
    } catch (error) {
      signal.throwIfAborted();
      if (round === 0) throw error;
      away.failed(error);
    }
    await clock.sleep(watch.interval, signal);
  }
}

type ShowRows = (rows: MetricRows, changed: ReadonlySet<string>) => Promise<void>;

/** Redraws everything in place. */
function redrawing({ options, interval }: MetricWatch, { terminal, clock }: WatchSession): ShowRows {
  const draw = redrawer(terminal);
  return (rows) =>
    draw((look) =>
      frameOf((onLeftOut) => rows.render({ ...options, look, onLeftOut }), { now: clock.now(), interval }, look),
    );
}

/** Adds the lines that have changed; the first time all, with their header. */
function appending({ options }: MetricWatch, { terminal }: WatchSession): ShowRows {
  let isFirst = true;
  return async (rows, changed) => {
    const header = isFirst && options.header !== false;
    if (isFirst || changed.size > 0)
      await terminal.write(await textOf(rows.render({ ...options, header }, (key) => changed.has(key))));
    isFirst = false;
  };
}

/** A line of JSON for each change. */
function events({ terminal, clock }: WatchSession): ShowRows {
  return async ({ rows }, changed) => {
    const at = formatTime(clock.now());
    for (const { key, item } of rows)
      if (changed.has(key)) await terminal.write(jsonDocument({ type: 'item', at, item }, false));
  };
}

function showingOf(watch: MetricWatch, session: WatchSession): ShowRows {
  const { format } = watch.options;
  if (format === 'ndjson') return events(session);
  const isTable = format === 'table' || format === 'wide';
  return isTable && session.terminal.stdout.terminal ? redrawing(watch, session) : appending(watch, session);
}

function drawer(watch: MetricWatch, session: WatchSession): (rows: MetricRows) => Promise<void> {
  const show = showingOf(watch, session);
  const before = new Map<string, string>();
  return async (rows) => {
    const texts = rows.rows.map(({ key, item }) => [key, JSON.stringify(item)] as const);
    const changed = texts.filter(([key, text]) => before.get(key) !== text);
    for (const [key, text] of changed) before.set(key, text);
    await show(rows, new Set(changed.map(([key]) => key)));
  };
}

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}
