import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { hubFlags } from '../../flags/select.js';
import { findPackage } from '../../flows/install/find-package.js';
import { versionIfKnown } from '../../flows/hub/listing.js';
import { showBytes } from '../../flows/hub/show-bytes.js';
import { packageView } from '../../output/views/hub/show.js';
import { CliError } from '../../core/errors.js';
import { saveIcon } from '../../services/catalog/icon.js';
import { describePackage } from '../../services/catalog/show.js';
import { neededFlags } from '../../flows/install/input-flags.js';

export default class HubShow extends BaseCommand {
  static override summary = 'Show a package, its compatibility and its actions';
  static override examples = [
    'cdapctl hub show example-trim-fields',
    'cdapctl hub show example-trim-fields@1.9.0 --actions',
    'cdapctl hub show example-trim-fields --versions',
    'cdapctl hub show example-trim-fields --why',
    'cdapctl hub show example-trim-fields --raw',
    'cdapctl hub show example-trim-fields --json',
  ];
  static override failures = ['PACKAGE_NOT_FOUND', 'HUB_NOT_FOUND', 'RESOURCE_MISSING', 'EXISTS', 'BAD_JSON'] as const;
  static override seeAlso = ['cdapctl hub verify', 'cdapctl install'];
  static override args = { package: Args.string({ required: true, description: '[HUB/]NAME[@VERSION], or ./FOLDER' }) };
  static override flags = {
    actions: Flags.boolean({ summary: 'show only the header and the actions' }),
    versions: Flags.boolean({ summary: 'show the versions in the catalog' }),
    why: Flags.boolean({ summary: 'explain whether the package is compatible with the platform' }),
    raw: Flags.boolean({
      summary: 'print the specification unchanged (on a terminal, control characters are escaped)',
    }),
    icon: Flags.string({ summary: 'write the icon to a new file', helpValue: 'FILE' }),
    ...hubFlags,
    ...connectionFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HubShow);
    if (flags.raw && (flags.json || flags.output !== undefined))
      throw new CliError('USAGE', '--raw prints the specification unchanged and takes no output format');
    const context = await this.context(flags);
    const platformVersion = await versionIfKnown(context, this.terminal);
    const place = await findPackage(context, args.package, platformVersion, this.session);
    const described = await describePackage(place, { platformVersion }, this.signal);
    const { specification, license } = described;
    const needs = neededFlags(specification.actions, license && { file: license.name });
    const description = { ...described, needs };
    if (flags.icon !== undefined) {
      await saveIcon(place, flags.icon, this.signal);
      this.terminal.tell(`wrote ${flags.icon}`);
    }
    if (flags.raw) return showBytes([description.specBytes], this.terminal);
    const { actions, versions, why } = flags;
    const parts = { actions: actions || !(versions || why), versions, why };
    await this.show(packageView, { description, parts });
  }
}
