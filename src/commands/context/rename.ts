import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { changeUserConfig, renameContext } from '../../flows/settings/change-config.js';
import { renameLogin } from '../../flows/login/logout.js';
import { consentFlags } from '../../flags/consent.js';
import { knownContext } from '../../flows/settings/connections.js';
import { findKnown } from '../../cli/settings.js';
import { contextChange } from '../../output/views/context.js';

export default class ContextRename extends BaseCommand {
  static override summary = 'Rename a context';
  static override examples = ['cdapctl context rename old older', 'cdapctl context rename old older --json'];
  static override failures = ['NOT_FOUND', 'CONFLICT', 'CONFIG', 'CONSENT_MISSING', 'DECLINED', 'LOCKED'] as const;
  static override changes = 'own' as const;
  static override seeAlso = ['cdapctl context list', 'cdapctl context set'];
  static override args = {
    name: Args.string({ required: true, description: 'name of the context' }),
    to: Args.string({ required: true, description: 'its new name' }),
  };
  static override flags = consentFlags;

  async run(): Promise<void> {
    const { args } = await this.parse(ContextRename);
    const found = await findKnown(this.session);
    const context = knownContext(args.name, found);
    if (context.protected)
      await this.consent({ deed: `rename context ${context.name} (${context.url})`, context }, found);
    await changeUserConfig(renameContext(args.name, args.to), this.session);
    await renameLogin(args.name, args.to, found);
    const after = knownContext(args.to, await findKnown(this.session));
    await this.show(contextChange, { ...after, change: { renamedFrom: args.name } });
  }
}
