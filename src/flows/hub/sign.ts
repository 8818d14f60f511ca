import type { CommandContext } from '../../cli/context-types.js';
import type { Session } from '../../cli/session.js';
import { withHints } from '../../cli/connection-hints.js';
import { commandLine, withFlags } from '../../cli/line/command-line.js';
import { askSecret } from '../../cli/terminal/prompts.js';
import { counted } from '../../core/counted.js';
import { CliError } from '../../core/errors.js';
import { publishedIndex } from '../../services/hosting/sign/verified-index.js';
import { lateSigner } from '../../services/hosting/sign/signer.js';
import { secretKeyOf } from '../../services/hosting/sign/key-file.js';
import { treeKeys } from '../../services/hosting/sign/tree-keys.js';
import { signHub, type SignedHub, type SignRequest } from '../../services/hosting/sign/sign-hub.js';
import { treeRoot } from '../../services/hosting/tree/source-tree.js';
import { takeLocks } from '../../services/writing/run-lock.js';
import type { SecretKey, SigningKey, SigningTime } from '../../trust/signing/secret-key.js';
import { lockDeps } from '../writing.js';
import { warnOfForced } from './forced-files.js';
import { programOf, warnOfEnd, type ProgramSignerOptions, type TreeSigner } from './sign-program.js';
import { givenPassphrases, PASSPHRASE_VARIABLE } from './passphrase.js';

/** What is signed, as it was named on the line. */
export interface HubSignOptions extends Pick<SignRequest, 'forced' | 'indexOnly' | 'recheck' | 'refresh' | 'validity'> {
  readonly folder: string;
  readonly keyFiles: readonly string[];
  /** Signs instead of the files of keys. */
  readonly program: ProgramSignerOptions | undefined;
  /** One for all locked keys, or one for each. */
  readonly passphraseFiles: readonly string[];
  /** The keys, where they were opened before. */
  readonly opened?: OpenedKeys | undefined;
  /** Only tells what would change. */
  readonly check: boolean;
  /** Whether the index of the hub that the context names decides on the sequence. */
  readonly against: boolean;
  /** Continues the number of an index without a valid signature. */
  readonly force: boolean;
}

/** The keys of files; none of them can be opened for a check. */
export interface OpenedKeys extends Pick<TreeSigner, 'entries'> {
  /** Opens them, which may ask for passphrases; those that are open stay so. */
  readonly open: (() => Promise<readonly SigningKey[]>) | undefined;
}

type SignContext = Pick<CommandContext, 'asker' | 'emit' | 'hubs' | 'stateFolder'>;
type SignSession = Pick<Session, 'argv' | 'build' | 'clock' | 'env' | 'signal' | 'terminal'>;

const ATTEMPTS = 3;

/** Signs a hub while no other run of this machine writes into its folder. A check takes no lock and opens no key. */
export async function signFor(options: HubSignOptions, context: SignContext, session: SignSession): Promise<SignedHub> {
  const { folder, check, against, refresh, validity, recheck, forced, indexOnly = false } = options;
  const { signal, clock } = session;
  const { emit, stateFolder } = context;
  const time = timeOf(session);
  const root = await treeRoot(folder);
  const treeEntries = await treeKeys(root);
  const { entries, signer } =
    options.program === undefined
      ? signerOf(options.opened ?? (await findKeys(root, options, context, session)), time)
      : await programOf(options.program, treeEntries, { ...options, now: time.now }, context, session);
  const known = [...entries.map((entry) => ({ ...entry, allowExpired: true })), ...treeEntries];
  const authority = { keys: known, now: time.now, force: options.force, emit };
  const [hub] = against ? await context.hubs() : [];
  const published = hub && (await publishedIndex(hub.source, authority, signal));
  await warnOfForced(root, { forced, published: published?.index }, emit);
  const named = { refresh, validity, indexOnly, recheck, forced, root, published, authority, emit };
  const memory = { stateFolder, version: session.build.version };
  const request = { ...named, entries, signer, time, memory, clock };
  if (check) return signHub(request, signal);
  const locks = await takeLocks([{ kind: 'folder', path: root }], lockDeps(context, session));
  try {
    return await signHub(request, signal);
  } finally {
    await locks.release();
  }
}

const signerOf = ({ entries, open }: OpenedKeys, time: SigningTime): TreeSigner => {
  return { entries, signer: open && lateSigner(open, time) };
};

/**
 * The keys of files that sign what is in a folder, opened at once.
 * @throws KEY_PERMS, KEY_LOCKED, KEY_UNUSABLE, INPUT_MISSING
 */
export async function openKeys(...request: Parameters<typeof findKeys>): Promise<OpenedKeys> {
  const found = await findKeys(...request);
  await found.open?.();
  return found;
}

/** The keys of files. They are opened when something is to be signed, unless all that this takes is there already. */
async function findKeys(
  root: string,
  options: Pick<HubSignOptions, 'keyFiles' | 'passphraseFiles' | 'check'>,
  context: Pick<SignContext, 'asker' | 'emit'>,
  session: SignSession,
): Promise<OpenedKeys> {
  const { keyFiles, check } = options;
  const time = timeOf(session);
  const secrets: SecretKey[] = [];
  for (const file of keyFiles) secrets.push(await secretKeyOf(file, root, time));
  for (const { entry, expires } of secrets) warnOfEnd(entry, expires?.getTime(), context, time.now);
  const entries = secrets.map(({ entry }) => entry);
  if (check) return { entries, open: undefined };
  const isLocked = secrets.some((key) => key.locked);
  const given = isLocked ? await givenPassphrases(options.passphraseFiles, session) : [];
  let opening: Promise<readonly SigningKey[]> | undefined;
  const open = () => (opening ??= openAll(secrets, keyFiles, given, context, session));
  if (!isLocked || given.length > 0) await open();
  return { entries, open };
}

/** A build machine may date what is signed (reproducible-builds.org). Keys and expiry go by the clock. */
function timeOf({ env, clock }: Pick<Session, 'clock' | 'env'>): { readonly created: Date; readonly now: Date } {
  const now = new Date(clock.now());
  const epoch = env['SOURCE_DATE_EPOCH'] ?? '';
  if (epoch !== '' && !/^\d{1,10}$/u.test(epoch))
    throw new CliError('USAGE', 'SOURCE_DATE_EPOCH must be a number of seconds');
  if (Number(epoch) * 1000 > now.getTime()) throw new CliError('USAGE', 'SOURCE_DATE_EPOCH is in the future');
  const seconds = epoch === '' ? Math.floor(now.getTime() / 1000) : Number(epoch);
  return { created: new Date(seconds * 1000), now };
}

async function openAll(
  secrets: readonly SecretKey[],
  files: readonly string[],
  given: readonly string[],
  { asker }: Pick<CommandContext, 'asker'>,
  session: SignSession,
): Promise<readonly SigningKey[]> {
  const locked = secrets.filter((key) => key.locked);
  if (given.length > 1 && given.length !== locked.length)
    throw new CliError('USAGE', `${given.length} passphrases for ${counted(locked.length, 'locked key')}`, {
      hints: [ONE_EACH],
    });
  const opened: SigningKey[] = [];
  for (const [at, key] of secrets.entries()) {
    const passphrase = given.length === 1 ? given[0] : given[locked.indexOf(key)];
    if (!key.locked || passphrase !== undefined) opened.push(await openGiven(key, passphrase, locked.length));
    else if (asker === undefined) throw missingPassphrase(files[at] ?? '', session);
    else opened.push(await openAsking(key, () => askSecret(`Passphrase for ${files[at] ?? ''}:`, asker), session));
  }
  return opened;
}

const ONE_EACH = 'use --passphrase-file once for all locked keys, or once for each, in the order of --key';

async function openGiven(key: SecretKey, passphrase: string | undefined, locked: number): Promise<SigningKey> {
  try {
    return await key.open(passphrase);
  } catch (error) {
    throw error instanceof CliError && locked > 1 ? withHints(error, [ONE_EACH]) : error;
  }
}

const missingPassphrase = (file: string, { argv }: Pick<Session, 'argv'>): CliError =>
  new CliError('INPUT_MISSING', `the passphrase for ${file} is required without a terminal`, {
    hints: [commandLine(withFlags(argv, ['--passphrase-file', 'FILE'])), `or set the variable ${PASSPHRASE_VARIABLE}`],
    target: { file },
  });

async function openAsking(
  key: SecretKey,
  ask: () => Promise<string | undefined>,
  { terminal }: Pick<Session, 'terminal'>,
): Promise<SigningKey> {
  for (let attempt = 1; ; attempt++) {
    const passphrase = await ask();
    if (passphrase !== undefined) terminal.secrets.add(passphrase);
    try {
      return await key.open(passphrase);
    } catch (error) {
      const isWrong = error instanceof CliError && error.code === 'KEY_LOCKED';
      if (!isWrong || passphrase === undefined || attempt === ATTEMPTS) throw error;
      terminal.note(error.message);
    }
  }
}
