import { CliError } from '../../core/errors.js';
import type { RenderOptions } from '../../output/view-types.js';
import { readMetrics, type FoundMetrics } from '../../services/metrics/read.js';
import { parsePipelineName } from '../../services/metrics/pipeline.js';
import type { CommandContext, PlatformPlace } from '../../cli/context-types.js';
import { withOneMeant, type ChoiceDeps } from '../one-meant.js';
import type { MetricsRequest } from './metrics-request.js';
import { checkWatch, watchMetrics } from './metrics-watch.js';
import type { Session } from '../../cli/session.js';

const INTERVAL = 10_000;

async function lookOnce(
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

/** Looks once at what a command line about metrics asks for. */
export async function lookAt(
  request: MetricsRequest,
  context: Pick<CommandContext, 'asker' | 'platform'>,
  session: ChoiceDeps['session'] & Pick<Session, 'clock' | 'signal'>,
): Promise<FoundMetrics> {
  const place = await context.platform();
  const look = (run: string | undefined): Promise<FoundMetrics> => lookOnce({ ...request, run }, place, session);
  return withOneMeant(request.run, look, { context, session }, 'run');
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
 * Looks again and again at what a command line about metrics asks for. The platform is opened once the line is known to
 * be good.
 */
export async function lookOften(
  request: MetricsRequest,
  { interval = INTERVAL, spark, options }: WatchWish,
  session: ChoiceDeps['session'] & Pick<Session, 'clock' | 'signal'>,
  context: Pick<CommandContext, 'asker' | 'platform'>,
): Promise<void> {
  checkWatch({ interval, options });
  const place = await context.platform();
  const watch = (run: string | undefined): Promise<void> => {
    const look = (signal: AbortSignal): Promise<FoundMetrics> =>
      lookOnce({ ...request, run }, place, { clock: session.clock, signal }, true);
    return watchMetrics({ look, interval, spark, options }, session);
  };
  await withOneMeant(request.run, watch, { context, session }, 'run');
}
