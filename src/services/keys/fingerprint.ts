import { CliError } from '../../core/errors.js';

const FULL = /^(?:[0-9A-F]{40}|[0-9A-F]{64})$/u;

const PART = /^[0-9A-F]{8,64}$/u;
const plain = (text: string): string => text.replace(/^0x/iu, '').replace(/[\s:]/gu, '').toUpperCase();

/**
 * Reads the beginning or end of a fingerprint, which is enough among keys that are trusted already.
 * @throws USAGE below 8 digits
 */
export function parsePartOfFingerprint(text: string): string {
  const part = plain(text);
  if (PART.test(part)) return part;
  throw new CliError('USAGE', `${JSON.stringify(text.slice(0, 100))} is not a fingerprint`, {
    hints: ['use its first or last 8 or more hexadecimal digits', { next: 'list-keys' }],
  });
}

/**
 * Parses a full fingerprint as people write it into upper-case hex. Blanks, colons and letter case do not count.
 * @throws USAGE for anything shorter: key ids can be forged
 */
export function parseFingerprint(text: string): string {
  const fingerprint = plain(text);
  if (FULL.test(fingerprint)) return fingerprint;
  throw new CliError('USAGE', `${JSON.stringify(text.slice(0, 100))} is not a full fingerprint`, {
    hints: [
      'get the full fingerprint from the owner of the key: it has 40 or 64 hexadecimal digits; shorter ids can be forged',
    ],
  });
}
