import { looksSecret, redactor } from './redact.js';

const MASK = '***';

/** Whether a value may be a secret: its key says so, or it holds what looks like a credential. */
export const isSecret = (key: string, value: string): boolean => looksSecret(key) || redactor([])(value) !== value;

/** A value as it may be shown. */
export function shownValue(key: string, value: string, showSecrets: boolean): string {
  if (showSecrets) return value;
  return looksSecret(key) ? MASK : redactor([])(value);
}
