import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { consentFlags } from '../../flags/consent.js';
import { unsetFlags } from '../../flags/preferences.js';
import { changeValues } from '../../flows/preferences/change.js';
import { argumentPlace } from '../../flows/preferences/arguments.js';
import { preferenceChanges } from '../../output/views/preferences.js';

export default class ArgsUnset extends BaseCommand {
  static override summary = 'Remove stored arguments of a pipeline by their keys';
  static override description =
    'A key that is not set is not an error. A preference may then apply: see cdapctl args explain.';
  static override examples = [
    'cdapctl args unset etl/orders-hourly --key date',
    'cdapctl args unset etl/orders-hourly -k date -k region --json',
  ];
  static override failures = [
    'NOT_FOUND',
    'CHANGED_MEANWHILE',
    'CONSENT_MISSING',
    'DECLINED',
    'UNKNOWN_OUTCOME',
  ] as const;
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
    const items = await changeValues(() => ({ set: new Map(), remove: new Set(key) }), {
      ...{ ...chosen, session, context, noun: 'argument', named: true },
      dryRun: flags['dry-run'] !== undefined,
      showSecrets: flags['show-secrets'],
    });
    await this.show(preferenceChanges, { items, members: { level: chosen.place.level } });
  }
}
