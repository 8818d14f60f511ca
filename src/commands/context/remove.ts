import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { removeContext, changeUserConfig } from '../../flows/settings/change-config.js';
import { forgetLogin } from '../../flows/login/logout.js';
import { consentFlags } from '../../flags/consent.js';
import { knownContext } from '../../flows/settings/connections.js';
import { findKnown } from '../../cli/settings.js';
import { contextChange } from '../../output/views/context.js';

export default class ContextRemove extends BaseCommand {
  static override summary = 'Remove a context';
  static override examples = ['cdapctl context remove old -y', 'cdapctl context remove old -y --json'];
  static override failures = ['NOT_FOUND', 'CONFIG', 'CONSENT_MISSING', 'DECLINED', 'LOCKED'] as const;
  static override changes = 'own' as const;
  static override seeAlso = ['cdapctl context list'];
  static override args = { name: Args.string({ required: true, description: 'name of the context' }) };

  static override flags = consentFlags;

  async run(): Promise<void> {
    const { args } = await this.parse(ContextRemove);
    const found = await findKnown(this.session);
    const context = knownContext(args.name, found);
    await this.consent({ deed: `remove context ${context.name} (${context.url})`, context }, found);
    await changeUserConfig(removeContext(args.name), this.session);
    await forgetLogin(args.name, found);
    if (context.current) this.terminal.tell('note: there is no current context now');
    await this.show(contextChange, { ...context, current: false, change: 'removed' });
  }
}
