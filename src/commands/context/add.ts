import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { resolve } from 'node:path';
import { BaseCommand } from '../../cli/base-command.js';
import { addContext, changeUserConfig } from '../../cli/change-config.js';
import { knownContext } from '../../cli/known.js';
import { platformAddress } from '../../cli/platform-address.js';
import { hubAddress } from '../../cli/hub-address.js';
import { findSettings } from '../../cli/settings.js';
import { contextView } from '../../output/views/context.js';

export default class ContextAdd extends BaseCommand {
  static override summary = 'Name a connection to a platform; the first one becomes the current one';
  static override examples = [
    'cdapctl context add prod --url https://cdap.example.com:10443 --namespace etl',
    'cdapctl context add test --url http://127.0.0.1:11015 --hub sample --json',
  ];
  static override failures = ['CONFIG', 'HUB_NOT_FOUND', 'LOCKED'] as const;
  static override seeAlso = ['cdapctl context use', 'cdapctl context list', 'cdapctl hub add'];
  static override args = { name: Args.string({ required: true, description: 'name of the connection' }) };
  static override flags = {
    url: Flags.string({ char: 'u', required: true, summary: 'base URL of the platform', helpValue: 'URL' }),
    namespace: Flags.string({ char: 'n', summary: 'namespace to work in', helpValue: 'NS' }),
    hub: Flags.string({ summary: 'hub that goes with it, by name or URL', helpValue: 'HUB' }),
    'ca-file': Flags.string({ summary: 'PEM file with further certificate authorities', helpValue: 'FILE' }),
    proxy: Flags.string({ summary: 'proxy for its connections', helpValue: 'URL' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ContextAdd);
    const { namespace, proxy } = flags;
    const { sources } = await findSettings({}, this.session);
    const hub = flags.hub === undefined ? undefined : await hubAddress(flags.hub, sources, this.session);
    const caFile = flags['ca-file'] === undefined ? undefined : resolve(flags['ca-file']);
    const members = {
      url: platformAddress(flags.url),
      ...(namespace && { namespace }),
      ...(hub && { hub }),
      ...(proxy && { proxy }),
      ...(caFile && { caFile }),
    };
    await changeUserConfig(addContext(args.name, members), this.session);
    await this.show(contextView, knownContext(args.name, await findSettings({}, this.session)));
  }
}
