import { createHash } from 'node:crypto';

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/u;
const RESERVED = /^(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$)/iu;
/** State, temporary and unfinished files of this tool, beside those that it writes. */
const OWN = /^\.cdapctl-/iu;
const PORTABLE = /^[A-Za-z0-9._ +@=,()-]+$/u;
const LONGEST = 200;

/**
 * Whether a text from outside is safe as one segment of a URL. It must not be empty or only dots, or contain a slash,
 * backslash or control character; for dots this includes the escaped form.
 */
export function isSafeSegment(text: string): boolean {
  if (text === '' || text.length > 2048 || CONTROL.test(text) || /[/\\]/u.test(text)) return false;
  return !/^(?:\.|%2e){1,2}$/iu.test(text);
}

/** Why a file name of a hub is refused, or undefined when it is valid on every system. See docs/faults.md H20, H21. */
export function fileNameProblem(name: string): string | undefined {
  if (name === '') return 'is empty';
  if (name.length > 255) return 'is longer than 255 characters';
  if (CONTROL.test(name)) return 'has control characters';
  if (/[/\\]/u.test(name)) return 'has a path separator';
  if (/%(?:2e|2f|5c|00)/iu.test(name)) return 'has an escaped dot or separator';
  if (/^\.{1,2}$/u.test(name)) return 'is a relative path';
  if (/[<>:"|?*]/u.test(name)) return 'has a character that some systems do not allow';
  if (/[. ]$/u.test(name)) return 'ends with a dot or a space';
  if (RESERVED.test(name)) return 'is reserved on some systems';
  if (OWN.test(name)) return 'is reserved for files of cdapctl';
  return undefined;
}

/** A file name for any text: readable where possible, injective, portable, at most 200 characters. */
export function fileNameFor(text: string): string {
  if (PORTABLE.test(text) && text.length <= LONGEST && fileNameProblem(text) === undefined && !text.startsWith('.'))
    return text;
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 16);
  const readable = text
    .replace(/[^A-Za-z0-9._-]+/gu, '_')
    .replace(/^[._]+/u, '')
    .slice(0, 60);
  return `${readable}~${hash}`;
}
