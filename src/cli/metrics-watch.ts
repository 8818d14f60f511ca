import { formatDuration } from '../core/duration.js';
import { CliError } from '../core/errors.js';
import { displayWidth } from '../output/width.js';
import { timeText } from '../output/writers/columns.js';
import { jsonDocument } from '../output/writers/json.js';
import type { RenderOptions } from '../output/view.js';
import type { MetricsSeen } from '../services/metrics/look.js';
import { failureOfMetrics, rowsOf, warnOfMissing, type MetricRows } from './metrics-show.js';
import type { Session } from './session.js';

/** Errors that pass: the next look may find the platform again. */
const PASSING = ['NET_REFUSED', 'NET_RESET', 'NET_SHORT', 'NET_TIMEOUT', 'NET_SLOW', 'UNAVAILABLE'];

/** How metrics are watched; `interval` in milliseconds. */
export interface MetricWatch {
  readonly look: () => Promise<MetricsSeen>;
  readonly interval: number;
  readonly spark: boolean;
  readonly options: RenderOptions;
}

/** Refuses formats that need an end, and pauses that would be a burden. */
export function checkWatch({ interval, options: { format } }: Pick<MetricWatch, 'interval' | 'options'>): void {
  if (!['table', 'wide', 'csv', 'ndjson'].includes(format))
    throw new CliError('USAGE', `what is watched has no end, which ${format} needs`, { hints: ['-o ndjson'] });
  if (interval < 1000) throw new CliError('USAGE', '--interval must be 1s or more');
}

/** Looks again and again until the signal or a condition ends it; on a terminal redrawn in place, elsewhere what has changed is added. */
export async function watchMetrics(watch: MetricWatch, { terminal, clock, signal }: Session): Promise<void> {
  const draw = drawer(watch, { terminal, clock });
  let away = false;
  for (let round = 0; !terminal.closed; round++) {
    try {
      const seen = await watch.look();
      away = false;
      if (round === 0) warnOfMissing(seen, terminal);
      await draw(rowsOf(seen, watch.spark));
      const failure = failureOfMetrics(seen, false);
      if (failure !== undefined) throw failure;
    } catch (error) {
      if (round === 0 || !(error instanceof CliError) || !PASSING.includes(error.code)) throw error;
      if (!away) terminal.warn('AWAY', `the platform does not answer, looking on: ${error.message}`);
      away = true;
    }
    await clock.sleep(watch.interval, signal);
  }
}

function drawer({ options, interval }: MetricWatch, { terminal, clock }: Pick<Session, 'terminal' | 'clock'>) {
  const before = new Map<string, string>();
  const isDrawn = terminal.stdout.terminal && (options.format === 'table' || options.format === 'wide');
  let [height, warned, isFirst] = [0, 0, true];
  return async (rows: MetricRows): Promise<void> => {
    const changed = new Set(
      rows.rows.flatMap(({ key, item }) => (before.get(key) === JSON.stringify(item) ? [] : [key])),
    );
    for (const { key, item } of rows.rows) before.set(key, JSON.stringify(item));
    if (isDrawn) {
      // What was said in between stays where it is.
      if (terminal.warnings.length > warned) [height, warned] = [0, terminal.warnings.length];
      const now = timeText(new Date(clock.now()), terminal.stdout);
      const text = `${await textOf(rows.render(options))}${now}  every ${formatDuration(interval)}, Ctrl-C ends\n`;
      await terminal.write(`${height === 0 ? '' : `\u001b[${height}A\u001b[0J`}${text}`);
      height = heightOf(text, terminal.stdout.columns);
    } else if (options.format === 'ndjson') {
      const at = new Date(clock.now()).toISOString();
      for (const { key, item } of rows.rows)
        if (changed.has(key)) await terminal.write(jsonDocument({ type: 'item', at, item }, false));
    } else if (isFirst || changed.size > 0) {
      const header = isFirst && options.header !== false;
      await terminal.write(await textOf(rows.render({ ...options, header }, (key) => changed.has(key))));
    }
    isFirst = false;
  };
}

async function textOf(pieces: AsyncIterable<string>): Promise<string> {
  let text = '';
  for await (const piece of pieces) text += piece;
  return text;
}

/** The lines that a text takes on a terminal, where long ones are broken. */
function heightOf(text: string, columns = Infinity): number {
  const lines = text.split('\n').slice(0, -1);
  return lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(displayWidth(line) / columns)), 0);
}
