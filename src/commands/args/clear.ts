import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { consentFlags } from '../../flags/consent.js';
import { CHANGE_FAILURES, clearFlags } from '../../flags/preferences.js';
import { changeValues } from '../../flows/preferences/change.js';
import { argumentPlace } from '../../flows/preferences/arguments.js';
import { preferenceChanges } from '../../output/views/preferences.js';
import { clearingChange } from '../../services/preferences/change.js';

export default class ArgsClear extends BaseCommand {
  static override summary = 'Remove all stored arguments of a pipeline';
  static override description =
    'Removes the keys that exist now; a key that someone else adds later is kept. Needs confirmation.';
  static override examples = [
    'cdapctl args clear etl/orders-hourly -y',
    'cdapctl args clear etl/orders-hourly --dry-run --json',
  ];
  static override failures = CHANGE_FAILURES;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl args list', 'cdapctl args unset'];
  static override args = { pipeline: Args.string({ required: true, description: '[NAMESPACE/]NAME of a pipeline' }) };
  static override flags = { ...clearFlags, ...consentFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ArgsClear);
    const { session } = this;
    const context = await this.context(flags);
    const chosen = await argumentPlace(args.pipeline, context, this.signal);
    const wish = { ...chosen, session, context, flags, noun: 'argument' };
    await this.show(preferenceChanges, await changeValues(clearingChange, wish));
  }
}
