import { dirname, join, resolve } from 'node:path';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../../cli/base-command.js';
import { expandHome } from '../../../cli/line/local-path.js';
import { isThere } from '../../../core/files/exists.js';
import { keyFlags } from '../../../flags/trust.js';
import { keyUser } from '../../../flows/hub/key-user.js';
import { lacksPassphrase, newPassphrase } from '../../../flows/hub/passphrase.js';
import { newKeyView } from '../../../output/views/hub/new-key.js';
import { checkNewKey, writeNewKey } from '../../../services/hosting/keys/new-key-files.js';

export default class HubKeyGenerate extends BaseCommand {
  static override summary = 'Generate a key that signs the files of a hub';
  static override description =
    'Writes the secret key to FILE, which only you can read, and the public key next to it. Existing files are not overwritten. gpg can import both. Prompts for the name, and for the passphrase unless --passphrase-file or the variable CDAPCTL_PASSPHRASE is set. Keep a backup of FILE in a safe place: clients trust only this key.';
  static override examples = [
    'cdapctl hub key generate --name "Example hub" -O hub.key',
    'cdapctl hub key generate --email hub@example.org --passphrase-file ./passphrase.txt -O hub.key --public hub-key.asc',
    'cdapctl hub key generate --type ed25519 --name "Test hub" --expires 30d --no-passphrase -O test.key --json',
  ];
  static override failures = ['INPUT_MISSING', 'EXISTS', 'DECLINED', 'LOCAL_IO', 'DISK_FULL'] as const;
  static override requests = false;
  static override seeAlso = ['cdapctl hub key add', 'cdapctl help trust'];
  static override flags = {
    type: Flags.option({
      summary: 'rsa3072 works with every client (default), ed25519 is faster',
      options: ['rsa3072', 'ed25519'] as const,
      helpValue: 'TYPE',
    })(),
    name: Flags.string({ summary: 'name of the publisher in the key', helpValue: 'NAME' }),
    email: Flags.string({ summary: 'email address of the publisher in the key', helpValue: 'ADDRESS' }),
    expires: keyFlags.lifetime,
    'out-file': Flags.string({
      char: 'O',
      required: true,
      summary: 'write the secret key to this new file',
      helpValue: 'FILE',
    }),
    public: Flags.string({ summary: 'write the public key to this new file (default: FILE.pub)', helpValue: 'FILE' }),
    'passphrase-file': keyFlags.passphraseFile,
    'no-passphrase': Flags.boolean({
      summary: 'store the key without a passphrase (anyone who can read FILE can sign)',
      exclusive: ['passphrase-file'],
    }),
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(HubKeyGenerate);
    const { name, email, expires: lifetime = keyFlags.defaultLifetime } = flags;
    const context = await this.context({});
    const { session } = this;
    const file = expandHome(flags['out-file'], context.home);
    const publicFile = flags.public === undefined ? `${file}.pub` : expandHome(flags.public, context.home);
    await checkNewKey(file, publicFile);
    const { 'no-passphrase': isOpen, 'passphrase-file': secret } = flags;
    const lacks = !isOpen && lacksPassphrase(secret, context, session);
    const user = await keyUser({ name, email }, context, { argv: session.argv, lacksPassphrase: lacks });
    const hub = hubAround(dirname(resolve(file)));
    if (hub !== undefined)
      session.terminal.warn(
        'KEY_IN_HUB',
        `${file} is inside the hub ${hub}, where others can read it; move it to another folder`,
      );
    const created = new Date(Math.floor(session.clock.now() / 1000) * 1000);
    const passphrase = isOpen ? undefined : await newPassphrase(secret, context, session);
    const wishes = { type: flags.type ?? 'rsa3072', ...user, created, lifetime, passphrase } as const;
    await this.show(newKeyView, await writeNewKey(wishes, file, publicFile));
    this.tellNext('hub', 'sign', 'DIR', '--key', flags['out-file']);
  }
}

/** The folder of a hub that a folder is, or is inside of; one with a package.json is a project of Node. */
function hubAround(folder: string): string | undefined {
  if (isThere(join(folder, 'packages')) && !isThere(join(folder, 'package.json'))) return folder;
  const above = dirname(folder);
  return above === folder ? undefined : hubAround(above);
}
