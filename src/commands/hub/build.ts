import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { formatOf } from '../../cli/line/argv.js';
import { expandHome, folderPath } from '../../cli/line/local-path.js';
import { counted } from '../../core/counted.js';
import { CliError } from '../../core/errors.js';
import { forceFileFlag, forceFileWords, several } from '../../flags/values.js';
import { buildFor } from '../../flows/hub/build.js';
import { isMachineFormat } from '../../output/format.js';
import { hubBuild } from '../../output/views/hub/build.js';

export default class HubBuild extends BaseCommand {
  static override summary = 'Build the catalog of a hub from its packages';
  static override description =
    'Reads DIR/packages/NAME/VERSION/spec.json and writes packages.json and categories.json, byte for byte as the packager of the public hub does. Files that would not change are not written. A package with an error is not in the catalog; all errors are listed, and the command exits with 10. With --strict it writes nothing then and exits with 12.';
  static override examples = [
    'cdapctl hub build ./my-hub',
    'cdapctl hub build ./my-hub --site',
    'cdapctl hub build ./my-hub --strict --json',
    'cdapctl hub build ./my-hub --whitelist pipeline --whitelist hydrator-plugin --out site',
  ];
  static override failures = [
    'HUB_NOT_FOUND',
    'BAD_SOURCE',
    'REPUBLISH',
    'PARTIAL',
    'CHANGES',
    'LOCKED',
    'LOCAL_IO',
    'DISK_FULL',
  ] as const;
  static override requests = false;
  static override seeAlso = ['cdapctl hub list', 'cdapctl hub add', 'cdapctl hub verify'];
  static override args = {
    dir: Args.string({ required: true, description: 'folder that contains packages' }),
  };
  static override flags = {
    out: Flags.string({ summary: 'folder for the catalog (default: DIR)', helpValue: 'DIR' }),
    whitelist: Flags.string({
      ...several,
      summary: 'only packages of this category, in this order in categories.json; repeatable',
      helpValue: 'CATEGORY',
    }),
    site: Flags.boolean({ summary: 'also write index.html, a page that lists the packages, with search' }),
    check: Flags.boolean({ summary: 'write nothing; exit with 14 if a file would change' }),
    'force-file': forceFileFlag,
    strict: Flags.boolean({ summary: 'write nothing if a package has an error, and exit with 12' }),
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HubBuild);
    const context = await this.context({});
    const place = (path: string): string => expandHome(path, context.home);
    const { build, refusal, isSigned } = await buildFor(
      {
        folder: place(args.dir),
        out: flags.out === undefined ? undefined : folderPath(flags.out, context.home),
        whitelist: flags.whitelist ?? [],
        check: flags.check,
        strict: flags.strict,
        forced: flags['force-file'] ?? [],
        site: flags.site,
      },
      context,
      this.session,
    );
    // Programs get one document, which holds the result; people see what was built and the error below it.
    const isMachine = isMachineFormat(formatOf(this.session.argv, this.session.env));
    if (refusal === undefined || (refusal.code === 'PARTIAL' && !isMachine)) await this.show(hubBuild, build);
    if (refusal !== undefined) throw refusal;
    const excluded = build.excluded === 0 ? '' : `, ${build.excluded} not in the whitelist`;
    this.terminal.tell(`${counted(build.packages, 'package')} in the catalog${excluded}`);
    if (build.files.some(({ state }) => state === 'outdated'))
      throw new CliError('CHANGES', 'the build would change files');
    if (build.files.every(({ state }) => state === 'unchanged')) this.terminal.tell('nothing changed');
    else if (flags.out === undefined) {
      const next = isSigned ? ['publish', args.dir, 'TARGET'] : ['sign', args.dir, '--key', 'FILE'];
      this.tellNext('hub', ...next, ...forceFileWords(flags['force-file']));
    }
  }
}
