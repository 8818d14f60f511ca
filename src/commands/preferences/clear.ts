import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { consentFlags } from '../../flags/consent.js';
import { CHANGE_FAILURES, clearFlags, levelFlags } from '../../flags/preferences.js';
import { changeValues } from '../../flows/preferences/change.js';
import { choosePlace } from '../../flows/preferences/place.js';
import { preferenceChanges } from '../../output/views/preferences.js';
import { clearingChange } from '../../services/preferences/change.js';

export default class PreferencesClear extends BaseCommand {
  static override summary = 'Remove all preferences of a level';
  static override description = 'Removes the keys that exist now; a key that someone else adds later is kept.';
  static override examples = [
    'cdapctl preferences clear etl/orders-hourly --level program -y',
    'cdapctl preferences clear -n etl --dry-run --json',
  ];
  static override failures = CHANGE_FAILURES;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl preferences list', 'cdapctl preferences unset'];
  static override args = { pipeline: Args.string({ description: '[NAMESPACE/]NAME of a pipeline' }) };
  static override flags = { ...levelFlags, ...clearFlags, ...consentFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PreferencesClear);
    const { session } = this;
    const context = await this.context(flags);
    const chosen = await choosePlace({ ...args, level: flags.level }, 'app', context, this.signal);
    const wish = { ...chosen, session, context, flags, noun: 'preference' };
    await this.show(preferenceChanges, await changeValues(clearingChange, wish));
  }
}
