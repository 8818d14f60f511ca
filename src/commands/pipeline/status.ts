import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { refuseOtherNamespace } from '../../cli/settings.js';
import { CliError } from '../../core/errors.js';
import { onePipeline } from '../../core/pipeline-pattern.js';
import { connectionFlags } from '../../flags/connection.js';
import { pipelineStatusFlags } from '../../flags/pipeline.js';
import { isMachineFormat } from '../../output/format.js';
import { pipelineStatus } from '../../output/views/pipeline/status.js';
import { parsePipelineName } from '../../services/metrics/pipeline.js';
import { pipelineStatuses } from '../../services/pipelines/status.js';

export default class PipelineStatus extends BaseCommand {
  static override summary = 'Show the current status and the active runs of pipelines';
  static override description =
    'Exits with 0 for any status. With --expect RUNNING (or STARTING, STOPPED), exits with 11 if a pipeline has another status.';
  static override examples = [
    'cdapctl pipeline status etl/orders-hourly',
    'cdapctl pipeline status etl/orders-hourly -o csv',
    'cdapctl pipeline status etl/orders-hourly --json',
  ];
  static override failures = ['NOT_FOUND', 'GATE'] as const;
  static override seeAlso = ['cdapctl pipeline runs', 'cdapctl pipeline wait'];
  static override args = {
    pipeline: Args.string({ required: true, multiple: true, description: '[NAMESPACE/]NAME; repeatable' }),
  };
  static override flags = { ...pipelineStatusFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PipelineStatus);
    const names = args.pipeline.map(onePipeline);
    const context = await this.context(flags);
    for (const name of names) refuseOtherNamespace(name, context.found);
    const { platform, namespace } = await context.platform();
    const named = names.map((name) => parsePipelineName(name, namespace));
    const items = await pipelineStatuses(named, platform, this.signal);
    const others = items.filter(({ status }) => flags.expect !== undefined && status !== flags.expect);
    const [first] = others;
    if (first === undefined || !isMachineFormat(this.renderOptions().format))
      await this.show(pipelineStatus, { items });
    if (first === undefined) return;
    const what =
      others.length === 1 ? `pipeline "${first.name}" is ${first.status}` : `${others.length} pipelines are not`;
    throw new CliError('GATE', `--expect ${flags.expect ?? ''}: ${what}`, {
      item: items,
      target: { namespace: first.namespace, pipeline: first.name },
    });
  }
}
