import * as Flags from '@oclif/core/flags';
import { parseFingerprint } from '../services/keys/fingerprint.js';
import { withTwins } from './environment-names.js';
import { list, someTime } from './values.js';

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
    parse: async (text) => parseFingerprint(text),
  }),
};

/** Flags of commands that verify what a hub serves. */
export const trustFlags = withTwins(trust, 'TRUST');

const YEAR = 365 * 86_400;

/** Flags of commands that make or use secret keys. */
export const keyFlags = {
  passphraseFile: Flags.string({
    summary: 'read the passphrase of the secret key from this file, - for stdin',
    helpValue: 'FILE',
  }),
  /** In seconds; 0: never. */
  lifetime: Flags.custom<number>({
    summary: 'lifetime of the key, such as 90d or 2y, or never (default: 2y)',
    helpValue: 'DURATION',
    parse: async (text) => parseLifetime(text),
  })(),
  defaultLifetime: 2 * YEAR,
};

function parseLifetime(text: string): number {
  if (text === 'never') return 0;
  const years = /^([1-9]\d?)y$/u.exec(text)?.[1];
  return years === undefined ? Math.ceil(someTime(text) / 1000) : Number(years) * YEAR;
}
