import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { levelFlags, secretFlags } from '../../flags/preferences.js';
import { choosePlace } from '../../flows/preferences/place.js';
import { valuesAt } from '../../flows/preferences/show.js';
import { preferenceExplanation } from '../../output/views/preferences.js';
import { shownValues } from '../../services/preferences/resolve.js';

export default class PreferencesExplain extends BaseCommand {
  static override summary = 'Show effective preferences and where each is set';
  static override description =
    'The most specific level that sets a key applies: program, app, namespace, instance. Also shows the overridden values.';
  static override examples = [
    'cdapctl preferences explain etl/orders-hourly',
    'cdapctl preferences explain -n etl --json',
  ];
  static override failures = ['NOT_FOUND'] as const;
  static override seeAlso = ['cdapctl preferences list', 'cdapctl args explain'];
  static override args = { pipeline: Args.string({ description: '[NAMESPACE/]NAME of a pipeline' }) };
  static override flags = { ...levelFlags, ...secretFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PreferencesExplain);
    const { level, 'show-secrets': showSecrets } = flags;
    const context = await this.context(flags);
    const { target, place } = await choosePlace({ ...args, level }, 'program', context, this.signal);
    const values = await valuesAt(place, false, { ...target, signal: this.signal });
    await this.show(preferenceExplanation, {
      items: shownValues(values, showSecrets),
      members: { level: place.level },
    });
  }
}
