import { createHash } from 'node:crypto';
import { hubAddress } from '../core/hub-address.js';

export { baseAddress, hubAddress } from '../core/hub-address.js';

/**
 * The name of everything kept for a hub: SHA-256 of its normalised base URL, 64 hexadecimal digits. See
 * docs/conventions.md D16.
 */
export function hubKey(base: string): string {
  return createHash('sha256').update(hubAddress(base)).digest('hex');
}
