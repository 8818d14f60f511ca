import type { CommandContext } from '../../cli/context-types.js';
import { runProgram } from '../../cli/child-program.js';
import type { Session } from '../../cli/session.js';
import { commandWords } from '../../config/command-words.js';
import { lengthText } from '../../core/duration.js';
import { CliError } from '../../core/errors.js';
import { keyFileEntries } from '../../services/hosting/sign/tree-keys.js';
import { probe, programSigner } from '../../services/hosting/sign/program-signer.js';
import type { Signer } from '../../services/hosting/sign/signer.js';
import type { KeyringEntry } from '../../trust/keyring.js';

/** A program that signs, and the key that it is expected to use. */
export interface ProgramSignerOptions {
  readonly command: string;
  /** Upper-case hex, of a primary key or subkey. */
  readonly fingerprint: string;
  /** Files of public keys, beside those of the tree. */
  readonly keyrings: readonly string[];
}

/** Who signs, and what verifies it; no signer when nothing is signed. */
export interface TreeSigner {
  readonly entries: readonly KeyringEntry[];
  readonly signer: Signer | undefined;
}

const DAY = 86_400_000;
/** Milliseconds before its end at which a key is warned about. */
const NOTICE = 60 * DAY;
/** Milliseconds for one file: somebody may have to type a number or touch a card. */
const LIMIT = 600_000;

/** Warns that a key expires soon; `end` in milliseconds, undefined: never. */
export function warnOfEnd(
  { fingerprint }: KeyringEntry,
  end: number | undefined,
  { emit }: Pick<CommandContext, 'emit'>,
  now: Date,
): void {
  const left = (end ?? Infinity) - now.getTime();
  if (left > NOTICE) return;
  const message = `the key ${fingerprint} expires in ${lengthText(left / 1000)}; clients then reject what it signed`;
  emit({ type: 'warning', code: 'KEY_EXPIRES', message });
}

/** Finds the key of a program, which signs a few bytes before the first file. */
export async function programOf(
  { command, fingerprint, keyrings }: ProgramSignerOptions,
  treeEntries: readonly KeyringEntry[],
  { check, now }: { readonly check: boolean; readonly now: Date },
  context: Pick<CommandContext, 'emit'>,
  { clock, env }: Pick<Session, 'clock' | 'env'>,
): Promise<TreeSigner> {
  const [name, ...words] = commandWords(command, '--signer');
  const entries = [...treeEntries, ...(await keyFileEntries(keyrings))];
  const entry = entries.find(({ certificate: { key } }) =>
    key.getKeys().some((one) => one.getFingerprint().toUpperCase() === fingerprint),
  );
  if (entry === undefined)
    throw new CliError('KEY_UNKNOWN', `${keyrings.join(', ') || 'the hub'} has no public key ${fingerprint}`, {
      hints: ['put it into the hub as publisher.asc, or specify its file: --keyring FILE'],
      target: { signer: fingerprint },
    });
  const own = { ...entry, allowExpired: false };
  if (check) return { entries: [own], signer: undefined };
  const signer = programSigner({
    name,
    entry: own,
    now,
    run: (give, stop) => runProgram(name, words, { env, signal: stop, limit: LIMIT, give }),
  });
  const prove = async (stop: AbortSignal): Promise<number> => {
    const start = clock.now();
    const end = await probe(signer, own, stop);
    warnOfEnd(own, end, context, now);
    return (clock.now() - start) / 1000;
  };
  return { entries: [own], signer: provedSigner(signer, prove) };
}

/** A signer that signs no file before `prove` has passed, which gives the seconds that one takes. */
function provedSigner(signer: Signer, prove: (signal: AbortSignal) => Promise<number>): Signer {
  let proved: Promise<number> | undefined;
  const seconds = (signal: AbortSignal): Promise<number> => (proved ??= prove(signal));
  return {
    atOnce: signer.atOnce,
    seconds,
    async signFile(path, signal) {
      await seconds(signal);
      return signer.signFile(path, signal);
    },
    async signBytes(bytes, signal) {
      await seconds(signal);
      return signer.signBytes(bytes, signal);
    },
  };
}
