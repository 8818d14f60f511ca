import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../../cli/base-command.js';
import { connectionFlags } from '../../../flags/connection.js';
import { hubFlags } from '../../../flags/select.js';
import { keyPlaces, pinnedKey } from '../../../flows/hub/key-hubs.js';
import { keyView } from '../../../output/views/hub/key.js';

export default class HubKeyShow extends BaseCommand {
  static override summary = 'Show a trusted key';
  static override examples = [
    'cdapctl hub key show 4F2A91C07D110C5B92E61B0A66F13B8D20A977D1',
    'cdapctl hub key show 4F2A91C07D110C5B92E61B0A66F13B8D20A977D1 --hub corp --json',
  ];
  static override failures = ['NOT_FOUND', 'HUB_NOT_FOUND', 'TRUST_PERMS', 'KEY_UNUSABLE'] as const;
  static override requests = false;
  static override seeAlso = ['cdapctl hub key list', 'cdapctl hub key export'];
  static override args = {
    fingerprint: Args.string({
      required: true,
      description: 'fingerprint of the key, or its first or last 8 or more digits',
    }),
  };
  static override flags = { ...hubFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HubKeyShow);
    const context = await this.context(flags);
    const places = await keyPlaces(context);
    await this.show(keyView, await pinnedKey(places, args.fingerprint, context, this.session));
  }
}
