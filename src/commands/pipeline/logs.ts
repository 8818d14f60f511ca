import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { CliError } from '../../core/errors.js';
import { parseTime } from '../../core/time.js';
import { connectionFlags } from '../../flags/connection.js';
import { pipelineLogFlags } from '../../flags/pipeline-logs.js';
import { namedPipeline, namedRun } from '../../flows/named-pipeline.js';
import { checkFollow, hideSecretsOf, isText, logItems, writeLog } from '../../flows/pipelines/logs.js';
import type { Operation } from '../../flows/pipelines/operate.js';
import { logLineList } from '../../output/views/pipeline/logs.js';

const OFTEN = 1000;

export default class PipelineLogs extends BaseCommand {
  static override summary = 'Show the log of a pipeline run';
  static override description =
    'Streams the log exactly as the platform returns it. A log can contain secrets from the arguments of its run: on a terminal they are masked unless --show-secrets is given; in pipes, files and other formats they are not. The exit code does not depend on the status of the run. With --follow, continues until the run ends, and retries during outages of the platform. Times in the text are in the time zone of the server; with -o ndjson they are in UTC.';
  static override examples = [
    'cdapctl pipeline logs etl/orders-hourly',
    'cdapctl pipeline logs etl/orders-hourly latest --level ERROR',
    'cdapctl pipeline logs etl/orders-hourly latest --follow',
    'cdapctl pipeline logs etl/orders-hourly latest --tail 100 -o ndjson',
  ];
  static override failures = ['NOT_FOUND', 'TOO_LARGE'] as const;
  static override seeAlso = ['cdapctl pipeline runs', 'cdapctl pipeline wait', 'cdapctl help times'];
  static override args = {
    pipeline: Args.string({ required: true, description: '[NAMESPACE/]NAME' }),
    run: Args.string({ description: 'run ID, its first 8 or more characters, or latest (default)' }),
  };
  static override flags = { ...pipelineLogFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PipelineLogs);
    const options = this.renderOptions();
    checkFollow(flags, options.format);
    const now = this.session.clock.now();
    const time = (text: string | undefined): number | undefined =>
      text === undefined ? undefined : parseTime(text, now, this.terminal.stdout.utc);
    const [since, until] = [time(flags.since), time(flags.until)];
    if (since !== undefined && since > now) throw new CliError('USAGE', '--since is in the future');
    if (since !== undefined && until !== undefined && until <= since)
      throw new CliError('USAGE', '--until must be after --since');
    const context = await this.context(flags);
    const found = await namedPipeline(args.pipeline, context, this.signal);
    const operation: Operation = { ...found, session: this.session, context };
    const { pipeline } = found;
    const run = await namedRun(args.run ?? 'latest', found, operation);
    const { level, tail, follow, interval = OFTEN, 'show-secrets': showSecrets } = flags;
    if (!showSecrets) hideSecretsOf(run, this.terminal);
    const last = tail === 'all' ? undefined : tail;
    const wish = { place: { ...pipeline.place, run: run.runid, level }, since, until, tail: last };
    const isAll = tail === 'all';
    const reading = { wish, isAll, interval: follow ? Math.max(interval, 100) : undefined, showSecrets };
    if (isText(options.format)) await writeLog(reading, operation, this.terminal);
    else await this.show(logLineList, { items: logItems(reading, operation, options.format) });
  }
}
