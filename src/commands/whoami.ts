import { BaseCommand } from '../cli/base-command.js';
import { placelessFlags } from '../flags/connection.js';
import { whoami } from '../flows/login/whoami.js';
import { identityView } from '../output/views/identity.js';

export default class Whoami extends BaseCommand {
  static override summary = 'Show the current user and when the token expires';
  static override description = 'Exits with 3 if the platform rejects the token.';
  static override examples = ['cdapctl whoami', 'cdapctl whoami --context prod --json'];
  static override failures = ['AUTH'] as const;
  static override seeAlso = ['cdapctl login', 'cdapctl context show'];
  static override flags = { ...placelessFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(Whoami);
    await this.show(identityView, await whoami(await this.context(flags), this.session));
  }
}
