import { constants } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { CliError } from './errors.js';
import { errnoOf, localError } from './local-error.js';

const PIECE = 65_536;
/** Most bytes of a file of text, keys or certificates that a user names (`docs/limits.md`). */
export const LARGEST_TEXT = 4 * 1024 * 1024;

/** The bytes of a file that a user names, `most` of them at most; never waits at a pipe or device. LOCAL_IO, or `tooLarge`. */
export async function readBounded(file: string, most: number, tooLarge = largerThan(file, most)): Promise<Buffer> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK);
    const stat = await handle.stat();
    if (stat.isDirectory()) throw new CliError('LOCAL_IO', `cannot read ${file}: it is a folder`, { target: { file } });
    if (!stat.isFile()) throw notRegular(file);
    if (stat.size > most) throw tooLarge;
    return await readTo(handle, most, tooLarge);
  } catch (error) {
    if (errnoOf(error) === 'ENXIO') throw notRegular(file);
    throw localError(error, 'read', file);
  } finally {
    await handle?.close();
  }
}

/** The bytes of a stream such as stdin, `most` of them at most; LOCAL_IO names it by `what`. */
export async function readStreamBounded(
  stream: AsyncIterable<Uint8Array | string>,
  what: string,
  most: number,
): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream) {
    const bytes = Buffer.from(piece);
    size += bytes.length;
    if (size > most) throw largerThan(what, most);
    pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}

/** To its end, not to its size: files of the system have none. */
async function readTo(handle: FileHandle, most: number, tooLarge: CliError): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let at = 0; ;) {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(PIECE), 0, PIECE, at);
    if (bytesRead === 0) return Buffer.concat(pieces);
    at += bytesRead;
    if (at > most) throw tooLarge;
    pieces.push(buffer.subarray(0, bytesRead));
  }
}

function notRegular(file: string): CliError {
  return new CliError('LOCAL_IO', `cannot read ${file}: it is not a regular file`, { target: { file } });
}

function largerThan(file: string, most: number): CliError {
  return new CliError('LOCAL_IO', `${file} is larger than ${most} bytes`, { target: { file } });
}
