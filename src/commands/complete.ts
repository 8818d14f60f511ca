import { BaseCommand } from '../cli/base-command.js';
import { CliError } from '../core/errors.js';
import { completions } from '../flows/completion/complete.js';

export default class Complete extends BaseCommand {
  static override summary = 'Print completions for the last word of a command line; used by completion scripts';
  static override hidden = true;
  static override strict = false;
  static override examples = ['cdapctl complete -- context us'];
  static override seeAlso = ['cdapctl completion'];

  async run(): Promise<void> {
    const at = this.argv.indexOf('--');
    if (at !== 0) throw new CliError('USAGE', 'complete takes the words of a command line after --');
    const line = this.argv.slice(1);
    // What stands on the line that is completed counts as a line does.
    const open = (flags: Readonly<Record<string, unknown>>) => {
      const given = Object.entries(flags).filter(([, value]) => value !== undefined);
      this.onLine = new Set(given.map(([name]) => name));
      return this.context(Object.fromEntries(given));
    };
    const found = await completions(line, open, this.session);
    await this.terminal.write(found.map((word) => `${word}\n`).join(''));
  }
}
