import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { metricWatchFlags } from '../../flags/metrics.js';
import { lookOften } from '../../flows/watching/metrics-command.js';
import { metricsRequest } from '../../flows/watching/metrics-request.js';
import { refuseOtherNamespace } from '../../cli/settings.js';

export default class MetricsWatch extends BaseCommand {
  static override hidden = true;
  static override summary = 'Watch pipeline metrics (same as metrics get --watch)';
  static override description =
    'Refreshes every --interval: in place on a terminal, elsewhere only changed lines, in ndjson one line per change. Ends with Ctrl-C (130) or when a --fail-if condition is met (11). Retries while the platform does not respond.';
  static override examples = [
    "cdapctl metrics watch etl/orders-hourly --run latest --fail-if 'user.step.records.out>=1'",
  ];
  static override failures = ['NOT_FOUND', 'GATE'] as const;
  static override seeAlso = ['cdapctl metrics get', 'cdapctl metrics top'];
  static override args = {
    pipeline: Args.string({ required: true, description: '[NAMESPACE/]NAME' }),
    metric: Args.string({ multiple: true, description: 'metric, such as user.STAGE.records.in; repeatable' }),
  };
  static override flags = { ...metricWatchFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(MetricsWatch);
    const request = metricsRequest(
      args.pipeline,
      args.metric ?? [],
      { ...flags, utc: this.terminal.stdout.utc },
      this.session.clock.now(),
    );
    const wish = { interval: flags.interval, spark: !flags['no-spark'], options: this.renderOptions() };
    const context = await this.context(flags);
    refuseOtherNamespace(request.pipeline, context.found);
    await lookOften(request, wish, this.session, context);
  }
}
