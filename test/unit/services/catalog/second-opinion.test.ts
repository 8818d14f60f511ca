import { describe, expect, it } from 'vitest';
import type { HubSigner } from '../../../../src/emulator/hub/sign.js';
import { openTrustedPackage } from '../../../../src/services/catalog/trusted-package.js';
import type { TrustSetup } from '../../../../src/services/catalog/trust-setup.js';
import { everyPackage } from '../../../../src/services/catalog/verify/target.js';
import { verifyAll } from '../../../../src/services/catalog/verify/verify.js';
import { MAX_HELD_BYTES } from '../../../../src/trust/second-opinion.js';
import { HUB_TIME, hubPackage, signedHub, type SignedHubOptions } from '../../../support/sites/hub-tree.js';
import * as pgp from '../../../support/openpgp.js';
import { countedHub, folders, PLUGIN, setupWith } from './support-trust.js';

const newFolder = folders();
const { signal } = new AbortController();
const pgpKey = pgp.makeKey('ed25519');
const armored = pgp.armorKey(pgp.plainCertificate(pgpKey));
const CONFIG = 'packages/plug/1.0.0/plug.json';
const PLUG = hubPackage({ name: 'plug', spec: PLUGIN, resources: { 'plug.jar': 'a jar', 'plug.json': '{}' } });

const sign = (bytes: Uint8Array, options: pgp.SignatureOptions = {}): string =>
  pgp.armorSignature(pgp.signFile(pgpKey, bytes, options));
const key: HubSigner = { publicKey: armored, fingerprint: pgpKey.fingerprint, sign: async (bytes) => sign(bytes) };
// A signature inside a signature that is none: means nothing for a file, and openpgp.js reads it.
const odd = [pgp.createdSub(pgp.SIGN_TIME), pgp.fingerprintSub(pgpKey.fingerprint), pgp.sub(32, Buffer.from('none'))];
/** What openpgp.js alone refuses, over the bytes that are served. */
const disputed = (bytes: Buffer) => ({ [`${CONFIG}.asc`]: () => Buffer.from(sign(bytes, { hashed: odd })) });

/** The index with more bytes than openpgp.js is shown. */
let long = Buffer.alloc(0);
const longer = (index: Buffer): Buffer => (long = Buffer.concat([index, Buffer.alloc(MAX_HELD_BYTES, ' ')]));

const plain = Buffer.from('{}');
const other = Buffer.from('[]');
const day = 24 * 60 * 60 * 1000;
const hubs: readonly (readonly [string, string, Partial<SignedHubOptions>, Partial<TrustSetup>])[] = [
  ['is not asked about a file of an index that both accept', 'good', { tamper: disputed(plain) }, {}],
  ['is asked where there is no signed index', 'disputed', { index: false, tamper: disputed(plain) }, {}],
  [
    'is asked where the index has expired',
    'disputed',
    { tamper: disputed(plain) },
    { now: new Date(HUB_TIME + 400 * day) },
  ],
  [
    'is asked about bytes that the index does not have',
    'disputed',
    { tamper: { [CONFIG]: () => other, ...disputed(other) } },
    {},
  ],
  [
    'is asked where the index is too large to be shown to it',
    'disputed',
    { tamper: { ...disputed(plain), 'index.json': longer, 'index.json.asc': () => Buffer.from(sign(long)) } },
    {},
  ],
];

describe('the second judge', () => {
  it.each(hubs)('%s: %s', async (_, expected, options, changes) => {
    const { files } = await signedHub({ packages: [PLUG], key, ...options });
    const { source } = await countedHub(await newFolder(), files);
    const setup = await setupWith([armored], changes);
    const trusted = await openTrustedPackage({ source, name: 'plug', version: '1.0.0' }, setup, signal);
    expect((await trusted.inspect('plug.json', {}, signal)).report.verdict.reason).toBe(expected);

    const packages = await everyPackage({ name: 'corp', source }, signal);
    const found: Record<string, string | undefined> = {};
    const { rows } = verifyAll([{ hub: 'corp', source, setup, packages }], { strict: false }, signal);
    for await (const { name, reason } of rows) found[name] = reason;
    expect(found).toMatchObject({ 'plug.json': expected, 'plug.jar': 'good' });
  });
});
