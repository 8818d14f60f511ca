import { chmod, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Emit } from '../../../core/events.js';
import { localError } from '../../../core/files/local-error.js';
import { replaceTexts, type TextEdit } from '../../../core/json/text.js';
import { createStaged } from '../../../state/atomic-write.js';
import type { PublishedFiles } from '../tree/published-files.js';
import { readSmall } from '../tree/read-small.js';
import type { JsonFile } from './json-file.js';
import { specOf, type LintedPackage } from './rule.js';

/** What is corrected: the rule, and the one edit that does it. */
export interface Fix {
  readonly rule: string;
  readonly edit: TextEdit;
}

/**
 * Corrects the specification of a package; every other byte stays. One that was published, or has changed since it was
 * read, stays as it is.
 */
export async function fixSpecification(
  root: string,
  one: LintedPackage & { readonly specification: JsonFile },
  fixes: readonly Fix[],
  { published, emit }: { readonly published: PublishedFiles; readonly emit: Emit },
): Promise<boolean> {
  const { specification } = one;
  const file = specOf(one);
  const path = join(root, file);
  const text = replaceTexts(
    specification.text,
    fixes.map(({ edit }) => edit),
  );
  const bytes = Buffer.from(text);
  if (!published.accepts(one, 'spec.json', bytes) || !Buffer.from(specification.text).equals(await readSmall(path)))
    return false;
  try {
    await replace(path, bytes);
  } catch (error) {
    throw localError(error, 'write', path);
  }
  for (const { rule } of fixes) emit({ type: 'note', message: `note: corrected ${rule} in ${file}` });
  return true;
}

/** Replaces a file, and leaves to others what they may do with it. */
async function replace(path: string, bytes: Uint8Array): Promise<void> {
  const { mode } = await lstat(path);
  const file = createStaged(path, { overwrite: true });
  try {
    file.write(bytes);
    // Unlike the mode of a new file, this one does not go through the umask.
    await chmod(file.path, mode & 0o777);
    await file.commit();
  } finally {
    await file.abort();
  }
}
