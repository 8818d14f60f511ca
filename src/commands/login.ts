import { BaseCommand } from '../cli/base-command.js';
import { connectionFlags } from '../flags/connection.js';
import { loginFlags } from '../flags/login.js';
import { login } from '../flows/login/login.js';
import { loginView, triedLoginView } from '../output/views/identity.js';

export default class Login extends BaseCommand {
  static override summary = 'Log in to a platform and store the token for a context';
  static override description =
    'Finds the authentication server of the platform, prompts for user and password, and stores the token (not the password) in a file that only you can read. If no context has the URL, adds one. For a platform without an authentication server, use a token from -a FILE or the token command of the context.';
  static override examples = [
    'cdapctl login -u https://cdap.example.com:10443',
    'cdapctl login --context prod --username alice --password-file ./password.txt',
    'cdapctl login --context prod --json',
  ];
  static override failures = ['AUTH', 'INPUT_MISSING', 'CONFLICT', 'CONFIG', 'LOCKED', 'STATE_PERMS'] as const;
  static override seeAlso = ['cdapctl whoami', 'cdapctl logout', 'cdapctl context list'];
  static override flags = { ...loginFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(Login);
    const [isNamed, hasAddress] = [this.onLine.has('context'), this.onLine.has('url')];
    // With an address the name may be that of a context which is added.
    const context = await this.context(isNamed && hasAddress ? { ...flags, context: undefined } : flags);
    const line = { ...flags, 'token-file': this.onLine.has('token-file') ? flags['token-file'] : undefined };
    await this.show(
      flags.store ? loginView : triedLoginView,
      await login({ ...line, context: isNamed ? flags.context : undefined }, context, this.session),
    );
  }
}
