import { BaseCommand } from '../../../../src/cli/base-command.js';

/** Awaits what never comes. */
export default class Hang extends BaseCommand {
  async run(): Promise<void> {
    await this.parse(Hang);
    await new Promise(() => undefined);
  }
}
