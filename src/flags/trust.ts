import * as Flags from '@oclif/core/flags';
import { withTwins } from './environment-names.js';
import { list } from './values.js';

const trust = {
  verify: Flags.option({
    summary: 'signature policy (default: require if the hub has a trusted key, else warn)',
    options: ['require', 'warn', 'off'] as const,
    helpValue: 'POLICY',
  })(),
  'allow-stale': Flags.boolean({ summary: 'accept an expired signed index' }),
  'allow-expired-key': Flags.string({
    summary: 'accept signatures by this expired key',
    ...list,
    helpValue: 'FINGERPRINT',
  }),
};

/** Flags of commands that verify what a hub serves. */
export const trustFlags = withTwins(trust, 'TRUST');
