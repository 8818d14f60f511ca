import type { CommandContext } from '../../cli/context-types.js';
import { withHints } from '../../cli/connection-hints.js';
import { formatOf } from '../../cli/line/argv.js';
import { expandHome, isFolder, isPath } from '../../cli/line/local-path.js';
import type { Session } from '../../cli/session.js';
import { CliError } from '../../core/errors.js';
import { isMachineFormat } from '../../output/format.js';
import { keysOfFiles } from '../../services/catalog/key-files.js';
import type { VerifiedFile } from '../../services/catalog/verified-file.js';
import { everyPackage, readFolder, setupFor, type FolderContent } from '../../services/catalog/verify/target.js';
import type { UnreadHub, Verification, VerificationTarget } from '../../services/catalog/verify/verify.js';
import { findPackage, versionToChooseBy } from '../install/find-package.js';

/** What a key would help with. */
const KEYLESS: readonly string[] = ['NO_TRUST', 'KEY_UNKNOWN'];

/** What is verified, and by which keys. */
export interface VerifyOptions {
  readonly all: boolean;
  readonly hub?: readonly string[] | undefined;
  /** Files with public keys that replace the trusted ones. */
  readonly keyring?: readonly string[] | undefined;
  readonly policy?: 'warn' | 'require' | undefined;
  readonly strict: boolean;
  /** Fingerprints of keys that may have expired. */
  readonly 'allow-expired-key'?: readonly string[] | undefined;
}

type VerifyContext = Pick<CommandContext, 'asker' | 'home' | 'hubs' | 'platformIfAny' | 'stateFolder' | 'trust'>;
type VerifySession = Pick<Session, 'argv' | 'build' | 'clock' | 'signal'>;

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

/** What to verify with whose keys, and the hubs that could not be read. */
export async function verificationTargets(
  context: VerifyContext,
  text: string | undefined,
  flags: VerifyOptions,
  session: VerifySession,
): Promise<{ readonly targets: readonly VerificationTarget[]; readonly unread: readonly UnreadHub[] }> {
  const { wanted, unread } = await findWanted(context, text, flags, session);
  const targets: VerificationTarget[] = [];
  for (const one of wanted) targets.push(await targetOf(context, one, flags));
  return { targets, unread };
}

/** An error of a folder, with a hint where a key would help. */
export const withKeyHint = (error: CliError): CliError =>
  KEYLESS.includes(error.code) ? withHints(error, ['to verify with a public key: --keyring FILE']) : error;

async function findWanted(
  context: VerifyContext,
  text: string | undefined,
  flags: VerifyOptions,
  session: VerifySession,
): Promise<Found> {
  const { signal } = session;
  if (text !== undefined && isPath(text)) {
    const content = await readFolder(expandHome(text, context.home), signal);
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
    const { hub, source, ...place } = await findPackage(context, text, platform, session);
    return { wanted: [{ hub, source, packages: [place], alone: false, borrowed: false }], unread: [] };
  }
  const wanted: VerifyRequest[] = [];
  const unread: UnreadHub[] = [];
  for (const hub of await context.hubs()) {
    try {
      const packages = await everyPackage(hub, signal);
      const again = (stop: AbortSignal) => everyPackage({ ...hub, refresh: true }, stop);
      wanted.push({ hub: hub.name, source: hub.source, packages, again, alone: false, borrowed: false });
    } catch (error) {
      if (signal.aborted || !(error instanceof CliError)) throw error;
      unread.push({ hub: hub.name, error });
    }
  }
  // With nothing read at all the cause is the error.
  if (wanted.length === 0 && unread[0] !== undefined) throw unread[0].error;
  return { wanted, unread };
}

async function targetOf(
  context: VerifyContext,
  { hub, source, packages, again, alone, borrowed }: VerifyRequest,
  flags: VerifyOptions,
): Promise<VerificationTarget> {
  const [lender, ...others] = borrowed ? await context.hubs() : [];
  if (others.length > 0) throw new CliError('USAGE', 'a folder can be verified with the keys of one hub only');
  const trust = await context.trust(lender?.source ?? source);
  const files = flags.keyring ?? [];
  const keys = files.length === 0 ? undefined : await keysOfFiles(files, flags['allow-expired-key'] ?? []);
  const own = setupFor(trust.setup, { keys, alone, borrowed, policy: flags.strict ? 'require' : flags.policy });
  const origin = lender && { hub: lender.name, source: async () => lender.source, memory: trust.setup.memory };
  const setup = { ...own, ...(alone && { origin }) };
  // Only what was verified with the keys that are trusted for this very hub is remembered.
  const isOwn = keys === undefined && !borrowed && setup.pinned > 0;
  return { hub, source, packages, again, setup, remember: isOwn ? (memory) => trust.remember(memory) : undefined };
}

/** The rows; where one document is expected, a refusal takes its place and carries them. */
export async function* verifiedRows(
  { rows, outcome }: Verification,
  hinted: (error: CliError) => CliError,
  { argv, env, terminal }: Pick<Session, 'argv' | 'env' | 'terminal'>,
): AsyncGenerator<VerifiedFile> {
  const machine = isMachineFormat(formatOf(argv, env));
  const seen: VerifiedFile[] = [];
  for await (const row of rows) {
    if (machine) seen.push(row);
    yield row;
  }
  const { refusal, warnings, unread, unindexed, expiring, policy, ok } = outcome();
  for (const { hub, error } of unread) terminal.warn(error.code, `hub "${hub}" could not be read: ${error.message}`);
  for (const warning of warnings) terminal.warn('TRUST', warning);
  for (const hub of unindexed)
    terminal.warn('NO_INDEX', `hub "${hub}" has no signed index that can be verified, so its expiry is not checked`);
  if (!machine || refusal === undefined) return;
  throw new CliError(refusal.code, refusal.message, {
    ...hinted(refusal).details,
    item: { policy, ok, expiring, files: seen },
  });
}
