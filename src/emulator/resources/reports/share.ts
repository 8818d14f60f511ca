import { createCipheriv, createDecipheriv } from 'node:crypto';
import { isObject, parseJson, stringOf } from '../../http/json.js';

const CIPHER = 'aes-128-ecb';
const KEY = Buffer.from('emulated reports');
const OWNER = 'system';

/** The id under which a report is shared: always the same for a report. */
export function shareIdOf(reportId: string): string {
  const cipher = createCipheriv(CIPHER, KEY, null);
  const sealed = Buffer.concat([cipher.update(JSON.stringify({ owner: OWNER, reportId }), 'utf8'), cipher.final()]);
  const text = sealed.toString('base64url');
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=');
}

/** The report that is shared under an id; `undefined` when the id is none. */
export function sharedReport(shareId: string): string | undefined {
  const decipher = createDecipheriv(CIPHER, KEY, null);
  try {
    const opened = Buffer.concat([decipher.update(Buffer.from(shareId, 'base64url')), decipher.final()]);
    const value = parseJson(opened.toString('utf8'));
    return isObject(value) ? stringOf(value, 'reportId') : undefined;
  } catch {
    return undefined;
  }
}
