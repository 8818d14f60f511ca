import { BaseCommand } from '../../cli/base-command.js';
import { knownHubs } from '../../flows/settings/connections.js';
import { findKnown } from '../../cli/settings.js';
import { hubSourceList } from '../../output/views/hub/sources.js';

export default class HubSources extends BaseCommand {
  static override summary = 'List configured hubs and their trusted keys';
  static override examples = ['cdapctl hub sources', 'cdapctl hub sources -o name', 'cdapctl hub sources --json'];
  static override failures = ['CONFIG', 'NOT_FOUND'] as const;
  static override seeAlso = ['cdapctl hub add', 'cdapctl hub key list'];

  async run(): Promise<void> {
    await this.parse(HubSources);
    const items = await knownHubs(await findKnown(this.session));
    await this.show(hubSourceList, { items });
  }
}
