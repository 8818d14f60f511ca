import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { hubListFlags } from '../../flags/hub-list.js';
import { hubFlags } from '../../flags/select.js';
import { listFor, showsActions } from '../../flows/hub/listing.js';
import { packageList, packageListOfHubs } from '../../output/views/hub/list.js';

export default class HubSearch extends BaseCommand {
  static override summary = 'Search packages by name, label, description, author, organization and category';
  static override examples = [
    'cdapctl hub search driver',
    'cdapctl hub search order import',
    'cdapctl hub search driver --all',
    'cdapctl hub search trim -o name',
    'cdapctl hub search trim --json',
  ];
  static override failures = ['HUB_NOT_FOUND', 'BAD_CATALOG'] as const;
  static override seeAlso = ['cdapctl hub list', 'cdapctl hub show'];
  static override args = {
    text: Args.string({
      required: true,
      multiple: true,
      description: 'words to find; all must match, case-insensitive',
    }),
  };
  static override flags = { ...hubFlags, ...hubListFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HubSearch);
    const context = await this.context(flags);
    const listing = { flags, text: args.text.join(' '), withActions: showsActions(flags) };
    const { result, several } = await listFor(context, listing, this.terminal, this.signal);
    await this.show(several ? packageListOfHubs : packageList, result);
  }
}
