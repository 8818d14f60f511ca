import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { refuseOtherNamespace } from '../../cli/settings.js';
import { connectionFlags } from '../../flags/connection.js';
import { onePipeline } from '../../core/pipeline-pattern.js';
import { metricTagList } from '../../output/views/metrics-names.js';
import { listMetricTags } from '../../services/metrics/list.js';
import { findPipeline, parsePipelineName } from '../../services/metrics/pipeline.js';
import { parseTag, tagsOfPipeline } from '../../services/metrics/tags.js';

export default class MetricsTags extends BaseCommand {
  static override summary = 'List the tags of metrics';
  static override description =
    'Lists the tags that can follow the given ones. Their order matters: namespace, app, workflow or spark, run. A pipeline, [NS/]NAME, stands for the first two.';
  static override examples = [
    'cdapctl metrics tags',
    'cdapctl metrics tags etl/orders-hourly',
    'cdapctl metrics tags namespace=etl app=orders-hourly',
    'cdapctl metrics tags namespace=etl app=orders-hourly --json',
  ];
  static override failures = ['NOT_FOUND'] as const;
  static override seeAlso = ['cdapctl metrics list', 'cdapctl metrics get'];
  static override args = {
    tag: Args.string({
      multiple: true,
      description: 'NAME=VALUE, value * matches any; repeatable; the first can be a pipeline, [NS/]NAME',
    }),
  };
  static override flags = { ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(MetricsTags);
    const words = args.tag ?? [];
    const [word = ''] = words;
    const named = words.length > 0 && !word.includes('=') ? onePipeline(word) : undefined;
    const given = words.slice(named === undefined ? 0 : 1).map(parseTag);
    const context = await this.context(flags);
    if (named !== undefined) refuseOtherNamespace(named, context.found);
    const { platform, namespace } = await context.platform();
    const pipeline =
      named === undefined ? undefined : await findPipeline(parsePipelineName(named, namespace), platform, this.signal);
    const tags = [...(pipeline === undefined ? [] : tagsOfPipeline(pipeline)), ...given];
    await this.show(metricTagList, { items: await listMetricTags(tags, platform, this.signal) });
  }
}
