import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { consentFlags } from '../../flags/consent.js';
import { clearFlags } from '../../flags/preferences.js';
import { changeValues } from '../../flows/preferences/change.js';
import { argumentPlace } from '../../flows/preferences/arguments.js';
import { preferenceChanges } from '../../output/views/preferences.js';

export default class ArgsClear extends BaseCommand {
  static override summary = 'Remove all stored arguments of a pipeline';
  static override description =
    'Removes the keys that exist now; a key that someone else adds after that is kept. Needs confirmation.';
  static override examples = [
    'cdapctl args clear etl/orders-hourly -y',
    'cdapctl args clear etl/orders-hourly --dry-run --json',
  ];
  static override failures = [
    'NOT_FOUND',
    'CHANGED_MEANWHILE',
    'CONSENT_MISSING',
    'DECLINED',
    'UNKNOWN_OUTCOME',
  ] as const;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl args list', 'cdapctl args unset'];
  static override args = { pipeline: Args.string({ required: true, description: '[NAMESPACE/]NAME of a pipeline' }) };
  static override flags = { ...clearFlags, ...consentFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ArgsClear);
    const { session } = this;
    const context = await this.context(flags);
    const chosen = await argumentPlace(args.pipeline, context, this.signal);
    const items = await changeValues((now) => ({ set: new Map(), remove: new Set(now.keys()) }), {
      ...{ ...chosen, session, context, noun: 'argument', named: false },
      dryRun: flags['dry-run'] !== undefined,
      showSecrets: flags['show-secrets'],
    });
    await this.show(preferenceChanges, { items, members: { level: chosen.place.level } });
  }
}
