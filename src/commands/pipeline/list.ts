import { BaseCommand } from '../../cli/base-command.js';
import { namespacesOfPatterns } from '../../core/pipeline-pattern.js';
import { connectionFlags } from '../../flags/connection.js';
import { pipelineListFlags } from '../../flags/pipeline.js';
import { keepingPipelines } from '../../flows/completion/kept-names.js';
import { refuseBoth } from '../../flows/pipelines/inputs.js';
import { tellScope } from '../../flows/target-line.js';
import { isMachineFormat } from '../../output/format.js';
import { pipelineList } from '../../output/views/pipeline/list.js';
import { dashboardNamespaces } from '../../services/dashboard/dashboard.js';
import { listPipelines } from '../../services/pipelines/list.js';

export default class PipelineList extends BaseCommand {
  static override summary = 'List pipelines with their status, last run and next run';
  static override description =
    'Lists batch and realtime pipelines. STATUS is the current status of the pipeline, LAST RUN the status of its newest run. Platform 6.1 does not list next runs: use "cdapctl pipeline show" for the schedules of one pipeline.';
  static override examples = [
    'cdapctl pipeline list',
    'cdapctl pipeline list -n etl --status FAILED -o name',
    "cdapctl pipeline list -A -p 'orders-*' -o wide",
    'cdapctl pipeline list -A --kind realtime --json',
  ];
  static override failures = ['NOT_FOUND'] as const;
  static override seeAlso = ['cdapctl pipeline show', 'cdapctl pipeline runs', 'cdapctl dashboard'];
  static override flags = { ...connectionFlags, ...pipelineListFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(PipelineList);
    refuseBoth(this.onLine, 'all-namespaces', 'namespace');
    const context = await this.context(flags);
    const { platform } = await context.platform();
    const patterns = flags.pipeline ?? [];
    const named = this.onLine.has('namespace')
      ? flags.namespace
      : flags['all-namespaces']
        ? undefined
        : namespacesOfPatterns(patterns, context.found.settings.namespaces?.value ?? ['default']);
    const namespaces = await dashboardNamespaces(named, platform, this.signal);
    const { kind, status: statuses = [], 'artifact-version': version } = flags;
    tellScope({ onLine: this.onLine, flags, patterns }, namespaces, this.session);
    const withRuns = isMachineFormat(this.renderOptions().format);
    const wanted = { namespaces, patterns, kind, version, statuses, withRuns };
    const items = listPipelines(wanted, platform, this.signal);
    const isWhole = [...patterns, ...statuses, kind, version].every((filter) => filter === undefined);
    const here = { found: context.found, clock: this.session.clock };
    await this.show(pipelineList, { items: isWhole ? keepingPipelines(items, namespaces, here) : items });
  }
}
