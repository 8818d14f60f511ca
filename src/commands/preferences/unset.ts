import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { consentFlags } from '../../flags/consent.js';
import { CHANGE_FAILURES, levelFlags, unsetFlags } from '../../flags/preferences.js';
import { changeValues } from '../../flows/preferences/change.js';
import { choosePlace } from '../../flows/preferences/place.js';
import { preferenceChanges } from '../../output/views/preferences.js';
import { removingChange } from '../../services/preferences/change.js';

export default class PreferencesUnset extends BaseCommand {
  static override summary = 'Remove preferences by their keys, keeping all others';
  static override description =
    'A key that is not set is not an error. A value set at a higher level may then apply: see cdapctl preferences explain.';
  static override examples = [
    'cdapctl preferences unset etl/orders-hourly --key target.table -y',
    'cdapctl preferences unset -n etl -k date -k region -y --json',
  ];
  static override failures = CHANGE_FAILURES;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl preferences list', 'cdapctl preferences clear'];
  static override args = { pipeline: Args.string({ description: '[NAMESPACE/]NAME of a pipeline' }) };
  static override flags = { ...levelFlags, ...unsetFlags, ...consentFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PreferencesUnset);
    const { session } = this;
    const { level, key } = flags;
    const context = await this.context(flags);
    const chosen = await choosePlace({ ...args, level }, 'app', context, this.signal);
    const wish = { ...chosen, session, context, flags, noun: 'preference' };
    await this.show(preferenceChanges, await changeValues(() => removingChange(key), wish));
  }
}
