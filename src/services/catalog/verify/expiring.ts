import { counted } from '../../../core/counted.js';
import { CliError } from '../../../core/errors.js';
import type { Hint } from '../../../core/next-step.js';
import { formatTime } from '../../../core/time.js';
import { renewalOf } from '../../../hub/index-renewal.js';
import { expiryOf } from '../../../trust/keyring.js';
import { lateText, type IndexState } from '../signed-index.js';
import type { TrustSetup } from '../trust-setup.js';
import type { VerifiedFile } from '../verified-file.js';

/** What a hub is trusted by and that ends soon: its signed index, or a key that signed files of it. */
export interface Expiring {
  readonly hub: string;
  /** `index.json`, or the fingerprint of the key. */
  readonly name: string;
  /** RFC 3339. */
  readonly expiresAt: string;
}

/** The keys that signed files, each once, by key id of the key or sub-key that did. */
export class Signers {
  readonly #seen = new Map<string, string>();

  add({ state, fingerprint, keyId }: VerifiedFile): void {
    if (state === 'valid' && fingerprint !== undefined && keyId !== undefined) this.#seen.set(keyId, fingerprint);
  }

  /** What of a hub ends before a moment (milliseconds), the first to end first. */
  async expiring(hub: string, { keyring }: TrustSetup, { index }: IndexState, before: number): Promise<Expiring[]> {
    const ends: [name: string, at: number][] = index === undefined ? [] : [['index.json', index.expires]];
    for (const [keyId, fingerprint] of this.#seen) {
      const entry = [...keyring.trusted, ...keyring.elsewhere].find((one) => one.fingerprint === fingerprint);
      const at = entry && (await expiryOf(entry, keyId));
      if (at !== undefined) ends.push([fingerprint, at]);
    }
    return ends
      .filter(([, at]) => at < before)
      .sort(([, one], [, other]) => one - other)
      .map(([name, at]) => ({ hub, name, expiresAt: formatTime(at) }));
  }
}

/** The error of what ends soon; `folder` is that of the hub, where it was named. */
export function expiringRefusal(
  expiring: readonly Expiring[],
  folder: string | undefined,
  now: number,
): CliError | undefined {
  const [first, ...others] = expiring;
  if (first === undefined) return undefined;
  const isIndex = ({ name }: Expiring): boolean => name === 'index.json';
  const isLate = (one: Expiring): boolean => Date.parse(one.expiresAt) <= now;
  const end = (one: Expiring): string =>
    isIndex(one) && isLate(one) ? lateText(Date.parse(one.expiresAt), now) : `expires at ${one.expiresAt}`;
  const hints: Hint[] = [];
  const indexes = expiring.filter(isIndex);
  if (indexes.length > 0) hints.push(renewalOf(folder, folder, indexes.some(isLate)));
  if (!expiring.every(isIndex)) hints.push('clients need the extended key before it is used');
  const what = counted(expiring.length, 'signed index or key', 'signed indexes or keys');
  const isOne = others.length === 0;
  const soon = `${isOne ? 'expires' : 'expire'} soon`;
  const late = `${isOne ? 'has' : 'have'} expired`;
  const text = `${what} ${expiring.every(isLate) ? late : expiring.some(isLate) ? `${soon} or ${late}` : soon}`;
  return new CliError('EXPIRING', text, {
    lines: expiring.map((one) => `hub "${one.hub}": ${one.name} ${end(one)}`),
    hints,
  });
}
