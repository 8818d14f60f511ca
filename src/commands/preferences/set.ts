import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { consentFlags } from '../../flags/consent.js';
import { CHANGE_FAILURES, levelFlags, setFlags } from '../../flags/preferences.js';
import { changeValues } from '../../flows/preferences/change.js';
import { givenValues } from '../../flows/preferences/input.js';
import { choosePlace } from '../../flows/preferences/place.js';
import { preferenceChanges } from '../../output/views/preferences.js';
import { settingChange } from '../../services/preferences/change.js';

export default class PreferencesSet extends BaseCommand {
  static override summary = 'Set preferences, keeping all others';
  static override description =
    'Reads the preferences, changes the given keys, writes them and reads them back, so that concurrent changes by others are kept. Preferences of a namespace or the instance apply to all its pipelines.';
  static override examples = [
    'cdapctl preferences set etl/orders-hourly --set target.table=orders_v2 -y',
    'cdapctl preferences set -n etl --set date=2024-05-02 --set region=eu -y',
    'cdapctl preferences set -n etl --set region=eu --dry-run --json',
  ];
  static override failures = CHANGE_FAILURES;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl preferences list', 'cdapctl preferences unset', 'cdapctl args set'];
  static override args = { pipeline: Args.string({ description: '[NAMESPACE/]NAME of a pipeline' }) };
  static override flags = { ...levelFlags, ...setFlags, ...consentFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(PreferencesSet);
    const { session, signal } = this;
    const { level, replace } = flags;
    const given = await givenValues(flags, args.pipeline, signal);
    const context = await this.context(flags);
    const chosen = await choosePlace({ ...args, level }, 'app', context, signal);
    const wish = { ...chosen, session, context, flags, noun: 'preference' };
    await this.show(
      preferenceChanges,
      await changeValues((now) => settingChange(given, replace ? now : undefined), wish),
    );
  }
}
