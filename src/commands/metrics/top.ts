import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { metricTopFlags } from '../../flags/metrics.js';
import { checkInterval, lookAt, lookOften } from '../../flows/watching/metrics-command.js';
import { metricsRequest } from '../../flows/watching/metrics-request.js';
import { showMetrics } from '../../flows/watching/metrics-show.js';
import { refuseOtherNamespace } from '../../cli/settings.js';

export default class MetricsTop extends BaseCommand {
  static override summary = 'Show the metrics of every stage of a pipeline';
  static override description =
    'Shows records in, records out, errors and average time per record (in json and csv: microseconds) for each stage, in pipeline order. A dash means no data. Without --run, counts and the average time cover all runs.';
  static override examples = [
    'cdapctl metrics top etl/orders-hourly',
    'cdapctl metrics top etl/orders-hourly --run latest --json',
    "cdapctl metrics top etl/orders-hourly --run latest --watch --fail-if 'user.step.records.out>=1'",
  ];
  static override failures = ['NOT_FOUND', 'GATE'] as const;
  static override seeAlso = ['cdapctl metrics get', 'cdapctl metrics list'];
  static override args = { pipeline: Args.string({ required: true, description: '[NAMESPACE/]NAME' }) };
  static override flags = { ...metricTopFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(MetricsTop);
    checkInterval(flags.watch, this.onLine);
    const request = metricsRequest(
      args.pipeline,
      [],
      { ...flags, utc: this.terminal.stdout.utc },
      this.session.clock.now(),
    );
    const context = await this.context(flags);
    refuseOtherNamespace(request.pipeline, context.found);
    const options = this.renderOptions();
    if (flags.watch) {
      const wish = { interval: flags.interval, spark: false, options };
      await lookOften(request, wish, this.session, context);
      return;
    }
    const seen = await lookAt(request, context, this.session);
    await showMetrics(seen, { spark: false, needsResult: false }, options, this.session);
  }
}
