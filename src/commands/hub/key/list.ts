import { BaseCommand } from '../../../cli/base-command.js';
import { connectionFlags } from '../../../flags/connection.js';
import { hubFlags } from '../../../flags/select.js';
import { keyPlaces } from '../../../flows/hub/key-hubs.js';
import { keyList } from '../../../output/views/hub/key.js';
import { pinnedKeys } from '../../../services/keys/pinned-keys.js';

export default class HubKeyList extends BaseCommand {
  static override summary = 'List trusted keys';
  static override description =
    'Without --hub, lists the keys of all hubs. A hub that is no longer configured is listed by its URL, which --hub also accepts.';
  static override examples = [
    'cdapctl hub key list',
    'cdapctl hub key list --hub corp -o wide',
    'cdapctl hub key list --json',
  ];
  static override failures = ['HUB_NOT_FOUND', 'TRUST_PERMS', 'KEY_UNUSABLE'] as const;
  static override requests = false;
  static override seeAlso = ['cdapctl hub key add', 'cdapctl hub key show', 'cdapctl help trust'];
  static override flags = { ...hubFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(HubKeyList);
    const context = await this.context(flags);
    const items = await pinnedKeys(await keyPlaces(context), this.session.clock.now());
    await this.show(keyList, { items });
  }
}
