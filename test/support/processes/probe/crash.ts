import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../../../../src/cli/base-command.js';

/** Fails in a way that nobody foresaw, inside or outside of the command. */
export default class Crash extends BaseCommand {
  static override flags = { later: boolean() };

  async run(): Promise<void> {
    const { flags } = await this.parse(Crash);
    const failure = new TypeError('cannot read the answer, Authorization: Bearer canary-secret-1234');
    if (!flags.later) throw failure;
    setImmediate(() => {
      throw failure;
    });
    await new Promise(() => undefined);
  }
}
