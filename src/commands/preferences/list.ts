import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { levelFlags, valueListFlags } from '../../flags/preferences.js';
import { choosePlace } from '../../flows/preferences/place.js';
import { valuesAt } from '../../flows/preferences/show.js';
import { preferenceExplanation, preferenceList } from '../../output/views/preferences.js';
import { shownValues } from '../../services/preferences/resolve.js';

export default class PreferencesList extends BaseCommand {
  static override summary = 'List preferences of a level';
  static override description =
    'Without a pipeline, lists those of the namespace. Values that look secret are hidden unless --show-secrets is given.';
  static override examples = [
    'cdapctl preferences list -n etl',
    'cdapctl preferences list etl/orders-hourly --resolved',
    'cdapctl preferences list --level instance --json',
  ];
  static override failures = ['NOT_FOUND'] as const;
  static override seeAlso = ['cdapctl preferences explain', 'cdapctl preferences set', 'cdapctl args list'];
  static override args = { pipeline: Args.string({ description: '[NAMESPACE/]NAME of a pipeline' }) };
  static override flags = { ...levelFlags, ...valueListFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PreferencesList);
    const { level, resolved, 'show-secrets': showSecrets } = flags;
    const context = await this.context(flags);
    const { target, place } = await choosePlace({ ...args, level }, 'app', context, this.signal);
    const values = await valuesAt(place, !resolved, { ...target, signal: this.signal });
    const items = shownValues(values, showSecrets);
    await this.show(resolved ? preferenceExplanation : preferenceList, { items, members: { level: place.level } });
  }
}
