import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../cli/flags/connection.js';
import { metricGetFlags } from '../../cli/flags/metrics.js';
import { lookOnce } from '../../cli/metrics-command.js';
import { metricsRequest } from '../../cli/metrics-request.js';
import { showMetrics } from '../../cli/metrics-show.js';

export default class MetricsGet extends BaseCommand {
  static override summary = 'Show numbers that a pipeline has counted: totals, or their course over time';
  static override description =
    'Without METRIC: records in, out and errors of every stage. A metric without a series was never counted; in --fail-if it counts as 0, and a name that is no metric at all ends with 5. With a time, --fail-if looks at the sum of the points, and never at groups.';
  static override examples = [
    'cdapctl metrics get etl/orders-hourly',
    "cdapctl metrics get etl/orders-hourly --run latest --fail-if 'user.step.records.error>0'",
    'cdapctl metrics get etl/orders-hourly user.step.records.out --start now-24h --resolution 1h',
    'cdapctl metrics get etl/orders-hourly user.step.records.out --group-by run --json',
  ];
  static override failures = ['NOT_FOUND', 'GATE'] as const;
  static override seeAlso = ['cdapctl metrics list', 'cdapctl metrics watch', 'cdapctl metrics top'];
  static override args = {
    pipeline: Args.string({ required: true, description: '[NAMESPACE/]NAME' }),
    metric: Args.string({ multiple: true, description: 'user.STAGE.records.in and the like; several are allowed' }),
  };
  static override flags = { ...metricGetFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(MetricsGet);
    const request = metricsRequest(
      args.pipeline,
      args.metric ?? [],
      { ...flags, utc: this.terminal.stdout.utc },
      this.session.clock.now(),
    );
    const context = await this.context(flags);
    const seen = await lookOnce(request, await context.platform(), this.session);
    const wish = { spark: !flags['no-spark'], needsResult: request.needsResult };
    await showMetrics(seen, wish, this.renderOptions(), this.terminal);
  }
}
