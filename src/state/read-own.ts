import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { CliError } from '../core/errors.js';
import { errnoOf, localError } from './local-error.js';
import { checkOwner, type PrivateOptions } from './private-folder.js';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The bytes of a file of ours, or undefined when there is none; never through a link (SYMLINK), never from what others may change. */
export async function readOwn(path: string, options: PrivateOptions = {}): Promise<Buffer | undefined> {
  try {
    const handle = await open(path, READ);
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) throw new CliError('LOCAL_IO', `${path} is not a regular file`, { target: { file: path } });
      checkOwner(path, stat, options);
      return await handle.readFile();
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw localError(error, 'read', path);
  }
}
