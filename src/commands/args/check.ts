import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { checkFlags } from '../../flags/preferences.js';
import { argumentsOf, macroFailure, shownMacros } from '../../flows/preferences/arguments.js';
import { namedPipeline } from '../../flows/named-pipeline.js';
import { valuesIfAny } from '../../flows/preferences/input.js';
import { missingMacros, type ShownMacro } from '../../output/views/preferences.js';

export default class ArgsCheck extends BaseCommand {
  static override summary = 'Check that every macro of a pipeline has a value';
  static override description =
    'Exits with 2 and lists the macros that would have no value in a run, including macros inside values. Macro functions such as secure() are not checked. --set adds arguments as in pipeline start; --ignore skips macros that a stage sets during the run.';
  static override examples = [
    'cdapctl args check etl/orders-hourly',
    'cdapctl args check etl/orders-hourly --set date=2024-05-02 --ignore offset --json',
  ];
  static override failures = ['NOT_FOUND', 'MACRO_MISSING', 'BAD_ANSWER'] as const;
  static override seeAlso = ['cdapctl args explain', 'cdapctl args set'];
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
    const { signal } = this;
    const { ignore = [] } = flags;
    const given = await valuesIfAny(flags, signal);
    const context = await this.context(flags);
    const items: ShownMacro[] = [];
    for (const name of args.pipeline) {
      const chosen = await namedPipeline(name, context, signal);
      const { missing } = await argumentsOf(chosen, given, signal);
      items.push(...shownMacros(chosen.pipeline, missing).filter(({ macro }) => !ignore.includes(macro)));
    }
    const failure = macroFailure(items);
    if (failure !== undefined) throw failure;
    await this.show(missingMacros, { items });
  }
}
