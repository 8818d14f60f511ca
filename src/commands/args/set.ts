import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { consentFlags } from '../../flags/consent.js';
import { CHANGE_FAILURES, setFlags } from '../../flags/preferences.js';
import { changeValues } from '../../flows/preferences/change.js';
import { givenValues } from '../../flows/preferences/input.js';
import { argumentPlace } from '../../flows/preferences/arguments.js';
import { preferenceChanges } from '../../output/views/preferences.js';
import { settingChange } from '../../services/preferences/change.js';

export default class ArgsSet extends BaseCommand {
  static override summary = 'Set stored arguments of a pipeline, keeping all others';
  static override description =
    'Stored arguments apply to all later runs, including scheduled ones. Reads them, changes the given keys, writes them and reads them back, so that concurrent changes by others are kept.';
  static override examples = [
    'cdapctl args set etl/orders-hourly --set date=2024-05-02 --set region=eu -y',
    'cdapctl args set etl/orders-hourly --set region= --dry-run --json',
  ];
  static override failures = CHANGE_FAILURES;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl args explain', 'cdapctl args unset', 'cdapctl args check'];
  static override args = { pipeline: Args.string({ required: true, description: '[NAMESPACE/]NAME of a pipeline' }) };
  static override flags = { ...setFlags, ...consentFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ArgsSet);
    const { session, signal } = this;
    const { replace } = flags;
    const given = await givenValues(flags, args.pipeline, signal);
    const context = await this.context(flags);
    const chosen = await argumentPlace(args.pipeline, context, signal);
    const wish = { ...chosen, session, context, flags, noun: 'argument' };
    await this.show(
      preferenceChanges,
      await changeValues((now) => settingChange(given, replace ? now : undefined), wish),
    );
  }
}
