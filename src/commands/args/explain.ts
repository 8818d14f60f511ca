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
  static override summary = 'Show what a run would find as arguments, and where each is set';
  static override description =
    'Stored arguments of the pipeline come before its preferences, those before the preferences of its namespace and the instance. Arguments of a single run and its workflow token come before all of them: see --run. Names macros without a value, and keys that no macro uses.';
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
    const found =
      run === undefined ? argumentsOf(chosen, new Map(), this.signal) : argumentsOfRun(chosen, run, this.session);
    const { values, missing, unused } = await found;
    const members = { level: 'program', missing: shownMacros(chosen.pipeline, missing), unused };
    await this.show(argumentExplanation, { items: shownValues(values, flags['show-secrets']), members });
    for (const macro of missing) this.terminal.tell(visible(macroLine(macro)));
    if (unused.length > 0) this.terminal.tell(visible(`no macro uses: ${unused.join(', ')}`));
  }
}
