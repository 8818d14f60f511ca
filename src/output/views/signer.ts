import { visible } from '../escape.js';

interface Judged {
  readonly state: string;
  readonly fingerprint?: string | undefined;
}

/** A fingerprint in groups of four, the middle left out: `4F2A 91C0 ... 77D1`; full ones stand in JSON. */
export function shortFingerprint(fingerprint: string): string {
  const groups = fingerprint.match(/.{1,4}/gu) ?? [];
  return groups.length < 4 ? groups.join(' ') : `${groups.slice(0, 2).join(' ')} ... ${groups.at(-1) ?? ''}`;
}

/** Who signed, in a few words. */
export function signerText(verdict: Judged | undefined): string {
  if (verdict?.state === 'valid') return `signed by ${visible(shortFingerprint(verdict.fingerprint ?? ''))} (trusted)`;
  return verdict === undefined || verdict.state === 'missing'
    ? 'not signed'
    : 'signed, but not by a key that is trusted for this hub';
}
