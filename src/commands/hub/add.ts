import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { addHub, changeUserConfig } from '../../flows/settings/change-config.js';
import { commandLine } from '../../cli/line/command-line.js';
import { isPath } from '../../cli/line/local-path.js';
import { folderAddress } from '../../cli/hubs.js';
import { knownHub, sameHubs } from '../../flows/settings/connections.js';
import { findKnown } from '../../cli/settings.js';
import { CliError } from '../../core/errors.js';
import { hubChange } from '../../output/views/hub/sources.js';

export default class HubAdd extends BaseCommand {
  static override summary = 'Add a hub: a URL or a local folder';
  static override examples = [
    'cdapctl hub add corp https://hub.example.com/v2',
    'cdapctl hub add local ./my-hub',
    'cdapctl hub add corp https://hub.example.com/v2 --verify require --json',
  ];
  static override failures = ['CONFIG', 'HUB_NOT_FOUND', 'CONFLICT', 'LOCKED'] as const;
  static override seeAlso = ['cdapctl hub key add', 'cdapctl hub sources', 'cdapctl hub list'];
  static override args = {
    name: Args.string({ required: true, description: 'name of the hub' }),
    url: Args.string({ required: true, description: 'URL (with or without /v2), or ./FOLDER' }),
  };
  static override flags = {
    verify: Flags.option({
      summary: 'signature policy for this hub (default: require if it has a trusted key, else warn)',
      options: ['require', 'warn', 'off'] as const,
      helpValue: 'POLICY',
    })(),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HubAdd);
    const url = args.url.includes('://') ? args.url : await this.folder(args.name, args.url);
    const wasThere = Object.hasOwn((await findKnown(this.session)).sources.user?.config.hubs ?? {}, args.name);
    await changeUserConfig(addHub(args.name, { url, ...(flags.verify && { verify: flags.verify }) }), this.session);
    const found = await findKnown(this.session);
    const hub = await knownHub(args.name, found);
    for (const other of sameHubs(hub, found))
      this.terminal.warn('CONFIG', `the hub "${other}" has the same URL: its packages are now listed twice`);
    await this.show(hubChange, { ...hub, change: wasThere ? 'unchanged' : 'added' });
    if (hub.keys === 0)
      this.terminal.tell(`No trusted key. Add one: cdapctl hub key add FILE --hub ${args.name} --fingerprint FPR`);
  }

  private async folder(name: string, text: string): Promise<string> {
    if (isPath(text)) return folderAddress(text, this.session);
    const add = (place: string): string => commandLine(['hub', 'add', name, place]);
    throw new CliError('USAGE', `${JSON.stringify(text)} is neither a URL nor a folder`, {
      hints: [`a URL needs its scheme: ${add(`https://${text}`)}`, `a folder starts with ./: ${add(`./${text}`)}`],
    });
  }
}
