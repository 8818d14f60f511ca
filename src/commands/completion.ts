import * as Args from '@oclif/core/args';
import { BaseCommand } from '../cli/base-command.js';
import { completionScript, SHELLS } from '../output/completion/scripts.js';

export default class Completion extends BaseCommand {
  static override summary = 'Print a script for shell completion of commands, flags and names';
  static override description =
    'bash: source <(cdapctl completion bash). zsh: source <(cdapctl completion zsh). fish: cdapctl completion fish | source. PowerShell: cdapctl completion powershell | Out-String | Invoke-Expression. Add the line to the startup file of your shell. Names of contexts, hubs and packages are read from this machine; namespaces and pipelines are requested from the platform within 200 ms and cached.';
  static override examples = ['cdapctl completion bash', 'cdapctl completion powershell'];
  static override seeAlso = ['cdapctl help'];
  static override args = {
    shell: Args.string({ required: true, options: [...SHELLS], description: 'bash, zsh, fish or powershell' }),
  };

  async run(): Promise<void> {
    const { args } = await this.parse(Completion);
    const shell = SHELLS.find((one) => one === args.shell);
    if (shell !== undefined) await this.terminal.write(completionScript(shell));
  }
}
