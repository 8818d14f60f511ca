import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { refuseOtherNamespace } from '../../cli/settings.js';
import { metricNameFlags } from '../../flags/metrics.js';
import { withOneMeant } from '../../flows/one-meant.js';
import { givenTag } from '../../flows/watching/metrics-request.js';
import { onePipeline } from '../../core/pipeline-pattern.js';
import { metricList } from '../../output/views/metrics-names.js';
import { listMetricNames } from '../../services/metrics/list.js';
import { parsePipelineName } from '../../services/metrics/pipeline.js';

export default class MetricsList extends BaseCommand {
  static override summary = 'List the metrics of a pipeline';
  static override examples = [
    'cdapctl metrics list etl/orders-hourly',
    "cdapctl metrics list etl/orders-hourly --user --match '*.records.*'",
    'cdapctl metrics list etl/orders-hourly --run latest --json',
  ];
  static override failures = ['NOT_FOUND'] as const;
  static override seeAlso = ['cdapctl metrics get', 'cdapctl metrics tags'];
  static override args = { pipeline: Args.string({ required: true, description: '[NAMESPACE/]NAME' }) };
  static override flags = { ...metricNameFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(MetricsList);
    const tags = (flags.tag ?? []).map(givenTag);
    const named = onePipeline(args.pipeline);
    const context = await this.context(flags);
    refuseOtherNamespace(named, context.found);
    const { platform, namespace } = await context.platform();
    const pipeline = parsePipelineName(named, namespace);
    const scope = flags.user ? 'user' : flags.system ? 'system' : undefined;
    const wanted = { pipeline, tags, scope, match: flags.match } as const;
    const items = await withOneMeant(
      flags.run,
      (run) => listMetricNames({ ...wanted, run }, platform, this.signal),
      { context, session: this.session },
      'run',
    );
    await this.show(metricList, { items });
  }
}
