import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { hubListFlags } from '../../flags/hub-list.js';
import { hubFlags } from '../../flags/select.js';
import { listFor, showsActions } from '../../flows/hub/listing.js';
import { packageList, packageListOfHubs } from '../../output/views/hub/list.js';

export default class HubList extends BaseCommand {
  static override summary = 'List packages of hubs';
  static override description =
    'With a platform, incompatible packages are hidden and counted. Hubs are listed one after another, each in catalog order. FLAGS marks packages installed from this machine on the selected platform (without one: on any platform). A list does not check signatures; hub verify, hub download and install do.';
  static override examples = [
    'cdapctl hub list',
    'cdapctl hub list --category usecase --latest',
    'cdapctl hub list --platform-version 6.4.1 -o wide',
    'cdapctl hub list --action-type create_pipeline --json',
  ];
  static override failures = ['HUB_NOT_FOUND', 'BAD_CATALOG'] as const;
  static override seeAlso = ['cdapctl hub search', 'cdapctl hub show'];
  static override flags = { ...hubFlags, ...hubListFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(HubList);
    const context = await this.context(flags);
    const listing = { flags, text: undefined, withActions: showsActions(flags) };
    const { result, several } = await listFor(context, listing, this.terminal, this.signal);
    await this.show(several ? packageListOfHubs : packageList, result);
  }
}
