import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { checkFlags } from '../../flags/preferences.js';
import { checkMacros } from '../../flows/preferences/check.js';
import { missingMacros } from '../../output/views/preferences.js';

export default class PreferencesCheck extends BaseCommand {
  static override summary = 'Check that every macro of a pipeline has a value without stored arguments';
  static override description =
    'Like args check, but only preferences count: those of the pipeline, its namespace and the instance. Exits with 11 and lists the macros that have no value there.';
  static override examples = [
    'cdapctl preferences check etl/orders-hourly',
    'cdapctl preferences check etl/orders-hourly --set date=2024-05-02 --ignore offset --json',
  ];
  static override failures = ['NOT_FOUND', 'CHECK_FAILED', 'BAD_ANSWER'] as const;
  static override seeAlso = ['cdapctl preferences explain', 'cdapctl args check'];
  static override args = {
    pipeline: Args.string({
      required: true,
      multiple: true,
      description: '[NAMESPACE/]NAME of a pipeline; repeatable',
    }),
  };
  static override flags = { ...checkFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PreferencesCheck);
    const line = { pipelines: args.pipeline, flags, topic: 'preferences' } as const;
    const items = await checkMacros(line, () => this.context(flags), this.signal);
    await this.show(missingMacros, { items });
  }
}
