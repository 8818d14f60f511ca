import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { expandHome, folderPath, typedPath } from '../../cli/line/local-path.js';
import { CliError } from '../../core/errors.js';
import { connectionFlags } from '../../flags/connection.js';
import { durationFlag, forceFileFlag } from '../../flags/values.js';
import { plannedPublication, publishFor } from '../../flows/hub/publish.js';
import { hubPublication, publishSteps } from '../../output/views/hub/publish.js';

export default class HubPublish extends BaseCommand {
  static override summary = 'Publish a hub into a folder, or by a program';
  static override description =
    'Copies what differs, in an order in which no client meets half of it: files of packages with their signatures, the catalogs, the signed index, and last the removals (--prune). A tree that is not as its index lists it, or older than what is published, is refused; so is other content of a published version. --command runs a program for each file, without a shell: {file} is the local file, {path} its place below the address of the hub. With --against only what the index of the published hub does not list is sent. After a failure, run the same command again: it continues.';
  static override examples = [
    'cdapctl hub publish ./my-hub ./public --prune --grace 10m -y',
    'cdapctl hub publish ./my-hub ./public --plan',
    "cdapctl hub publish ./my-hub --command 'aws s3 cp {file} s3://hub/v2/{path}' --json",
  ];
  static override failures = [
    'HUB_NOT_FOUND',
    'BAD_SOURCE',
    'SIG_BAD',
    'REPUBLISH',
    'EXISTS',
    'ROLLBACK',
    'CHANGED_MEANWHILE',
    'PUBLISH_FAILED',
    'PARTIAL',
    'CONSENT_MISSING',
    'DECLINED',
    'LOCKED',
    'LOCAL_IO',
  ] as const;
  static override changes = 'own' as const;
  static override seeAlso = ['cdapctl hub build', 'cdapctl hub sign', 'cdapctl hub serve'];
  static override args = {
    dir: Args.string({ required: true, description: 'folder of the hub, built and signed' }),
    target: Args.string({ description: 'folder to publish into' }),
  };
  static override flags = {
    plan: Flags.boolean({ summary: 'list the steps in their order, and change nothing' }),
    command: Flags.string({
      summary: 'program that uploads one file, with {file} and {path}',
      helpValue: 'COMMAND',
    }),
    'remove-command': Flags.string({
      summary: 'program that removes one file, with {path}',
      helpValue: 'COMMAND',
      dependsOn: ['command'],
    }),
    against: Flags.string({
      summary: 'address of the published hub, whose index tells what is there',
      helpValue: 'URL',
      dependsOn: ['command'],
    }),
    prune: Flags.boolean({ summary: 'remove files that the tree no longer has' }),
    'force-file': forceFileFlag,
    grace: durationFlag({ summary: 'time between the new index and removals (default: 0s)', dependsOn: ['prune'] }),
    concurrency: Flags.integer({ summary: 'files at a time (default: 4)', min: 1, max: 32, helpValue: 'N' }),
    ...connectionFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HubPublish);
    const { against, command, prune } = flags;
    if (prune && command !== undefined && (flags['remove-command'] === undefined || against === undefined))
      throw new CliError('USAGE', '--prune with --command needs --remove-command and --against');
    // The published hub is found as --hub would find it.
    if (against !== undefined) this.onLine = new Set([...this.onLine, 'hub']);
    const context = await this.context({ ...flags, ...(against !== undefined && { hub: [against] }) });
    const options = {
      folder: expandHome(args.dir, context.home),
      target: args.target && folderPath(args.target, context.home, ['to upload it: --command']),
      command,
      removeCommand: flags['remove-command'],
      against: against !== undefined,
      prune,
      forced: flags['force-file'] ?? [],
      grace: flags.grace ?? 0,
      concurrency: flags.concurrency ?? 4,
    };
    if (flags.plan) {
      const { files, replaced, front, removals } = await plannedPublication(options, context, this.session);
      await this.show(publishSteps, { items: [...files, ...replaced, ...front, ...(prune ? removals : [])] });
      return;
    }
    const result = await publishFor(options, context, this.session);
    await this.show(hubPublication, { ...result, folder: typedPath(result.folder) });
  }
}
