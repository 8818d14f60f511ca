import { text } from 'node:stream/consumers';
import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../../../../src/cli/base-command.js';
import { CliError } from '../../../../src/core/errors.js';

/** Fails as a service would, with the words of a hostile server. */
export default class Refuse extends BaseCommand {
  static override flags = { stdin: boolean() };

  async run(): Promise<void> {
    const { flags } = await this.parse(Refuse);
    const said = flags.stdin ? await text(process.stdin) : 'no \u001b[2Jsuch \u202ething';
    this.terminal.warn('BAD_FIELD', 'something is odd');
    throw new CliError('HUB_NOT_FOUND', 'no hub answers', {
      hints: [`cdapctl hub list --hub https://hub.example.com/${'long/'.repeat(30)}v2`],
      serverSaid: said,
    });
  }
}
