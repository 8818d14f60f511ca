import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { counted } from '../../core/counted.js';
import { CliError } from '../../core/errors.js';
import { connectionFlags } from '../../flags/connection.js';
import { pipelineShowFlags } from '../../flags/pipeline.js';
import { namedPipeline, namedRun } from '../../flows/named-pipeline.js';
import { pipelineWithToken, shownRun, tellNext } from '../../flows/pipelines/runs.js';
import { pipelineConfiguration, pipelineView } from '../../output/views/pipeline/pipeline.js';
import { runDetailsView } from '../../output/views/pipeline/run-details.js';
import { storedConfiguration } from '../../services/pipelines/show.js';

export default class PipelineShow extends BaseCommand {
  static override summary = 'Show a pipeline, or one of its runs';
  static override description =
    'For a pipeline: artifact, stages, schedules and the last run. For a run: times, how it was started, arguments, workflow token, the failed node, and the outcome of post-run actions if the log contains it. With --config, prints the stored configuration unchanged. Values that look secret (passwords, tokens, keys) are masked unless --show-secrets is given.';
  static override examples = [
    'cdapctl pipeline show etl/orders-hourly',
    'cdapctl pipeline show etl/orders-hourly latest',
    'cdapctl pipeline show etl/orders-hourly --config',
    'cdapctl pipeline show etl/orders-hourly --json',
  ];
  static override failures = ['NOT_FOUND'] as const;
  static override seeAlso = ['cdapctl pipeline runs', 'cdapctl pipeline list'];
  static override args = {
    pipeline: Args.string({ required: true, description: '[NAMESPACE/]NAME' }),
    run: Args.string({ description: 'run ID, its first 8 or more characters, or latest' }),
  };
  static override flags = { ...pipelineShowFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PipelineShow);
    if (args.run !== undefined && flags.config)
      throw new CliError('USAGE', '--config shows the configuration of a pipeline, not of a run');
    const context = await this.context(flags);
    const found = await namedPipeline(args.pipeline, context, this.signal);
    const { pipeline, target } = found;
    const showSecrets = flags['show-secrets'];
    const asking = { platform: target.platform, signal: this.signal, emit: context.emit };
    if (args.run !== undefined) {
      const record = await namedRun(args.run, found, { context, session: this.session });
      await this.show(runDetailsView, await shownRun(record, pipeline, showSecrets, asking));
      tellNext(record, pipeline, this.session);
      return;
    }
    if (!flags.config) {
      await this.show(pipelineView, await pipelineWithToken(pipeline, showSecrets, asking));
      return;
    }
    const { text: configuration, masked } = storedConfiguration(pipeline, showSecrets);
    if (masked > 0)
      this.terminal.warn('MASKED', `${counted(masked, 'value')} masked as secret; to show all values: --show-secrets`);
    await this.show(pipelineConfiguration, { namespace: pipeline.namespace, name: pipeline.name, configuration });
  }
}
