import * as Flags from '@oclif/core/flags';
import { withTwins } from './twins.js';
import { list } from './values.js';

const trust = {
  verify: Flags.option({
    summary: 'what a missing or wrong signature means (default: require with a pinned key, else warn)',
    options: ['require', 'warn', 'off'] as const,
    helpValue: 'POLICY',
  })(),
  'allow-stale': Flags.boolean({ summary: 'accept a signed index that has expired' }),
  'allow-expired-key': Flags.string({
    summary: 'accept signatures of this key although it has expired',
    ...list,
    helpValue: 'FINGERPRINT',
  }),
};

/** Flags of commands that verify what a hub serves. */
export const trustFlags = withTwins(trust, 'TRUST');
