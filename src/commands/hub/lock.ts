import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { expandHome, isPath } from '../../cli/line/local-path.js';
import { CliError } from '../../core/errors.js';
import { connectionFlags } from '../../flags/connection.js';
import { hubFlags } from '../../flags/select.js';
import { trustFlags } from '../../flags/trust.js';
import { lockFor } from '../../flows/hub/lock.js';
import { LOCK_FILE } from '../../flows/install/locked.js';
import { hubLock } from '../../output/views/hub/lock.js';

export default class HubLock extends BaseCommand {
  static override summary = 'Pin packages and the digests of their files in a lock file';
  static override description =
    'Verifies the packages and writes packages.lock, which records the hub, the version and the digest of every file. install --locked and install -f packages.lock then install exactly these files and reject all others, even if no signature is required. Other packages in the file stay pinned; additions and changes are shown. Keep the file in version control; use --check on a build server.';
  static override examples = [
    'cdapctl hub lock example-trim-fields@1.10.0',
    'cdapctl hub lock example-trim-fields@1.10.0 example-csv-copy -O etl.lock --json',
    'cdapctl hub lock --all --hub corp',
    'cdapctl hub lock example-trim-fields@1.10.0 --check',
  ];
  static override failures = [
    'PACKAGE_NOT_FOUND',
    'RESOURCE_MISSING',
    'SIG_BAD',
    'SIG_DISPUTED',
    'CHANGES',
    'LOCKED',
    'LOCAL_IO',
  ] as const;
  static override seeAlso = ['cdapctl install', 'cdapctl hub verify'];
  static override args = {
    package: Args.string({ multiple: true, description: '[HUB/]NAME[@VERSION]; repeatable' }),
  };
  static override flags = {
    'out-file': Flags.string({ char: 'O', summary: `file to write (default: ${LOCK_FILE})`, helpValue: 'FILE' }),
    all: Flags.boolean({ summary: 'pin one version of every package of the hub, as for a name without @VERSION' }),
    check: Flags.boolean({ summary: 'write nothing; exit with 14 if the file would change' }),
    ...hubFlags,
    ...trustFlags,
    ...connectionFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HubLock);
    const { package: given = [] } = args;
    if (!flags.all === (given.length === 0))
      throw new CliError('USAGE', flags.all ? 'a package and --all cannot be used together' : 'specify a package', {
        hints: ['cdapctl hub lock NAME', 'cdapctl hub lock --all'],
      });
    const folder = given.find((text) => isPath(text));
    if (folder !== undefined) throw new CliError('USAGE', `${folder} is a folder: a lock file pins packages of hubs`);
    const context = await this.context(flags);
    const file = expandHome(flags['out-file'] ?? LOCK_FILE, context.home);
    const named = flags.all ? 'all' : given;
    const result = await lockFor({ named, file, check: flags.check }, context, this.session);
    await this.show(hubLock, result);
    if (result.state === 'outdated') throw new CliError('CHANGES', 'the lock file would change');
  }
}
