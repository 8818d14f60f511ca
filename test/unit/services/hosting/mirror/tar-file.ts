import { tarHeader, tarPadding } from '../../../../../src/services/hosting/mirror/bundle/tar.js';

/** The members of a tar file: name, type and content. */
export type Member = readonly [name: string, content: Buffer, type?: string];

/** A tar file of these members. */
export function tarOf(members: readonly Member[]): Buffer {
  const pieces = members.flatMap(([name, content, type = '0']) => {
    const header = tarHeader(name, content.length);
    if (type !== '0') {
      header.write(type, 156, 'latin1');
      const sum = header.reduce((total, byte, at) => total + (at >= 148 && at < 156 ? 0x20 : byte), 0);
      header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
    }
    return [header, content, Buffer.alloc(tarPadding(content.length))];
  });
  return Buffer.concat([...pieces, Buffer.alloc(1024)]);
}
