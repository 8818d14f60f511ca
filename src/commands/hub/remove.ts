import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { removeHub, changeUserConfig } from '../../cli/change-config.js';
import { knownHub } from '../../cli/known.js';
import { findSettings } from '../../cli/settings.js';

import { hubSourceView } from '../../output/views/hub-sources.js';

export default class HubRemove extends BaseCommand {
  static override summary = 'Forget the name of a hub; keys and memory, which belong to its address, stay';
  static override examples = ['cdapctl hub remove corp', 'cdapctl hub remove corp --json'];
  static override failures = ['HUB_NOT_FOUND', 'CONFIG'] as const;
  static override seeAlso = ['cdapctl hub sources', 'cdapctl hub key remove'];
  static override args = { name: Args.string({ required: true, description: 'name of the hub' }) };

  async run(): Promise<void> {
    const { args } = await this.parse(HubRemove);
    const hub = await knownHub(args.name, await findSettings({}, this.session));
    await changeUserConfig(removeHub(args.name), this.session);
    await this.show(hubSourceView, hub);
  }
}
