import { createHash } from 'node:crypto';
import { parseJson } from '../../core/json/json.js';
import type { LedgerItem } from '../../state/ledger.js';

/**
 * Whether a thing is there, and a digest of all that an install determines of it. `unknown` for kinds that this version
 * does not know.
 */
export type ThingState =
  | { readonly state: 'absent' }
  | { readonly state: 'unknown' }
  | {
      readonly state: 'present';
      readonly as: string;
      /** Of an item of the kind `application`: only its artifact is there. */
      readonly bare?: true;
    };

/** Whether a thing is as the install left it, or what an uninstall that was cut off has left of it. */
export function isOurs({ as, standing }: LedgerItem, now: ThingState): boolean {
  if (now.state !== 'present' || as === undefined) return false;
  return now.as === as || (standing === 'removing' && now.bare === true);
}

/** Null members and the order of members mean nothing to the platform (docs/platform.md 5.5). */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null && member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, plain(member)]),
  );
}

/** The standing of a thing that is there, with a digest of what an install determines of it. */
export const present = (value: unknown): ThingState => ({
  state: 'present',
  as: createHash('sha256')
    .update(JSON.stringify(plain(value)))
    .digest('hex'),
});

/** A configuration as it is compared; a text that is no JSON as it stands. */
export function comparable(text: string): unknown {
  try {
    return parseJson(Buffer.from(text), 'a configuration');
  } catch {
    return text;
  }
}
