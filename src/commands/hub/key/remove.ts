import { join } from 'node:path';
import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../../cli/base-command.js';
import { connectionFlags } from '../../../flags/connection.js';
import { hubFlags } from '../../../flags/select.js';
import { keyPlaces, pinnedKey } from '../../../flows/hub/key-hubs.js';
import { keyLines, keyView } from '../../../output/views/hub/key.js';
import { unpinKey } from '../../../services/keys/pin-key.js';
import { pinnedKeys } from '../../../services/keys/pinned-keys.js';

export default class HubKeyRemove extends BaseCommand {
  static override summary = 'Remove a trusted key';
  static override description =
    'Removes the key from one hub. Without any trusted key, nothing from the hub can be verified.';
  static override examples = [
    'cdapctl hub key remove 4F2A91C07D110C5B92E61B0A66F13B8D20A977D1 --hub corp',
    'cdapctl hub key remove 4F2A91C07D110C5B92E61B0A66F13B8D20A977D1 -y --json',
  ];
  static override failures = ['NOT_FOUND', 'CONSENT_MISSING', 'DECLINED', 'LOCKED', 'KEY_UNUSABLE'] as const;
  static override requests = false;
  static override changes = 'own' as const;
  static override seeAlso = ['cdapctl hub key list', 'cdapctl hub key add'];
  static override args = {
    fingerprint: Args.string({
      required: true,
      description: 'fingerprint of the key, or its first or last 8 or more digits',
    }),
  };
  static override flags = { ...hubFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HubKeyRemove);
    const context = await this.context(flags);
    const { clock } = this.session;
    const places = await keyPlaces(context);
    const key = await pinnedKey(places, args.fingerprint, context, this.session);
    const { fingerprint } = key;
    if (!flags.yes && context.asker !== undefined)
      for (const line of keyLines(key, this.terminal.stderr)) this.terminal.note(line);
    await context.consent.ask({ deed: `remove key ${fingerprint} from hub ${key.hub}` });
    const place = { name: key.hub, base: key.base, folder: join(context.stateFolder, 'trust') };
    await unpinKey(place, fingerprint, clock);
    if ((await pinnedKeys([place], clock.now())).length === 0)
      this.terminal.warn('NO_TRUST', `hub ${key.hub} has no trusted key left; its packages cannot be verified`);
    await this.show(keyView, { ...key, change: 'removed' });
  }
}
