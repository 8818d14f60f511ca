import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { counted } from '../../core/counted.js';
import { connectionFlags } from '../../flags/connection.js';
import { pipelineShowFlags } from '../../flags/pipeline.js';
import { namedPipeline } from '../../flows/named-pipeline.js';
import { pipelineWithToken } from '../../flows/pipelines/runs.js';
import { pipelineConfiguration, pipelineView } from '../../output/views/pipeline/pipeline.js';
import { storedConfiguration } from '../../services/pipelines/show.js';

export default class PipelineShow extends BaseCommand {
  static override summary = 'Show a pipeline: artifact, stages, schedules, last run';
  static override description =
    'With --config, prints the configuration as it is stored. Values that look secret (passwords, tokens, keys) are masked unless --show-secrets is given.';
  static override examples = [
    'cdapctl pipeline show etl/orders-hourly',
    'cdapctl pipeline show etl/orders-hourly --config',
    'cdapctl pipeline show etl/orders-hourly --json',
  ];
  static override failures = ['NOT_FOUND'] as const;
  static override seeAlso = ['cdapctl pipeline runs', 'cdapctl pipeline list'];
  static override args = { pipeline: Args.string({ required: true, description: '[NAMESPACE/]NAME' }) };
  static override flags = { ...pipelineShowFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PipelineShow);
    const { pipeline, target } = await namedPipeline(args.pipeline, await this.context(flags), this.signal);
    const showSecrets = flags['show-secrets'];
    if (!flags.config) {
      const asking = { platform: target.platform, signal: this.signal };
      await this.show(pipelineView, await pipelineWithToken(pipeline, showSecrets, asking));
      return;
    }
    const { text: configuration, masked } = storedConfiguration(pipeline, showSecrets);
    if (masked > 0)
      this.terminal.warn('MASKED', `${counted(masked, 'value')} that looks secret is masked: --show-secrets shows it`);
    await this.show(pipelineConfiguration, { namespace: pipeline.namespace, name: pipeline.name, configuration });
  }
}
