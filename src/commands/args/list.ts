import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { valueListFlags } from '../../flags/preferences.js';
import { argumentPlace } from '../../flows/preferences/arguments.js';
import { valuesAt } from '../../flows/preferences/show.js';
import { argumentExplanation, argumentList } from '../../output/views/preferences.js';
import { shownValues } from '../../services/preferences/resolve.js';

export default class ArgsList extends BaseCommand {
  static override summary = 'List stored arguments of a pipeline';
  static override description =
    'Values that look secret are hidden unless --show-secrets is given. With --resolved, also lists the preferences that apply to a run.';
  static override examples = [
    'cdapctl args list etl/orders-hourly',
    'cdapctl args list etl/orders-hourly --resolved --json',
  ];
  static override failures = ['NOT_FOUND'] as const;
  static override seeAlso = ['cdapctl args explain', 'cdapctl args set', 'cdapctl preferences list'];
  static override args = { pipeline: Args.string({ required: true, description: '[NAMESPACE/]NAME of a pipeline' }) };
  static override flags = { ...valueListFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ArgsList);
    const { resolved, 'show-secrets': showSecrets } = flags;
    const context = await this.context(flags);
    const { target, place } = await argumentPlace(args.pipeline, context, this.signal);
    const values = await valuesAt(place, !resolved, { ...target, signal: this.signal });
    const items = shownValues(values, showSecrets);
    await this.show(resolved ? argumentExplanation : argumentList, { items, members: { level: place.level } });
  }
}
