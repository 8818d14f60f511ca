import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { consentFlags } from '../../flags/consent.js';
import { CHANGE_FAILURES, unsetFlags } from '../../flags/preferences.js';
import { changeValues } from '../../flows/preferences/change.js';
import { argumentPlace } from '../../flows/preferences/arguments.js';
import { preferenceChanges } from '../../output/views/preferences.js';
import { removingChange } from '../../services/preferences/change.js';

export default class ArgsUnset extends BaseCommand {
  static override summary = 'Remove stored arguments of a pipeline by their keys';
  static override description =
    'A key that is not set is not an error. A preference may then apply: see cdapctl args explain.';
  static override examples = [
    'cdapctl args unset etl/orders-hourly --key date -y',
    'cdapctl args unset etl/orders-hourly -k date -k region -y --json',
  ];
  static override failures = CHANGE_FAILURES;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl args list', 'cdapctl args clear'];
  static override args = { pipeline: Args.string({ required: true, description: '[NAMESPACE/]NAME of a pipeline' }) };
  static override flags = { ...unsetFlags, ...consentFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ArgsUnset);
    const { session } = this;
    const { key } = flags;
    const context = await this.context(flags);
    const chosen = await argumentPlace(args.pipeline, context, this.signal);
    const wish = { ...chosen, session, context, flags, noun: 'argument' };
    await this.show(preferenceChanges, await changeValues(() => removingChange(key), wish));
  }
}
