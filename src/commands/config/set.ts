import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { changeUserConfig, setContext, useContext } from '../../flows/settings/change-config.js';
import { filePlace, strongerPlace, valueInFile } from '../../flows/settings/config-names.js';
import { contextMembers } from '../../flows/settings/context-members.js';
import { consentFlags } from '../../flags/consent.js';
import { contextOnlyFlags } from '../../flags/connection.js';
import { knownContext } from '../../flows/settings/connections.js';
import { findKnown } from '../../cli/settings.js';
import { CliError } from '../../core/errors.js';
import { settingChange } from '../../output/views/setting.js';

export default class ConfigSet extends BaseCommand {
  static override summary = 'Change a setting in your configuration file';
  static override description =
    'Settings: context (the current context), and url, namespace, hubs, tokenFile, tokenCommand, caFile, proxy and uiUrl of the current context or of --context. Other settings in cdapctl config list are set by flags and variables only. For a protected context, type its name or use --confirm NAME.';
  static override examples = [
    'cdapctl config set namespace etl',
    'cdapctl config set uiUrl http://localhost:11011 --context prod',
    'cdapctl config set context prod --json',
  ];
  static override failures = ['NOT_FOUND', 'CONFIG', 'CONSENT_MISSING', 'DECLINED', 'LOCKED'] as const;
  static override requests = false;
  static override changes = 'own' as const;
  static override seeAlso = ['cdapctl config list', 'cdapctl config unset', 'cdapctl context set'];
  static override args = {
    name: Args.string({ required: true, description: 'name of the setting' }),
    value: Args.string({ required: true, description: 'its new value' }),
  };
  static override flags = { ...contextOnlyFlags, ...consentFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ConfigSet);
    const found = await findKnown(this.session);
    const place = filePlace(args.name, found);
    if (args.value === '')
      throw new CliError('USAGE', `the value of ${place.name} is empty`, {
        hints: [`cdapctl config unset ${place.name}`],
      });
    const context = place.kind === 'current' ? knownContext(args.value, found) : knownContext(flags.context, found);
    if (place.kind === 'current') {
      await changeUserConfig(useContext(context.name, true), this.session);
    } else {
      const members = await contextMembers({ [place.flag]: args.value }, found, this.session);
      const deed = `change ${place.name} of context ${context.name} (${context.url})`;
      if (context.protected) await this.consent({ deed, context }, found);
      await changeUserConfig(setContext(context.name, members), this.session);
    }
    const after = await findKnown(this.session);
    await this.show(settingChange, valueInFile(place, context.name, after));
    const stronger = place.kind === 'current' || context.current ? strongerPlace(place, after) : undefined;
    if (stronger !== undefined) this.terminal.note(`note: ${stronger} overrides the configuration file`);
  }
}
