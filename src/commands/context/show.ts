import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { knownContext } from '../../flows/settings/connections.js';
import { findKnown } from '../../cli/settings.js';
import { contextView } from '../../output/views/context.js';

export default class ContextShow extends BaseCommand {
  static override summary = 'Show a context (default: the current one)';
  static override examples = ['cdapctl context show', 'cdapctl context show prod', 'cdapctl context show prod --json'];
  static override failures = ['NOT_FOUND', 'CONFIG'] as const;
  static override seeAlso = ['cdapctl context list', 'cdapctl config list --show-origin'];
  static override args = { name: Args.string({ description: 'name of the context' }) };

  async run(): Promise<void> {
    const { args } = await this.parse(ContextShow);
    await this.show(contextView, knownContext(args.name, await findKnown(this.session)));
  }
}
