import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../../cli/base-command.js';
import { connectionFlags } from '../../../cli/flags/connection.js';
import { hubFlags } from '../../../cli/flags/select.js';
import { keyPlaces } from '../../../cli/key-places.js';
import { keyView } from '../../../output/views/hub-key.js';
import { findPinned } from '../../../services/keys/pinned-keys.js';

export default class HubKeyShow extends BaseCommand {
  static override summary = 'Show a key that is trusted for a hub';
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
      description: 'fingerprint of the key, or 8 or more digits of its beginning or end',
    }),
  };
  static override flags = { ...hubFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HubKeyShow);
    const places = await keyPlaces(await this.context(flags));
    await this.show(keyView, await findPinned(places, args.fingerprint, this.session.clock.now()));
  }
}
