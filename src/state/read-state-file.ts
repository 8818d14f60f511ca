import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { CliError } from '../core/errors.js';
import { errnoOf, localError } from '../core/files/local-error.js';
import { checkOwner, type PrivateOptions } from './private-folder.js';

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * The bytes of a file of ours, or undefined when there is none. Never through a link (SYMLINK), never from what others
 * may change.
 */
export function readOwn(path: string, options: PrivateOptions = {}): Promise<Buffer | undefined> {
  return readFrom(path, options, (handle) => handle.readFile());
}

/** As `readOwn`, but waits for no thread of Node. */
export function readOwnNow(path: string, options: PrivateOptions): Buffer | undefined {
  try {
    const file = openSync(path, READ);
    try {
      checkFile(path, fstatSync(file), options);
      return readFileSync(file);
    } finally {
      closeSync(file);
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw localError(error, 'read', path);
  }
}

/** The first bytes of a file of ours and its size; as `readOwn`. */
export function readOwnBeginning(
  path: string,
  most: number,
): Promise<{ readonly bytes: Buffer; readonly size: number } | undefined> {
  return readFrom(path, {}, async (handle, size) => {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(most), 0, most, 0);
    return { bytes: buffer.subarray(0, bytesRead), size };
  });
}

/** Reads a file of ours in a way of its own while it is open; undefined when there is none. As `readOwn`. */
export async function readFrom<T>(
  path: string,
  options: PrivateOptions,
  read: (handle: FileHandle, size: number) => Promise<T>,
): Promise<T | undefined> {
  try {
    const handle = await open(path, READ);
    try {
      const stat = await handle.stat();
      checkFile(path, stat, options);
      return await read(handle, stat.size);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw localError(error, 'read', path);
  }
}

function checkFile(path: string, stat: Stats, options: PrivateOptions): void {
  if (!stat.isFile()) throw new CliError('LOCAL_IO', `${path} is not a regular file`, { target: { file: path } });
  checkOwner(path, stat, options);
}
