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
  static override summary = 'Publish a hub to a folder, or with an upload program';
  static override description =
    'Copies changed files in an order that never shows clients an inconsistent hub: files of packages with their signatures, the catalogs, the signed index, and finally removals (--prune). Rejects a tree that does not match its index or is older than the published hub, and changed files of published versions. --command runs a program for each file, without a shell: {file} is the local file, {path} its path below the URL of the hub. With --against, only files that the index of the published hub does not list are sent. To continue after a failure, run the same command again.';
  static override examples = [
    'cdapctl hub publish ./my-hub ./public --prune --grace 10m -y',
    'cdapctl hub publish ./my-hub ./public --plan',
    "cdapctl hub publish ./my-hub --command 'aws s3 cp {file} s3://hub/v2/{path}' --json",
  ];
  static override failures = [
    'HUB_NOT_FOUND',
    'BAD_SOURCE',
    'SIG_BAD',
    'STALE',
    'REPUBLISH',
    'CONFLICT',
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
    dir: Args.string({ required: true, description: 'folder of the built and signed hub' }),
    target: Args.string({ description: 'folder to publish to' }),
  };
  static override flags = {
    plan: Flags.boolean({ summary: 'list the steps in order and change nothing' }),
    command: Flags.string({
      summary: 'program that uploads a file, with {file} and {path} in its arguments',
      helpValue: 'COMMAND',
    }),
    'remove-command': Flags.string({
      summary: 'program that removes a file, with {path} in its arguments',
      helpValue: 'COMMAND',
      dependsOn: ['command'],
    }),
    against: Flags.string({
      summary: 'URL of the published hub; files in its index are not sent again',
      helpValue: 'URL',
      dependsOn: ['command'],
    }),
    prune: Flags.boolean({ summary: 'remove files that the tree no longer has' }),
    'force-file': forceFileFlag,
    grace: durationFlag({ summary: 'time to wait before removals (default: 0s)', dependsOn: ['prune'] }),
    concurrency: Flags.integer({ summary: 'files in parallel (default: 4)', min: 1, max: 32, helpValue: 'N' }),
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
      const { files, dropped, replaced, front, removals } = await plannedPublication(options, context, this.session);
      await this.show(publishSteps, {
        items: [...files, ...dropped, ...replaced, ...front, ...(prune ? removals : [])],
      });
      return;
    }
    const result = await publishFor(options, context, this.session);
    await this.show(hubPublication, { ...result, folder: typedPath(result.folder) });
  }
}
