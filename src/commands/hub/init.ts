import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { folderPath, typedPath } from '../../cli/line/local-path.js';
import { CliError } from '../../core/errors.js';
import { hubInit } from '../../output/views/hub/init.js';
import { nameProblem } from '../../services/hosting/pack/draft.js';
import { ignoresKeys, initTree } from '../../services/hosting/init/init-tree.js';

const GUIDE = `# Packages

\`packages/NAME/VERSION/spec.json\` describes a package; the files that its actions name are in the same folder.

    cdapctl hub pack FILE.jar -D .          # make a package of a JAR
    cdapctl hub lint .                      # check the packages
    cdapctl hub build .                     # write the catalog
    cdapctl hub key generate -O ../hub.key  # once: a key that signs, outside of this folder
    cdapctl hub sign . --key ../hub.key     # sign what changed, and the index
    cdapctl hub serve .                     # try the hub on this machine
    cdapctl hub publish . TARGET            # copy it to the folder that a web server serves
`;

export default class HubInit extends BaseCommand {
  static override summary = 'Create a source tree for a hub, with a sample package';
  static override description =
    'Writes DIR/packages/NAME/1.0.0/spec.json, README.md and .gitignore, which keeps secret keys out of Git. The tree is ready for hub lint, hub build, hub sign and hub serve. Existing files are not overwritten.';
  static override examples = ['cdapctl hub init ./new-hub', 'cdapctl hub init ./new-hub --name acme-tools --json'];
  static override failures = ['EXISTS', 'LOCAL_IO', 'DISK_FULL'] as const;
  static override requests = false;
  static override seeAlso = ['cdapctl hub pack', 'cdapctl hub lint', 'cdapctl hub build', 'cdapctl hub serve'];
  static override args = {
    dir: Args.string({ required: true, description: 'folder for the new tree' }),
  };
  static override flags = {
    name: Flags.string({ summary: 'name of the first package (default: example-package)', helpValue: 'NAME' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HubInit);
    const { name = 'example-package' } = flags;
    const problem = nameProblem(name);
    if (problem !== undefined) throw new CliError('USAGE', `--name ${JSON.stringify(name)} ${problem}`);
    const context = await this.context({});
    const folder = folderPath(args.dir, context.home);
    const created = Math.floor(this.session.clock.now() / 1000);
    const files = await initTree({ folder, name, created, guide: GUIDE });
    await this.show(hubInit, { folder: typedPath(folder), files });
    if (!(await ignoresKeys(folder)))
      this.terminal.note('note: add the line *.key to .gitignore, so that no secret key gets into Git');
    this.tellNext('hub', 'pack', 'FILE.jar', '-D', args.dir);
  }
}
