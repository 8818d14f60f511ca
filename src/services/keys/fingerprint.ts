import { CliError } from '../../core/errors.js';

const FULL = /^(?:[0-9A-F]{40}|[0-9A-F]{64})$/u;

/** Reads a full fingerprint as people write it (blanks, colons and letter case do not count) into upper-case hex; USAGE for anything shorter: ids of keys can be forged. */
export function parseFingerprint(text: string): string {
  const fingerprint = text.replace(/^0x/iu, '').replace(/[\s:]/gu, '').toUpperCase();
  if (FULL.test(fingerprint)) return fingerprint;
  throw new CliError('USAGE', `${JSON.stringify(text.slice(0, 100))} is not a full fingerprint`, {
    hints: ['a fingerprint has 40 or 64 hexadecimal digits; shorter ids can be forged', 'cdapctl hub key list -o wide'],
  });
}
