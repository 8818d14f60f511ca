import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { changeUserConfig, setContext, useNoContext } from '../../flows/settings/change-config.js';
import { filePlace, valueInFile } from '../../flows/settings/config-names.js';
import { commandLine } from '../../cli/line/command-line.js';
import { consentFlags } from '../../flags/consent.js';
import { contextOnlyFlags } from '../../flags/connection.js';
import { knownContext } from '../../flows/settings/connections.js';
import { findKnown } from '../../cli/settings.js';
import { CliError } from '../../core/errors.js';
import { settingChange } from '../../output/views/setting.js';

export default class ConfigUnset extends BaseCommand {
  static override summary = 'Remove a setting from your configuration file';
  static override description =
    'Takes the same names as cdapctl config set. Removing a setting that is not set changes nothing and exits with 0. For a protected context, type its name or use --confirm NAME.';
  static override examples = [
    'cdapctl config unset namespace',
    'cdapctl config unset caFile --context prod',
    'cdapctl config unset proxy --json',
  ];
  static override failures = ['NOT_FOUND', 'CONFIG', 'CONSENT_MISSING', 'DECLINED', 'LOCKED'] as const;
  static override requests = false;
  static override changes = 'own' as const;
  static override seeAlso = ['cdapctl config list', 'cdapctl config set', 'cdapctl context remove'];
  static override args = { name: Args.string({ required: true, description: 'name of the setting' }) };
  static override flags = { ...contextOnlyFlags, ...consentFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ConfigUnset);
    const found = await findKnown(this.session);
    const place = filePlace(args.name, found);
    if (place.kind === 'current') {
      const before = valueInFile(place, undefined, found);
      const isUnchanged = before.value === undefined;
      if (!isUnchanged) await changeUserConfig(useNoContext(), this.session);
      await this.show(settingChange, { ...valueInFile(place, undefined, await findKnown(this.session)), isUnchanged });
      return;
    }
    const context = knownContext(flags.context, found);
    if (place.member === 'url')
      throw new CliError('USAGE', 'the url of a context cannot be removed', {
        hints: [commandLine(['context', 'remove', context.name])],
      });
    const isUnchanged = valueInFile(place, context.name, found).value === undefined;
    if (!isUnchanged) {
      const deed = `remove ${place.name} from context ${context.name} (${context.url})`;
      if (context.protected) await this.consent({ deed, context }, found);
      await changeUserConfig(setContext(context.name, { [place.member]: undefined }), this.session);
    }
    const after = valueInFile(place, context.name, await findKnown(this.session));
    await this.show(settingChange, { ...after, isUnchanged });
  }
}
