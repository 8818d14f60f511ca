import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { changeUserConfig, removeHub } from '../../cli/change-config.js';
import { commandLine } from '../../cli/command-line.js';
import { knownHub, pinnedFingerprints } from '../../cli/known.js';
import { findSettings } from '../../cli/settings.js';
import { visible } from '../../output/escape.js';
import { hubSourceView, type HubSourceItem } from '../../output/views/hub-sources.js';

export default class HubRemove extends BaseCommand {
  static override summary = 'Forget the name of a hub; keys and memory, which belong to its address, stay';
  static override examples = ['cdapctl hub remove corp', 'cdapctl hub remove corp --json'];
  static override failures = ['HUB_NOT_FOUND', 'CONFIG', 'LOCKED'] as const;
  static override seeAlso = ['cdapctl hub sources', 'cdapctl hub key remove'];
  static override args = { name: Args.string({ required: true, description: 'name of the hub' }) };

  async run(): Promise<void> {
    const { args } = await this.parse(HubRemove);
    const found = await findSettings({}, this.session);
    const hub = await knownHub(args.name, found);
    const keys = await pinnedFingerprints(hub.url, found);
    await changeUserConfig(removeHub(args.name), this.session);
    await this.show(hubSourceView, hub);
    for (const line of leftBehind(hub, keys)) this.terminal.tell(line);
  }
}

/** What a person should know to be rid of the hub altogether. */
function leftBehind({ name, url }: HubSourceItem, keys: readonly string[]): string[] {
  const address = visible(url);
  const forgotten = `the name "${visible(name)}" is forgotten`;
  if (keys.length === 0) return [`${forgotten}; no key is trusted for ${address}`];
  return [
    `${forgotten}; still trusted for ${address}: ${keys.length} key${keys.length === 1 ? '' : 's'}. To trust no more:`,
    ...keys.map(
      (fingerprint) => `  ${visible(commandLine(['hub', 'key', 'remove', fingerprint, '--hub', url, '-y']))}`,
    ),
  ];
}
