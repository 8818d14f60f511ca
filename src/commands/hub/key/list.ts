import { BaseCommand } from '../../../cli/base-command.js';
import { connectionFlags } from '../../../cli/flags/connection.js';
import { hubFlags } from '../../../cli/flags/select.js';
import { keyList } from '../../../output/views/hub-key.js';
import { keyPlaces } from '../../../services/keys/key-places.js';
import { pinnedKeys } from '../../../services/keys/pinned-keys.js';

export default class HubKeyList extends BaseCommand {
  static override summary = 'List the keys that are trusted for hubs';
  static override examples = [
    'cdapctl hub key list',
    'cdapctl hub key list --hub corp -o wide',
    'cdapctl hub key list --json',
  ];
  static override failures = ['HUB_NOT_FOUND', 'TRUST_PERMS'] as const;
  static override seeAlso = ['cdapctl hub key add', 'cdapctl hub key show', 'cdapctl help trust'];
  static override flags = { ...hubFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(HubKeyList);
    const context = await this.context(flags);
    const items = await pinnedKeys(await keyPlaces(context), this.session.clock.now());
    await this.show(keyList, { items });
  }
}
