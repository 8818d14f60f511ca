import { read, readSync } from 'node:fs';

/** Up to so many bytes take less time than a switch to another thread and back, as opening a file does. */
const SMALL = 64 * 1024;

/** Reads the next bytes of an open file into a buffer; gives their number. Much cheaper than a handle with promises. */
export const readInto = (file: number, buffer: Uint8Array): Promise<number> =>
  new Promise((resolve, reject) => {
    if (buffer.length <= SMALL) resolve(readSync(file, buffer));
    else
      read(file, buffer, 0, buffer.length, null, (error, bytesRead) => {
        if (error) reject(error);
        else resolve(bytesRead);
      });
  });
