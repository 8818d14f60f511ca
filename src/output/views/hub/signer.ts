import { visible } from '../../escape.js';

interface SignerState {
  readonly state: string;
  readonly fingerprint?: string | undefined;
}

/** A fingerprint in groups of four, the middle left out: `4F2A 91C0 ... 77D1`; full ones stand in JSON. */
export function shortFingerprint(fingerprint: string): string {
  const groups = fingerprint.match(/.{1,4}/gu) ?? [];
  return groups.length < 4 ? groups.join(' ') : `${groups.slice(0, 2).join(' ')} ... ${groups.at(-1) ?? ''}`;
}

/** What the keys and the policy make of a signature. */
interface SignerPolicy {
  readonly policy: 'require' | 'warn' | 'off';
  /** How many keys count. */
  readonly pinned: number;
}

/** Who signed the specification, in a few words. Its files are judged later, so of the package nothing is claimed. */
export function signerText(verdict: SignerState | undefined, { policy, pinned }: SignerPolicy): string {
  if (policy === 'off') return 'not verified (--verify off)';
  if (verdict?.state === 'valid')
    return `specification signed by trusted key ${visible(shortFingerprint(verdict.fingerprint ?? ''))}`;
  if (verdict === undefined || verdict.state === 'missing') return 'not signed';
  if (pinned === 0) return 'cannot be verified: no trusted key';
  return verdict.state === 'unknown-signer'
    ? 'signed by a key that is not trusted for this hub'
    : `not verified: signature is ${verdict.state}`;
}
