import { read } from 'node:fs';

/** Reads the next bytes of an open file into a buffer; gives their number. Much cheaper than a handle with promises. */
export const readInto = (file: number, buffer: Uint8Array): Promise<number> =>
  new Promise((resolve, reject) => {
    read(file, buffer, 0, buffer.length, null, (error, bytesRead) => {
      if (error) reject(error);
      else resolve(bytesRead);
    });
  });
