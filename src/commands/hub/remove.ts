import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { join } from 'node:path';
import { hubsAlike } from '../../flows/hub/key-hubs.js';
import { BaseCommand } from '../../cli/base-command.js';
import { changeUserConfig, removeHub } from '../../flows/settings/change-config.js';
import { commandLine } from '../../cli/line/command-line.js';
import { knownHub } from '../../flows/settings/connections.js';
import { findKnown } from '../../cli/settings.js';
import { visible } from '../../output/escape.js';
import { pinnedFingerprints } from '../../services/keys/pinned-keys.js';
import { forgetMemory } from '../../services/keys/forget-memory.js';
import { hubChange, type HubSourceItem } from '../../output/views/hub/sources.js';

export default class HubRemove extends BaseCommand {
  static override summary = 'Remove a hub; its trusted keys and history are kept';
  static override description =
    'The history of a hub is used to detect changed or older content. If the owner has rebuilt the hub, --forget also deletes its history, unless another hub has the same URL.';
  static override examples = [
    'cdapctl hub remove corp -y',
    'cdapctl hub remove corp --forget -y',
    'cdapctl hub remove corp -y --json',
  ];
  static override failures = ['HUB_NOT_FOUND', 'CONFIG', 'CONSENT_MISSING', 'DECLINED', 'LOCKED'] as const;
  static override changes = 'own' as const;
  static override seeAlso = ['cdapctl hub sources', 'cdapctl hub key remove'];
  static override args = { name: Args.string({ required: true, description: 'name of the hub' }) };
  static override flags = {
    forget: Flags.boolean({ summary: 'also delete its history, such as the number of its signed index' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HubRemove);
    const found = await findKnown(this.session);
    const hub = await knownHub(args.name, found);
    const place = { name: hub.name, base: hub.url, folder: join(found.folders.state, 'trust') };
    const keys = await pinnedFingerprints(place);
    await this.consent({ deed: `remove hub ${hub.name} (${hub.url})` }, found);
    await changeUserConfig(removeHub(args.name), this.session);
    const others = hubsAlike(hub, found.sources);
    const forgets = flags.forget && others.length === 0;
    const forgotten = forgets && (await forgetMemory(place, this.session.clock));
    await this.show(hubChange, { ...hub, change: 'removed' });
    if (forgets) this.terminal.tell(forgotten ? 'its history was deleted' : 'it had no history');
    for (const line of flags.forget ? shared('history was kept', others) : []) this.terminal.tell(line);
    for (const line of leftBehind(hub, keys, others)) this.terminal.tell(line);
  }
}

/** What a person should know to be rid of the hub altogether. */
function leftBehind({ url }: HubSourceItem, keys: readonly string[], others: readonly string[]): readonly string[] {
  const address = visible(url);
  if (keys.length === 0) return ['it had no trusted keys'];
  if (others.length > 0) return shared('trusted keys were kept', others);
  return [
    `still trusted for ${address}: ${keys.length} key${keys.length === 1 ? '' : 's'}. To remove:`,
    ...keys.map(
      (fingerprint) => `  ${visible(commandLine(['hub', 'key', 'remove', fingerprint, '--hub', url, '-y']))}`,
    ),
  ];
}

/** What stays because another hub has it, too. */
const shared = (what: string, [other]: readonly string[]): readonly string[] =>
  other === undefined ? [] : [`its ${what}: hub ${visible(other)} has the same URL`];
