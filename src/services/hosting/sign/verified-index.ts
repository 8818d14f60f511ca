import { CliError } from '../../../core/errors.js';
import type { Emit } from '../../../core/events.js';
import { readIndex, type HubIndex } from '../../../hub/index-file.js';
import type { KeyringEntry } from '../../../trust/keyring.js';
import { missingVerdict, verdictError } from '../../../trust/verdict.js';
import { verifyBytes } from '../../../trust/verify.js';

/** Whose signature of an index is enough to continue its number. */
export interface IndexAuthority {
  /** Keys that sign now, and those that the tree names. */
  readonly keys: readonly KeyringEntry[];
  readonly now: Date;
  /** Accepts an index without a valid signature, with a warning. */
  readonly force: boolean;
  readonly emit: Emit;
}

/**
 * An index whose number can be continued.
 * @throws the error of the verdict when no key vouches for it; BAD_JSON, DUP_KEY, BAD_CATALOG
 */
export async function verifiedIndex(
  bytes: Uint8Array,
  signature: Uint8Array | undefined,
  what: string,
  { keys, now, force, emit }: IndexAuthority,
): Promise<HubIndex> {
  const verdict =
    signature === undefined
      ? missingVerdict()
      : await verifyBytes(bytes, signature, { trusted: keys, elsewhere: [] }, now);
  if (verdict.reason !== 'good') {
    const { code, message } = verdictError(verdict, what);
    if (!force)
      throw new CliError(code, `the number of the index cannot be continued: ${message}`, {
        hints: [
          'sign with the key of that index as well, or put its public key into the hub as publisher.asc',
          { next: 'force-sequence' },
        ],
        target: { file: what, reason: verdict.reason },
      });
    emit({ type: 'warning', code: 'INDEX_UNVERIFIED', message: `its number is continued, although ${message}` });
  }
  return readIndex(bytes, what);
}
