import { createHash } from 'node:crypto';
import type { TrustSetup } from '../../catalog/trust-setup.js';

/** A digest of the policy and all keys that files are verified by; undefined with `off`. */
export function trustDigest({ policy, keyring }: Pick<TrustSetup, 'policy' | 'keyring'>): string | undefined {
  if (policy === 'off') return undefined;
  const keys = [...keyring.trusted, ...keyring.elsewhere].map(({ certificate, packages, allowExpired }) =>
    JSON.stringify([Buffer.from(certificate.key.write()).toString('base64'), packages, allowExpired]),
  );
  return createHash('sha256')
    .update(JSON.stringify([policy, keys.sort()]))
    .digest('hex');
}
