import { crc24 } from '../armor.js';

const LINE = 64;

/** One armored block of signature packets with its checksum, as `gpg --armor --detach-sign` writes it. */
export function writeSignatureArmor(packets: readonly Uint8Array[]): Buffer {
  const bytes = Buffer.concat(packets);
  const text = bytes.toString('base64');
  const lines = ['-----BEGIN PGP SIGNATURE-----', ''];
  for (let at = 0; at < text.length; at += LINE) lines.push(text.slice(at, at + LINE));
  lines.push(`=${crc24(bytes)}`, '-----END PGP SIGNATURE-----', '');
  return Buffer.from(lines.join('\n'), 'latin1');
}
