import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { useContext, changeUserConfig } from '../../flows/settings/change-config.js';
import { knownContext } from '../../flows/settings/connections.js';
import { findKnown } from '../../cli/settings.js';
import { contextChange } from '../../output/views/context.js';

export default class ContextUse extends BaseCommand {
  static override summary = 'Set the current context';
  static override examples = ['cdapctl context use prod', 'cdapctl context use prod --json'];
  static override failures = ['NOT_FOUND', 'CONFIG', 'LOCKED'] as const;
  static override seeAlso = ['cdapctl context list'];
  static override args = { name: Args.string({ required: true, description: 'name of the context' }) };

  async run(): Promise<void> {
    const { args } = await this.parse(ContextUse);
    knownContext(args.name, await findKnown(this.session));
    await changeUserConfig(useContext(args.name, true), this.session);
    const context = knownContext(args.name, await findKnown(this.session));
    await this.show(contextChange, { ...context, current: true, change: 'current' });
  }
}
