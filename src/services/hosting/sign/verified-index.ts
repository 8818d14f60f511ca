import { CliError } from '../../../core/errors.js';
import type { Emit } from '../../../core/events.js';
import type { Hint } from '../../../core/next-step.js';
import { readIndex, type HubIndex } from '../../../hub/index-file.js';
import { LIMITS, type HubSource } from '../../../hub/source.js';
import type { KeyringEntry } from '../../../trust/keyring.js';
import { missingVerdict, verdictError, type Verdict } from '../../../trust/verdict.js';
import { verifyBytes } from '../../../trust/verify.js';
import { readSignatureFile, readSmall } from '../../catalog/signed-index.js';

/** An index whose number is continued, and what is wrong with its signature. */
export interface ContinuedIndex {
  readonly index: HubIndex;
  /** Why no known key vouches for it; undefined where one does. */
  readonly problem: Pick<CliError, 'code' | 'message'> | undefined;
}

/** What makes the signature of an index a known one. */
export const KNOW_KEY = 'sign with the key of that index as well, or put its public key into the hub as publisher.asc';

const RESTORE = 'restore index.json and index.json.asc as they were published last';

/** Whose signature of an index is enough to continue its number. */
export interface IndexAuthority {
  /** Keys that sign now, and those that the tree names. */
  readonly keys: readonly KeyringEntry[];
  readonly now: Date;
  /** Accepts an index without a valid signature, with a warning. */
  readonly force: boolean;
  readonly emit: Emit;
  /** Whether the index is that of the tree that is signed. */
  readonly isOwn?: true;
}

/**
 * An index whose number can be continued.
 * @throws the error of the verdict when no key vouches for it; BAD_JSON, DUP_KEY, BAD_CATALOG
 */
export async function verifiedIndex(
  bytes: Uint8Array,
  signature: Uint8Array | undefined,
  what: string,
  { keys, now, force, emit, isOwn }: IndexAuthority,
): Promise<ContinuedIndex> {
  const verdict =
    signature === undefined
      ? missingVerdict()
      : await verifyBytes(bytes, signature, { trusted: keys, elsewhere: [] }, now);
  const problem = verdict.reason === 'good' ? undefined : verdictError(verdict, what);
  if (problem !== undefined) {
    const { code, message } = problem;
    if (!force)
      throw new CliError(code, `the number of the index cannot be continued: ${message}`, {
        hints: [...hintsFor(verdict, isOwn), { next: 'force-sequence' }],
        ...(isOwn && { isOfOwnIndex: true }),
        target: { file: what, reason: verdict.reason },
      });
    emit({ type: 'warning', code: 'INDEX_UNVERIFIED', message: `continuing its number, although ${message}` });
  }
  return { index: indexIn(bytes, what, isOwn), problem };
}

/** What could be done about an index that is not verified; nothing where its key is at fault. */
function hintsFor({ reason }: Verdict, isOwn: IndexAuthority['isOwn']): readonly Hint[] {
  if (reason === 'unknown-key') return [KNOW_KEY];
  if (/key/u.test(reason)) return [];
  return [isOwn ? RESTORE : { next: 'publish-again' }];
}

function indexIn(bytes: Uint8Array, what: string, isOwn: IndexAuthority['isOwn']): HubIndex {
  try {
    return readIndex(bytes, what);
  } catch (error) {
    if (!(error instanceof CliError) || !isOwn) throw error;
    const hints = [RESTORE, 'or remove both files, if the hub was never published'];
    throw new CliError(error.code, error.message, { ...error.details, hints });
  }
}

/**
 * The index that a hub has now, past all caches; null when it has none.
 * @throws the errors of `verifiedIndex`
 */
export async function publishedIndex(
  source: HubSource,
  authority: IndexAuthority,
  signal: AbortSignal,
): Promise<ContinuedIndex | null> {
  const bytes = await readSmall(source, { file: 'index.json' }, LIMITS.index, signal, true);
  if (bytes === undefined) return null;
  const signature = await readSignatureFile(source, { file: 'index.json.asc' }, signal, true);
  return verifiedIndex(bytes, signature, `index.json of ${source.label}`, authority);
}
