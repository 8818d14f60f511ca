import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { explainFlags } from '../../flags/preferences.js';
import { argumentsOf, argumentsOfRun, macroLine, shownMacros } from '../../flows/preferences/arguments.js';
import { namedPipeline } from '../../flows/named-pipeline.js';
import { visible } from '../../output/escape.js';
import { argumentExplanation } from '../../output/views/preferences.js';
import { shownValues } from '../../services/preferences/resolve.js';

export default class ArgsExplain extends BaseCommand {
  static override summary = 'Show the effective arguments of a pipeline and where each is set';
  static override description =
    'Stored arguments of the pipeline override its preferences, which override those of its namespace and of the instance. The arguments and the workflow token of a single run (--run) override all of them. Also lists macros without a value and keys that no macro uses.';
  static override examples = [
    'cdapctl args explain etl/orders-hourly',
    'cdapctl args explain etl/orders-hourly --run latest --json',
  ];
  static override failures = ['NOT_FOUND', 'BAD_ANSWER'] as const;
  static override seeAlso = ['cdapctl args check', 'cdapctl args set', 'cdapctl preferences explain'];
  static override args = { pipeline: Args.string({ required: true, description: '[NAMESPACE/]NAME of a pipeline' }) };
  static override flags = { ...explainFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ArgsExplain);
    const context = await this.context(flags);
    const chosen = await namedPipeline(args.pipeline, context, this.signal);
    const { run } = flags;
    const { values, missing, unused } = await (run === undefined
      ? argumentsOf(chosen, new Map(), this.signal)
      : argumentsOfRun(chosen, run, { context, session: this.session }));
    const members = { level: 'program', missing: shownMacros(chosen.pipeline, missing), unused };
    await this.show(argumentExplanation, { items: shownValues(values, flags['show-secrets']), members });
    for (const macro of missing) this.terminal.tell(visible(macroLine(macro)));
    if (unused.length > 0) this.terminal.tell(visible(`no macro uses: ${unused.join(', ')}`));
  }
}
