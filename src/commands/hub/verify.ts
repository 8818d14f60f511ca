import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import type { InferredFlags } from '@oclif/core/interfaces';
import { BaseCommand } from '../../cli/base-command.js';
import type { CommandContext } from '../../cli/context-types.js';
import { findPackage, versionToChooseBy } from '../../flows/install/find-package.js';
import { withHints } from '../../cli/connection-hints.js';
import { connectionFlags } from '../../flags/connection.js';
import { hubFlags } from '../../flags/select.js';
import { trustFlags } from '../../flags/trust.js';
import { expandHome, isFolder, isPath } from '../../cli/line/local-path.js';
import { durationFlag, several } from '../../flags/values.js';
import { CliError } from '../../core/errors.js';
import { formatOf } from '../../cli/line/argv.js';
import { isMachineFormat } from '../../output/format.js';
import { verificationLine, verifiedFiles, verifiedPackage } from '../../output/views/hub/verify.js';
import { keysOfFiles } from '../../services/catalog/key-files.js';
import type { VerifiedFile } from '../../services/catalog/verified-file.js';
import {
  verifyAll,
  type UnreadHub,
  type Verification,
  type VerificationTarget,
} from '../../services/catalog/verify/verify.js';
import { everyPackage, readFolder, setupFor, type FolderContent } from '../../services/catalog/verify/target.js';

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

/** What a key would help with. */
const KEYLESS: readonly string[] = ['NO_TRUST', 'KEY_UNKNOWN'];

type VerifyFlags = InferredFlags<typeof verifyFlags> & InferredFlags<typeof hubFlags>;

/** What to verify, before it is known whom to trust. */
interface VerifyRequest extends FolderContent {
  readonly hub: string;
  /** A folder whose keys are those of the hub that `--hub` names. */
  readonly borrowed: boolean;
}

/** What could be found of it, and the hubs that could not be read. */
interface Found {
  readonly wanted: readonly VerifyRequest[];
  readonly unread: readonly UnreadHub[];
}

export default class HubVerify extends BaseCommand {
  static override summary = 'Verify the signatures of a package, a hub or a local folder';
  static override description =
    'Checks every file of the package with the trusted keys of the hub; nothing is installed or stored. A folder is a local hub or a downloaded package; it is checked with the keys of --keyring or --hub. Without any trusted key nothing can be verified, which exits with 9, unless --policy warn accepts it. A signed index is accepted until 5 minutes after it expires, because clocks differ.';
  static override examples = [
    'cdapctl hub verify example-trim-fields',
    'cdapctl hub verify --all --hub corp --strict',
    'cdapctl hub verify ./downloads/example-trim-fields/1.10.0 --keyring publisher.asc',
    'cdapctl hub verify --all --hub corp --expires-within 7d',
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
  static override args = { package: Args.string({ description: '[HUB/]NAME[@VERSION], or ./FOLDER' }) };
  static override flags = { ...verifyFlags, ...hubFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(HubVerify);
    const context = await this.context(flags);
    const { wanted, unread } = await this.wanted(context, args.package, flags);
    const targets: VerificationTarget[] = [];
    for (const one of wanted) targets.push(await this.target(context, one, flags));
    const verification = verifyAll(
      targets,
      { strict: flags.strict, within: flags['expires-within'], unread },
      this.signal,
    );
    const isFolder = args.package !== undefined && isPath(args.package) && flags.keyring === undefined;
    const hinted = (error: CliError): CliError =>
      isFolder && KEYLESS.includes(error.code)
        ? withHints(error, ['to verify with a public key: --keyring FILE'])
        : error;
    const hubs = targets.length + unread.length > 1;
    const many = targets.length > 1 || targets.some(({ packages }) => packages.length > 1);
    const members = (): object => {
      const { policy, ok, packages, files, refused, expiring } = verification.outcome();
      return { policy, ok, packages, files, refused, expiring };
    };
    await this.show(many ? verifiedFiles(true, hubs) : verifiedPackage, {
      items: this.rows(verification, hinted),
      get members() {
        return { ...members() };
      },
    });
    const outcome = verification.outcome();
    if (!flags.quiet) this.terminal.note(verificationLine(outcome));
    if (outcome.refusal !== undefined) throw hinted(outcome.refusal);
  }

  private async wanted(context: CommandContext, text: string | undefined, flags: VerifyFlags): Promise<Found> {
    if (text !== undefined && isPath(text)) {
      const content = await readFolder(expandHome(text, context.home), this.signal);
      return { wanted: [{ hub: text, ...content, borrowed: flags.hub !== undefined }], unread: [] };
    }
    if (text !== undefined && flags.all)
      throw new CliError('USAGE', 'a package and --all cannot be used together', {
        hints: isFolder(text) ? [`for the folder: ./${text}`] : [],
      });
    if (text === undefined && !flags.all) {
      throw new CliError('USAGE', 'specify a package or a folder', {
        hints: ['cdapctl hub verify NAME', 'cdapctl hub verify --all'],
      });
    }
    if (text !== undefined) {
      const platform = await versionToChooseBy(context, [text]);
      const { hub, source, ...place } = await findPackage(context, text, platform, this.session);
      return { wanted: [{ hub, source, packages: [place], alone: false, borrowed: false }], unread: [] };
    }
    const wanted: VerifyRequest[] = [];
    const unread: UnreadHub[] = [];
    for (const hub of await context.hubs()) {
      try {
        const packages = await everyPackage(hub, this.signal);
        const again = (signal: AbortSignal) => everyPackage({ ...hub, refresh: true }, signal);
        wanted.push({ hub: hub.name, source: hub.source, packages, again, alone: false, borrowed: false });
      } catch (error) {
        if (this.signal.aborted || !(error instanceof CliError)) throw error;
        unread.push({ hub: hub.name, error });
      }
    }
    // With nothing read at all the cause is the error.
    if (wanted.length === 0 && unread[0] !== undefined) throw unread[0].error;
    return { wanted, unread };
  }

  private async target(
    context: CommandContext,
    verifyRequest: VerifyRequest,
    flags: VerifyFlags,
  ): Promise<VerificationTarget> {
    const { hub, source, packages, again, alone, borrowed } = verifyRequest;
    const [lender, ...others] = borrowed ? await context.hubs() : [];
    if (others.length > 0) throw new CliError('USAGE', 'a folder can be verified with the keys of one hub only');
    const trust = await context.trust(lender?.source ?? source);
    const files = flags.keyring ?? [];
    const keys = files.length === 0 ? undefined : await keysOfFiles(files, flags['allow-expired-key'] ?? []);
    const setup = setupFor(trust.setup, { keys, alone, borrowed, policy: flags.strict ? 'require' : flags.policy });
    // Only what was verified with the keys that are trusted for this very hub is remembered.
    const own = keys === undefined && !borrowed && setup.pinned > 0;
    return { hub, source, packages, again, setup, remember: own ? (memory) => trust.remember(memory) : undefined };
  }

  /** The rows; where one document is expected, a refusal takes its place and carries them. */
  private async *rows(
    { rows, outcome }: Verification,
    hinted: (error: CliError) => CliError,
  ): AsyncGenerator<VerifiedFile> {
    const machine = isMachineFormat(formatOf(this.session.argv, this.session.env));
    const seen: VerifiedFile[] = [];
    for await (const row of rows) {
      if (machine) seen.push(row);
      yield row;
    }
    const { refusal, warnings, unread, expiring, policy, ok } = outcome();
    for (const { hub, error } of unread)
      this.terminal.warn(error.code, `hub "${hub}" could not be read: ${error.message}`);
    for (const warning of warnings) this.terminal.warn('TRUST', warning);
    if (!machine || refusal === undefined) return;
    throw new CliError(refusal.code, refusal.message, {
      ...hinted(refusal).details,
      item: { policy, ok, expiring, files: seen },
    });
  }
}
