import { join } from 'node:path';
import { CliError } from '../../../core/errors.js';
import { openKeyring, readPublicKeys, type KeyringEntry } from '../../../trust/keyring.js';
import { readKeyFile } from '../../catalog/key-files.js';
import { filesAt } from '../tree/source-tree.js';
import { withoutSignatures } from '../../../hub/signature-names.js';

/** The files of keys at the root of a tree: each `.asc` that belongs to no other file. */
export function keyFilesAmong(names: readonly string[]): readonly string[] {
  return withoutSignatures(names).filter((name) => name.endsWith('.asc') && name !== 'index.json.asc');
}

/**
 * The public keys at the root of a tree. They also count after they have expired.
 * @throws TRUST_PRIVATE when one of them is a secret key
 */
export async function treeKeys(root: string): Promise<readonly KeyringEntry[]> {
  const entries: KeyringEntry[] = [];
  for (const name of keyFilesAmong(await filesAt(root))) {
    try {
      entries.push(...(await keyFileEntries([join(root, name)])));
    } catch (error) {
      // What is no key, or too weak for one, vouches for nothing.
      if (!(error instanceof CliError) || !['KEY_UNUSABLE', 'SIG_WEAK'].includes(error.code)) throw error;
    }
  }
  return entries;
}

/**
 * The public keys of files. They also count after they have expired.
 * @throws TRUST_PRIVATE, KEY_UNUSABLE, SIG_WEAK, LOCAL_IO
 */
export async function keyFileEntries(files: readonly string[]): Promise<readonly KeyringEntry[]> {
  const entries: KeyringEntry[] = [];
  for (const file of files) {
    const keys = await readPublicKeys(await readKeyFile(file), file);
    const { trusted } = await openKeyring(keys.map(({ armored }) => ({ armored, allowExpired: true })));
    entries.push(...trusted);
  }
  return entries;
}
