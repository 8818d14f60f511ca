import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../../cli/base-command.js';
import { connectionFlags } from '../../../flags/connection.js';
import { hubFlags } from '../../../flags/select.js';
import { keyPlaces, pinnedKey } from '../../../flows/hub/key-hubs.js';
import { keyExport } from '../../../output/views/hub/key.js';
import { writeKeyFile } from '../../../services/keys/pinned-keys.js';

export default class HubKeyExport extends BaseCommand {
  static override summary = 'Export a trusted public key (armored) to stdout or a file';
  static override examples = [
    'cdapctl hub key export 4F2A91C07D110C5B92E61B0A66F13B8D20A977D1',
    'cdapctl hub key export 4F2A91C07D110C5B92E61B0A66F13B8D20A977D1 -O publisher.asc',
    'cdapctl hub key export 4F2A91C07D110C5B92E61B0A66F13B8D20A977D1 --json',
  ];
  static override failures = ['NOT_FOUND', 'EXISTS', 'KEY_UNUSABLE', 'LOCAL_IO'] as const;
  static override requests = false;
  static override seeAlso = ['cdapctl hub key show', 'cdapctl hub key add'];
  static override args = {
    fingerprint: Args.string({
      required: true,
      description: 'fingerprint of the key, or its first or last 8 or more digits',
    }),
  };
  static override flags = {
    'out-file': Flags.string({ char: 'O', summary: 'write the key to this file', helpValue: 'FILE' }),
    clobber: Flags.boolean({ summary: 'overwrite an existing file' }),
    ...hubFlags,
    ...connectionFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HubKeyExport);
    const context = await this.context(flags);
    const places = await keyPlaces(context);
    const { hub, fingerprint, armored } = await pinnedKey(places, args.fingerprint, context, this.session);
    const file = flags['out-file'] === '-' ? undefined : flags['out-file'];
    if (file !== undefined) await writeKeyFile(file, armored, flags.clobber);
    await this.show(keyExport, { hub, fingerprint, armored, file });
  }
}
