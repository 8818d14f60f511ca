import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { removeContext, changeUserConfig } from '../../cli/change-config.js';
import { knownContext } from '../../cli/known.js';
import { findSettings } from '../../cli/settings.js';
import { visible } from '../../output/escape.js';
import { contextView } from '../../output/views/context.js';

export default class ContextRemove extends BaseCommand {
  static override summary = 'Forget a named connection';
  static override examples = ['cdapctl context remove old', 'cdapctl context remove old --json'];
  static override failures = ['NOT_FOUND', 'CONFIG', 'LOCKED'] as const;
  static override seeAlso = ['cdapctl context list'];
  static override args = { name: Args.string({ required: true, description: 'name of the connection' }) };

  async run(): Promise<void> {
    const { args } = await this.parse(ContextRemove);
    const context = knownContext(args.name, await findSettings({}, this.session));
    await changeUserConfig(removeContext(args.name), this.session);
    if (context.current) this.terminal.tell('note: it was the current context; there is none now');
    await this.show(contextView, { ...context, current: false });
    this.terminal.tell(`the context "${visible(args.name)}" is removed`);
  }
}
