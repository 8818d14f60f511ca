import { crc32, deflateSync } from 'node:zlib';

const SIDE = 16;

function chunk(type: string, body: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), body]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(body.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, sum]);
}

/** Makes a PNG of 16 by 16 points in one colour that follows from the text. */
export function makeIcon(text: string): Buffer {
  const colour = Buffer.alloc(4);
  colour.writeUInt32BE(crc32(text));
  const row = Buffer.concat([Buffer.from([0]), ...Array.from({ length: SIDE }, () => colour.subarray(0, 3))]);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(SIDE, 0);
  header.writeUInt32BE(SIDE, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const points = deflateSync(Buffer.concat(Array.from({ length: SIDE }, () => row)));
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', points),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}
