import { readFileSync, statSync } from 'node:fs';
import { rootCertificates } from 'node:tls';
import { CliError } from '../core/errors.js';

const BEGIN = '-----BEGIN CERTIFICATE-----';

/**
 * The certificates of a PEM text that a user gave as a CA file, checked.
 * @throws CONFIG, explained, when it is a Java keystore, PKCS #12, DER or a private key
 */
export function readCertificates(content: Uint8Array, file: string): string {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const text = bytes.toString('latin1');
  if (text.includes(BEGIN)) return text;
  const alias = 'keytool -exportcert -rfc -alias <alias> -keystore <file> exports a certificate as PEM';
  if (bytes.length >= 4 && [0xfeedfeed, 0xcececece].includes(bytes.readUInt32BE(0)))
    throw wrong(file, 'is a Java keystore', alias);
  if (bytes[0] === 0x30 && bytes.subarray(0, 64).includes(Buffer.from('2a864886f70d0107', 'hex'))) {
    throw wrong(file, 'is a keystore (PKCS #12)', alias);
  }
  if (bytes[0] === 0x30)
    throw wrong(file, 'is binary (DER)', `openssl x509 -inform der -in ${file} converts it to PEM`);
  if (text.includes('PRIVATE KEY-----'))
    throw wrong(file, 'has a private key but no certificate', 'use the certificate of the authority');
  throw wrong(file, 'has no certificate', `a PEM file has lines with ${BEGIN}`);
}

function wrong(file: string, what: string, hint: string): CliError {
  return new CliError('CONFIG', `the CA file ${file} ${what}; use a PEM file with certificates`, {
    hints: [hint],
    target: { file },
  });
}

/**
 * The certificate authorities to trust. Those of Node and of NODE_EXTRA_CA_CERTS, which Node ignores when given a list,
 * and the given ones.
 */
export function trustedRoots(given: string): string[] {
  const extra = process.env['NODE_EXTRA_CA_CERTS'];
  return [...rootCertificates, ...(extra === undefined || extra === '' ? [] : readIfThere(extra)), given];
}

function readIfThere(file: string): string[] {
  try {
    return statSync(file).isFile() ? [readFileSync(file, 'latin1')] : [];
  } catch {
    return [];
  }
}
