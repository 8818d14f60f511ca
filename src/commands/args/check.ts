import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { checkFlags } from '../../flags/preferences.js';
import { checkMacros } from '../../flows/preferences/check.js';
import { missingMacros } from '../../output/views/preferences.js';

export default class ArgsCheck extends BaseCommand {
  static override summary = 'Check that every macro of a pipeline has a value';
  static override description =
    'Exits with 11 and lists the macros that would have no value in a run, including macros inside values. Macro functions such as secure() are not checked. --set adds arguments as in pipeline start; --ignore skips macros that a stage sets during the run.';
  static override examples = [
    'cdapctl args check etl/orders-hourly',
    'cdapctl args check etl/orders-hourly --set date=2024-05-02 --ignore offset --json',
  ];
  static override failures = ['NOT_FOUND', 'CHECK_FAILED', 'BAD_ANSWER'] as const;
  static override seeAlso = ['cdapctl args explain', 'cdapctl args set', 'cdapctl preferences check'];
  static override args = {
    pipeline: Args.string({
      required: true,
      multiple: true,
      description: '[NAMESPACE/]NAME of a pipeline; repeatable',
    }),
  };
  static override flags = { ...checkFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ArgsCheck);
    const line = { pipelines: args.pipeline, flags, topic: 'args' } as const;
    const items = await checkMacros(line, () => this.context(flags), this.signal);
    await this.show(missingMacros, { items });
  }
}
