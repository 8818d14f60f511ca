import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { metricGetFlags } from '../../flags/metrics.js';
import { checkInterval, lookAt, lookOften } from '../../flows/watching/metrics-command.js';
import { metricsRequest } from '../../flows/watching/metrics-request.js';
import { showMetrics } from '../../flows/watching/metrics-show.js';
import { refuseOtherNamespace } from '../../cli/settings.js';

export default class MetricsGet extends BaseCommand {
  static override summary = 'Show pipeline metrics: totals or time series';
  static override description =
    'METRIC can contain * and ?. Without METRIC, the same as metrics top: an overview of every stage (with a time window or groups: records in and out). A metric without data counts as 0 in --fail-if, and an unknown one there exits with 5; an unknown METRIC is a warning, or 5 with --fail-on-no-result. With a time window, --fail-if checks the sum of the points; it never checks groups. With --watch, the output refreshes every --interval: in place on a terminal (q quits), elsewhere only changed lines, in ndjson one line per change. Watching ends with Ctrl-C (130) or when a condition is met (11), and retries while the platform does not respond.';
  static override examples = [
    'cdapctl metrics get etl/orders-hourly',
    "cdapctl metrics get etl/orders-hourly --fail-if 'user.step.records.error>0'",
    'cdapctl metrics get etl/orders-hourly user.step.records.out --start now-24h',
    'cdapctl metrics get etl/orders-hourly --group-by run --json',
    "cdapctl metrics get etl/orders-hourly user.step.records.out --watch -o ndjson --fail-if 'user.step.records.out>=1'",
  ];
  static override failures = ['NOT_FOUND', 'GATE'] as const;
  static override seeAlso = ['cdapctl metrics list', 'cdapctl metrics top'];
  static override args = {
    pipeline: Args.string({ required: true, description: '[NAMESPACE/]NAME' }),
    metric: Args.string({ multiple: true, description: 'metric, such as user.STAGE.records.in; repeatable' }),
  };
  static override flags = { ...metricGetFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(MetricsGet);
    checkInterval(flags.watch, this.onLine);
    const request = metricsRequest(
      args.pipeline,
      args.metric ?? [],
      { ...flags, utc: this.terminal.stdout.utc },
      this.session.clock.now(),
    );
    const context = await this.context(flags);
    refuseOtherNamespace(request.pipeline, context.found);
    if (flags.watch) {
      const often = { interval: flags.interval, spark: !flags['no-spark'], options: this.renderOptions() };
      await lookOften(request, often, this.session, context);
      return;
    }
    const seen = await lookAt(request, context, this.session);
    const wish = { spark: !flags['no-spark'], needsResult: request.needsResult };
    await showMetrics(seen, wish, this.renderOptions(), this.session);
  }
}
