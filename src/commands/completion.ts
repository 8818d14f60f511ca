import * as Args from '@oclif/core/args';
import { BaseCommand } from '../cli/base-command.js';
import { completionScript, SHELLS } from '../output/completion/scripts.js';

export default class Completion extends BaseCommand {
  static override summary = 'Print a script that makes a shell complete commands, flags and names';
  static override description =
    'bash: source <(cdapctl completion bash). zsh: source <(cdapctl completion zsh). fish: cdapctl completion fish | source. PowerShell: cdapctl completion powershell | Out-String | Invoke-Expression. Put the line into the startup file of the shell. Names of contexts, hubs and packages come from this machine; namespaces and pipelines are asked for within 200 ms and kept.';
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
