import { boolean } from '@oclif/core/flags';
import { BaseCommand } from '../../../../src/cli/base-command.js';

/** Waits for a signal; with --deaf it does not listen. */
export default class Wait extends BaseCommand {
  static override flags = { deaf: boolean() };

  async run(): Promise<void> {
    const { flags } = await this.parse(Wait);
    const { clock } = this.session;
    this.terminal.note('waiting');
    this.signal.addEventListener('abort', () => {
      this.terminal.note('asked to end');
    });
    await clock.sleep(60_000, flags.deaf ? new AbortController().signal : this.signal);
  }
}
