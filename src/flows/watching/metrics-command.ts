import { CliError } from '../../core/errors.js';
import type { RenderOptions } from '../../output/view-types.js';
import { readMetrics, type FoundMetrics } from '../../services/metrics/read.js';
import { parsePipelineName } from '../../services/metrics/pipeline.js';
import type { PlatformPlace } from '../../cli/context-types.js';
import type { MetricsRequest } from './metrics-request.js';
import { checkWatch, watchMetrics } from './metrics-watch.js';
import type { Session } from '../../cli/session.js';

const INTERVAL = 10_000;

/** Looks once at what a command line about metrics asks for. */
export async function lookOnce(
  request: MetricsRequest,
  { platform, namespace }: PlatformPlace,
  { clock, signal: stop }: Pick<Session, 'clock' | 'signal'>,
  mayBeEarly = false,
): Promise<FoundMetrics> {
  const pipeline = parsePipelineName(request.pipeline, namespace);
  return readMetrics(
    { ...request, pipeline, time: request.time(clock.now()), gate: '--fail-if', mayBeEarly },
    platform,
    stop,
  );
}

/** Refuses a pause between looks where there is one look. */
export function checkInterval(watch: boolean, onLine: ReadonlySet<string>): void {
  if (onLine.has('interval') && !watch) throw new CliError('USAGE', '--interval needs --watch');
}

/** How a command watches; `interval` in milliseconds. */
export interface WatchWish {
  readonly interval: number | undefined;
  readonly spark: boolean;
  readonly options: RenderOptions;
}

/**
 * Looks again and again at what a command line about metrics asks for. `open` gives the platform once the line is known
 * to be good.
 */
export async function lookOften(
  request: MetricsRequest,
  { interval = INTERVAL, spark, options }: WatchWish,
  session: Pick<Session, 'argv' | 'clock' | 'signal' | 'terminal'>,
  open: () => Promise<PlatformPlace>,
): Promise<void> {
  checkWatch({ interval, options });
  const place = await open();
  await watchMetrics(
    { look: (signal) => lookOnce(request, place, { clock: session.clock, signal }, true), interval, spark, options },
    session,
  );
}
