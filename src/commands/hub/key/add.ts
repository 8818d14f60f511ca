import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { withHints } from '../../../cli/connection-hints.js';
import { BaseCommand } from '../../../cli/base-command.js';
import { commandLine } from '../../../cli/line/command-line.js';
import type { CommandContext } from '../../../cli/context-types.js';
import { connectionFlags } from '../../../flags/connection.js';
import { hubFlags } from '../../../flags/select.js';
import { askYesNo } from '../../../cli/terminal/prompts.js';
import { readStdin } from '../../../cli/terminal/terminal.js';
import { CliError } from '../../../core/errors.js';
import { visible } from '../../../output/escape.js';
import { keyLines, keyView } from '../../../output/views/hub/key.js';
import { readKeyFile } from '../../../services/catalog/key-files.js';
import { parseFingerprint } from '../../../services/keys/fingerprint.js';
import type { HubKey } from '../../../services/keys/hub-key.js';
import { offeredKey } from '../../../services/keys/offered-key.js';
import { pinKey, pinnedAs } from '../../../services/keys/pin-key.js';

function noKeyFile(error: unknown): never {
  const hint = 'FILE is the public key from the publisher of the hub, or - for stdin';
  throw error instanceof CliError && error.code === 'LOCAL_IO' ? withHints(error, [hint]) : error;
}

export default class HubKeyAdd extends BaseCommand {
  static override summary = 'Trust a public key for one hub';
  static override description =
    'Shows the key and asks for confirmation. Without a terminal, --fingerprint is required: get the full fingerprint from the publisher through another channel. Keys are never fetched from the network. The key of a signed hub index must be trusted without --packages.';
  static override examples = [
    'cdapctl hub key add publisher.asc --hub corp',
    'cdapctl hub key add publisher.asc --hub corp --fingerprint "4F2A 91C0 7D11 0C5B 92E6 1B0A 66F1 3B8D 20A9 77D1"',
    'cdapctl hub key add publisher.asc --hub corp --packages "acme-*"',
    'gpg --armor --export hub@example.org | cdapctl hub key add - --hub corp --fingerprint 4F2A91C07D110C5B92E61B0A66F13B8D20A977D1 --json',
  ];
  static override failures = [
    'INPUT_MISSING',
    'TRUST_PRIVATE',
    'KEY_UNKNOWN',
    'KEY_UNUSABLE',
    'DECLINED',
    'LOCKED',
    'LOCAL_IO',
  ] as const;
  static override seeAlso = ['cdapctl hub key list', 'cdapctl hub verify', 'cdapctl help trust'];
  static override args = {
    file: Args.string({ required: true, description: 'file with the public key, - for stdin' }),
  };
  static override flags = {
    fingerprint: Flags.string({ summary: 'expected full fingerprint of the key', helpValue: 'FPR' }),
    packages: Flags.string({
      summary: 'trust the key only for matching packages (* and ? are wildcards)',
      helpValue: 'GLOB',
    }),
    ...hubFlags,
    ...connectionFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HubKeyAdd);
    const { packages } = flags;
    if (packages === '') throw new CliError('USAGE', '--packages must not be empty');
    const fingerprint = flags.fingerprint === undefined ? undefined : parseFingerprint(flags.fingerprint);
    const context = await this.context(flags);
    const place = await context.trustStore();
    const { clock } = this.session;
    const bytes = args.file === '-' ? await readStdin(this.signal) : await readKeyFile(args.file).catch(noKeyFile);
    const key = await offeredKey(place, { bytes, file: args.file, fingerprint, packages }, clock.now());
    if (key.state !== 'good')
      this.terminal.warn(
        key.state === 'revoked' ? 'KEY_REVOKED' : 'KEY_EXPIRED',
        `the key is ${key.state}: its signatures are rejected`,
      );
    const { known, same } = await pinnedAs(place, key);
    if (fingerprint === undefined && !same) await this.ask(context, key, args.file, known !== undefined);
    const { key: pinned, change, before } = await pinKey(place, key, clock);
    if (packages !== undefined && !/^\*+$/u.test(packages))
      this.terminal.warn(
        'KEY_LIMITED',
        `this key verifies packages "${packages}" of hub ${key.hub} only, not other packages or a signed index of the hub`,
      );
    await this.show(keyView, { ...pinned, change, before });
  }

  private async ask({ asker }: CommandContext, key: HubKey, file: string, known: boolean): Promise<void> {
    if (asker === undefined) {
      throw new CliError('INPUT_MISSING', 'the fingerprint of the key is required without a terminal', {
        lines: [`the file contains ${key.fingerprint}  ${key.userIds.join(', ')}`],
        hints: [
          'get the fingerprint from the publisher through another channel',
          commandLine(['hub', 'key', 'add', file, '--hub', key.hub, '--fingerprint', 'FPR']),
        ],
        target: { file, hub: key.hub },
      });
    }
    for (const line of keyLines(key, this.terminal.stderr)) this.terminal.note(line);
    if (await askYesNo(`Trust this key for hub ${visible(key.hub)}?`, false, asker)) return;
    throw new CliError(
      'DECLINED',
      known ? 'the key is still trusted as before; nothing was changed' : 'the key is not trusted; nothing was changed',
    );
  }
}
