// A hub in a folder with one package, `big` 1.0.0, whose JAR has any size, signed by a key that is made for it with GnuPG.
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const BLOCK = randomBytes(1024 * 1024);
const MANIFEST = Buffer.from('Manifest-Version: 1.0\r\nBundle-Version: 1.0.0\r\n\r\n');

/** CRC-32 of a few bytes; Node has it only since 20.15. */
function crc(bytes) {
  let value = 0xffffffff;
  for (const byte of bytes) {
    value ^= byte;
    for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  }
  return (value ^ 0xffffffff) >>> 0;
}

/** What the local header and the directory of a ZIP both say of an unpacked entry; the checksum of what nobody reads is left out. */
function facts(name, size, checksum) {
  const bytes = Buffer.alloc(26);
  bytes.writeUInt16LE(20, 0);
  bytes.writeUInt32LE(checksum, 10);
  bytes.writeUInt32LE(size, 14);
  bytes.writeUInt32LE(size, 18);
  bytes.writeUInt16LE(name.length, 22);
  return bytes;
}

function localEntry(name, size, checksum) {
  return Buffer.concat([Buffer.from('PK\x03\x04'), facts(name, size, checksum), Buffer.from(name)]);
}

function directoryEntry(name, size, checksum, offset) {
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(offset, 10);
  return Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), facts(name, size, checksum), rest, Buffer.from(name)]);
}

/** The pieces of a JAR of about that many megabytes: a manifest and one entry that is not packed. */
function* jarPieces(megabytes) {
  const entries = [
    ['META-INF/MANIFEST.MF', MANIFEST.length, crc(MANIFEST)],
    ['payload.bin', megabytes * BLOCK.length, 0],
  ];
  const [first, second] = entries.map((entry) => localEntry(...entry));
  yield Buffer.concat([first, MANIFEST, second]);
  for (let at = 0; at < megabytes; at += 1) yield BLOCK;
  const directory = Buffer.concat([
    directoryEntry(...entries[0], 0),
    directoryEntry(...entries[1], first.length + MANIFEST.length),
  ]);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(2, 8);
  end.writeUInt16LE(2, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(first.length + MANIFEST.length + second.length + megabytes * BLOCK.length, 16);
  yield Buffer.concat([directory, end]);
}

const CONFIG = {
  parents: ['system:cdap-data-pipeline[6.0.0,7.0.0-SNAPSHOT)'],
  plugins: [{ name: 'big', type: 'batchsource', className: 'com.example.Big' }],
  properties: {},
};
const SPECIFICATION = {
  specVersion: '1.0',
  label: 'Big',
  description: 'One large JAR.',
  author: 'Example Team',
  org: 'Example Org',
  created: 1_700_000_000,
  categories: ['hydrator-plugin'],
  actions: [
    {
      type: 'one_step_deploy_plugin',
      label: 'Big',
      arguments: [
        { name: 'name', value: 'big', canModify: false },
        { name: 'version', value: '1.0.0', canModify: false },
        { name: 'scope', value: 'user', canModify: false },
        { name: 'config', value: 'big.json', canModify: false },
        { name: 'jar', value: 'big.jar', canModify: false },
      ],
    },
  ],
};

/** Writes the hub and beside it `key.asc` and `trusted.gpg` (for gpgv); tells where all of it lies. */
export function makeBigHub(folder, megabytes, kind = 'rsa3072') {
  const hub = join(folder, 'hub');
  const files = join(hub, 'packages', 'big', '1.0.0');
  const home = join(folder, 'gnupg');
  mkdirSync(files, { recursive: true });
  mkdirSync(home, { mode: 0o700 });
  const { actions, ...catalog } = SPECIFICATION;
  writeFileSync(join(hub, 'packages.json'), JSON.stringify([{ ...catalog, name: 'big', version: '1.0.0' }]));
  writeFileSync(join(files, 'spec.json'), JSON.stringify({ ...catalog, actions }));
  writeFileSync(join(files, 'big.json'), JSON.stringify(CONFIG));
  const jar = openSync(join(files, 'big.jar'), 'w');
  for (const piece of jarPieces(megabytes)) writeSync(jar, piece);
  closeSync(jar);
  const gpg = (...args) =>
    execFileSync(
      'gpg',
      ['--homedir', home, '--batch', '--quiet', '--no-tty', '--pinentry-mode', 'loopback', '--passphrase', '', ...args],
      {
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    );
  try {
    gpg('--quick-generate-key', 'Bench <bench@example.org>', kind, 'sign', 'never');
    for (const name of ['spec.json', 'big.json', 'big.jar'])
      gpg('--digest-algo', 'SHA256', '--armor', '--detach-sign', join(files, name));
    writeFileSync(join(folder, 'key.asc'), gpg('--armor', '--export'));
    writeFileSync(join(folder, 'trusted.gpg'), gpg('--export'));
    const [, fingerprint] = /^fpr:+([0-9A-F]+):/mu.exec(gpg('--list-keys', '--with-colons').toString());
    const jarFile = join(files, 'big.jar');
    return { hub, jar: jarFile, fingerprint, key: join(folder, 'key.asc'), keyring: join(folder, 'trusted.gpg') };
  } finally {
    execFileSync('gpgconf', ['--homedir', home, '--kill', 'all']);
  }
}
