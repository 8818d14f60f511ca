import { createStaged } from '../../state/atomic-write.js';

/**
 * Proves that the file can be written, before anything is requested from the network. See docs/faults.md L04, L09, L10.
 * @throws EXISTS, SYMLINK, LOCAL_IO or DISK_FULL when it cannot
 */
export async function checkFile(path: string, overwrite: boolean): Promise<void> {
  await createStaged(path, { overwrite }).abort();
}
