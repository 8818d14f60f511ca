/** Three judges of one signature: ours, openpgp.js and gpgv. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as openpgp from 'openpgp';
import { openKeyring } from '../../src/trust/keyring.js';
import { verifyBytes } from '../../src/trust/verify.js';
import { NOW } from '../support/openpgp.js';

const HAS_GPGV = spawnSync('gpgv', ['--version']).status === 0;
if (!HAS_GPGV) console.log('gpgv is not installed: signatures are judged by openpgp.js and us alone');

/** A signature and a key in one input. */
export function pairOf(signature: Buffer, key: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(signature.length);
  return Buffer.concat([length, signature, key]);
}

/** The signature and the key of an input; both may be empty. */
export function partsOf(bytes: Buffer): readonly [signature: Buffer, key: Buffer] {
  const at = 2 + (bytes.length < 2 ? 0 : bytes.readUInt16BE());
  return [bytes.subarray(2, at), bytes.subarray(at)];
}

/** Which of the others does not accept a signature of a file that our judge accepts; undefined when all do, or ours does not. */
export async function objectionOf(file: string, signature: Buffer, key: Buffer): Promise<string | undefined> {
  const armored = openpgp.armor(openpgp.enums.armor.publicKey, new Uint8Array(key));
  const bytes = readFileSync(file);
  const { state } = await verifyBytes(bytes, signature, await openKeyring([{ armored }]), NOW);
  if (state !== 'valid') return undefined;
  if (!(await libraryAccepts(bytes, signature, key))) return 'what openpgp.js refuses';
  if (!HAS_GPGV || gpgvAccepts(file, signature, key)) return undefined;
  return gpgvAccepts(file, signature, await withPlainUnsigned(key)) ? undefined : 'what gpgv refuses';
}

/**
 * gpgv drops a certification when somebody changed what is not signed in it: a critical statement came in, or the key id of the signer went, which
 * openpgp.js takes from the signed fingerprint. So it gets the key as its owner wrote it, with key ids and embedded signatures alone.
 */
async function withPlainUnsigned(key: Buffer): Promise<Buffer> {
  const read = await openpgp.readKey({ binaryKey: key });
  for (const packet of read.toPacketList()) if (packet instanceof openpgp.SignaturePacket) makePlain(packet);
  return Buffer.from(read.write());
}

function makePlain(signature: openpgp.SignaturePacket): openpgp.SignaturePacket {
  const { embeddedSignature: embedded } = signature as { embeddedSignature?: openpgp.SignaturePacket | null };
  const statement = (type: number, body: Uint8Array): object => ({ type, critical: false, body });
  const unsigned = [statement(16, Buffer.from(signature.issuerKeyID.toHex(), 'hex'))];
  if (embedded) unsigned.push(statement(32, makePlain(embedded).write()));
  return Object.assign(signature, { unhashedSubpackets: unsigned });
}

async function libraryAccepts(file: Buffer, signature: Buffer, key: Buffer): Promise<boolean> {
  try {
    const { signatures } = await openpgp.verify({
      message: await openpgp.createMessage({ binary: new Uint8Array(file) }),
      signature: await openpgp.readSignature({ binarySignature: signature }),
      verificationKeys: (await openpgp.readKey({ binaryKey: key })).toPublic(),
      date: NOW,
    });
    return await Promise.any(signatures.map(({ verified }) => verified));
  } catch {
    return false;
  }
}

/** gpgv takes the time of this machine, so neither keys nor signatures of the samples expire. */
function gpgvAccepts(file: string, signature: Buffer, key: Buffer): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'cdapctl-gpgv-'));
  try {
    const [ring, detached] = [join(folder, 'key.gpg'), join(folder, 'file.sig')];
    writeFileSync(ring, key);
    writeFileSync(detached, signature);
    const { stdout } = spawnSync('gpgv', ['--homedir', folder, '--status-fd', '1', '--keyring', ring, detached, file]);
    // Its exit code counts signatures by strangers, too.
    return stdout.includes('[GNUPG:] VALIDSIG ');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
