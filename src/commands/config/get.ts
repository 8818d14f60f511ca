import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { settingName } from '../../flows/settings/config-names.js';
import { connectionFlags } from '../../flags/connection.js';
import { effectiveSettings } from '../../flows/settings/connections.js';
import { findSettings } from '../../cli/settings.js';
import { settingValue } from '../../output/views/setting.js';

export default class ConfigGet extends BaseCommand {
  static override summary = 'Print the effective value of a setting';
  static override description =
    'Prints only the value; json includes where it comes from. If the setting has no value, prints a note on stderr and exits with 0. Passwords in URLs are hidden.';
  static override examples = [
    'cdapctl config get namespace',
    'cdapctl config get retries',
    'cdapctl config get url --json',
  ];
  static override failures = ['CONFIG', 'NOT_FOUND'] as const;
  static override requests = false;
  static override seeAlso = ['cdapctl config list', 'cdapctl config set'];
  static override args = { name: Args.string({ required: true, description: 'name of the setting' }) };
  static override flags = { ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ConfigGet);
    const found = await findSettings(flags, this.session, this.onLine);
    const name = settingName(args.name, found);
    const names = name === 'namespace' ? [name, 'namespaces'] : [name];
    const setting = effectiveSettings(found).find((one) => names.includes(one.name));
    await this.show(settingValue, setting ?? { name });
    if (setting === undefined) this.terminal.tell(`${name} is not set`);
  }
}
