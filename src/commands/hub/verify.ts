import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../flags/connection.js';
import { hubFlags } from '../../flags/select.js';
import { trustFlags } from '../../flags/trust.js';
import { isPath, isUrl } from '../../cli/line/local-path.js';
import { durationFlag, several } from '../../flags/values.js';
import { CliError } from '../../core/errors.js';
import { verificationLine, verifiedFiles, verifiedPackage } from '../../output/views/hub/verify.js';
import { verifyAll } from '../../services/catalog/verify/verify.js';
import { verificationTargets, verifiedRows, withKeyHint } from '../../flows/hub/verify.js';

const verifyFlags = {
  all: Flags.boolean({ summary: 'verify every package of the hub' }),
  keyring: Flags.string({
    ...several,
    summary: 'verify with the public keys in this file instead of the trusted keys; repeatable',
    helpValue: 'FILE',
  }),
  policy: Flags.option({
    summary: 'signature policy (default: require; warn accepts files without a trusted signature)',
    options: ['warn', 'require'] as const,
    helpValue: 'POLICY',
  })(),
  strict: Flags.boolean({ summary: 'require signatures, and fail if the catalog does not match a specification' }),
  'expires-within': durationFlag({
    summary: 'exit with 14 if the signed index, or a key that signed, expires within this time',
  }),
  'allow-stale': trustFlags['allow-stale'],
  'allow-expired-key': trustFlags['allow-expired-key'],
};

export default class HubVerify extends BaseCommand {
  static override summary = 'Verify the signatures of a package, a hub or a local folder';
  static override description =
    'Checks every file of the package with the trusted keys of the hub; nothing is installed or stored. A folder is a local hub or a downloaded package; it is checked with the keys of --keyring or --hub. Without any trusted key nothing can be verified, which exits with 9, unless --policy warn accepts it. A signed index is accepted until 5 minutes after it expires, because clocks differ.';
  static override examples = [
    'cdapctl hub verify example-trim-fields',
    'cdapctl hub verify --all --hub corp --strict',
    'cdapctl hub verify ./downloads/example-trim-fields/1.10.0 --keyring publisher.asc',
    'cdapctl hub verify https://hub.example.com/v2 --expires-within 7d',
    'cdapctl hub verify example-trim-fields@1.10.0 --json',
  ];
  static override failures = [
    'PACKAGE_NOT_FOUND',
    'RESOURCE_MISSING',
    'NO_TRUST',
    'SIG_BAD',
    'SIG_DISPUTED',
    'LOCKED',
    'BAD_JSON',
    'LOCAL_IO',
    'PARTIAL',
    'EXPIRING',
  ] as const;
  static override seeAlso = ['cdapctl hub key add', 'cdapctl hub download', 'cdapctl help trust'];
  static override args = {
    package: Args.string({ description: '[HUB/]NAME[@VERSION], ./FOLDER, or the URL of a hub' }),
  };
  static override flags = { ...verifyFlags, ...hubFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HubVerify);
    const url = args.package !== undefined && isUrl(args.package) ? args.package : undefined;
    const wanted = url === undefined ? flags : { ...flags, all: true, hub: this.#only(url, flags.hub) };
    const context = await this.context(wanted);
    const named = url === undefined ? args.package : undefined;
    const { targets, unread } = await verificationTargets(context, named, wanted, this.session);
    const verification = verifyAll(
      targets,
      { strict: flags.strict, within: flags['expires-within'], unread },
      this.signal,
    );
    const isFolder = args.package !== undefined && isPath(args.package) && flags.keyring === undefined;
    const hinted = (error: CliError): CliError => (isFolder ? withKeyHint(error) : error);
    const hubs = targets.length + unread.length > 1;
    const many = targets.length > 1 || targets.some(({ packages }) => packages.length > 1);
    const members = (): object => {
      const { policy, ok, packages, files, refused, expiring } = verification.outcome();
      return { policy, ok, packages, files, refused, expiring };
    };
    await this.show(many ? verifiedFiles(true, hubs) : verifiedPackage, {
      items: verifiedRows(verification, hinted, this.session),
      get members() {
        return { ...members() };
      },
    });
    const outcome = verification.outcome();
    if (!flags.quiet) this.terminal.note(verificationLine(outcome));
    if (outcome.refusal !== undefined) throw hinted(outcome.refusal);
  }

  /** The hub of a URL, which is found as --hub would find it. */
  #only(url: string, hubs: readonly string[] | undefined): string[] {
    if (hubs !== undefined) throw new CliError('USAGE', 'a URL and --hub cannot be used together');
    this.onLine = new Set([...this.onLine, 'hub']);
    return [url];
  }
}
