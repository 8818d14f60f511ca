import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { effectiveSettings } from '../../flows/settings/connections.js';
import { findSettings } from '../../cli/settings.js';
import { settingList, settingListWithOrigin } from '../../output/views/setting.js';

export default class ConfigList extends BaseCommand {
  static override summary = 'List the effective settings from flags, environment, configuration files and defaults';
  static override examples = [
    'cdapctl config list',
    'cdapctl config list --show-origin',
    'cdapctl config list --show-origin --json',
  ];
  static override failures = ['CONFIG', 'NOT_FOUND'] as const;
  static override requests = false;
  static override seeAlso = ['cdapctl config path', 'cdapctl help environment'];
  static override flags = {
    'show-origin': Flags.boolean({ summary: 'show where each value comes from' }),
    ...connectionFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(ConfigList);
    const items = effectiveSettings(await findSettings(flags, this.session, this.onLine));
    await this.show(flags['show-origin'] ? settingListWithOrigin : settingList, { items });
  }
}
