import { isDeepStrictEqual } from 'node:util';
import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { changeUserConfig, setContext } from '../../flows/settings/change-config.js';
import { contextMembers } from '../../flows/settings/context-members.js';
import { consentFlags } from '../../flags/consent.js';
import { contextFlags } from '../../flags/context.js';
import { knownContext } from '../../flows/settings/connections.js';
import { findKnown } from '../../cli/settings.js';
import { CliError } from '../../core/errors.js';
import { contextChange } from '../../output/views/context.js';

export default class ContextSet extends BaseCommand {
  static override summary = 'Change the settings of a context';
  static override description =
    'Changes only the settings given as flags; an empty value removes a setting. For a protected context, type its name or use --confirm NAME.';
  static override examples = [
    'cdapctl context set prod --namespace etl',
    'cdapctl context set prod --protected',
    'cdapctl context set prod --no-protected --confirm prod',
    'cdapctl context set prod --token-file ./token --json',
  ];
  static override failures = ['NOT_FOUND', 'CONFIG', 'CONSENT_MISSING', 'DECLINED', 'LOCKED'] as const;
  static override requests = false;
  static override takesEmpty = true;
  static override changes = 'own' as const;
  static override seeAlso = ['cdapctl context add', 'cdapctl context rename', 'cdapctl context show'];
  static override args = { name: Args.string({ required: true, description: 'name of the context' }) };
  static override flags = {
    url: Flags.string({ char: 'u', summary: 'base URL of the platform', helpValue: 'URL' }),
    ...contextFlags,
    ...consentFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ContextSet);
    // What the environment says is for runs, not for the file.
    const onLine = Object.fromEntries(Object.entries(flags).filter(([name]) => this.onLine.has(name)));
    const found = await findKnown(this.session);
    const context = knownContext(args.name, found);
    const members = await contextMembers(onLine, found, this.session);
    if (Object.keys(members).length === 0)
      throw new CliError('USAGE', 'nothing to change: specify at least one setting', {
        hints: ['cdapctl context set --help'],
      });
    if (context.protected)
      await this.consent({ deed: `change context ${context.name} (${context.url})`, context }, found);
    await changeUserConfig(setContext(args.name, members), this.session);
    const after = knownContext(args.name, await findKnown(this.session));
    await this.show(contextChange, { ...after, change: isDeepStrictEqual(context, after) ? 'unchanged' : 'changed' });
  }
}
