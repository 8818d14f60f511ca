import { samplePackages } from '../../../src/emulator/hub/packages.js';
import type { SamplePackage } from '../../../src/emulator/hub/packages/sample-package.js';
import type { HubSigner } from '../../../src/emulator/hub/sign.js';
import { hubKey, signedHub, type SignedHubOptions } from '../../support/sites/hub-tree.js';
import type { Site } from '../../support/sites/install-site.js';
import {
  armorKey,
  armorSignature,
  plainCertificate,
  signFile,
  type PgpKey,
  type SignatureOptions,
} from '../../support/openpgp.js';

/** A day in milliseconds. */
export const DAY = 24 * 60 * 60 * 1000;

/** When the tests run. */
export const NOW = Date.now();

/** The folder of the package that the rows install. */
export const FOLDER = 'packages/example-trim-fields/1.10.0';

/** Two versions of a plugin and a pipeline. */
export const PACKAGES: readonly SamplePackage[] = samplePackages().filter(({ name }) =>
  ['example-trim-fields', 'example-csv-copy'].includes(name),
);

let key: Promise<HubSigner> | undefined;

/** The key that signs the hubs of a file of tests, a year old. */
export const goodKey = (): Promise<HubSigner> => (key ??= hubKey({ now: NOW - 365 * DAY }));

/** The command that the rows are about. */
export const installTrim = (site: Site): string[] => site.line(['example-trim-fields@1.10.0', '-y']);

/** Serves the packages, signed by the good key unless told otherwise, without an index as most hubs are. */
export async function publish(site: Site, options: Partial<SignedHubOptions> = {}): Promise<void> {
  site.publish(await signedHub({ packages: PACKAGES, key: await goodKey(), now: NOW, index: false, ...options }));
}

/** Serves them with one file changed; `undefined` removes it. */
export function tamper(
  path: string,
  change: (bytes: Buffer) => Buffer | undefined,
  options: Partial<SignedHubOptions> = {},
): (site: Site) => Promise<void> {
  return (site) => publish(site, { ...options, tamper: { [path]: change } });
}

/** The world without a fault: the good key is pinned. */
export async function trustGood(site: Site): Promise<void> {
  await publish(site);
  await site.pin(await goodKey());
}

/** A signer whose signatures are made byte by byte and may be bad ones. */
export function crafted(
  pgp: PgpKey,
  options: SignatureOptions = {},
  certificate: Buffer = plainCertificate(pgp),
): HubSigner {
  return {
    publicKey: armorKey(certificate),
    fingerprint: pgp.fingerprint,
    sign: async (bytes) => armorSignature(signFile(pgp, bytes, options)),
  };
}

/** The bytes of a file of a hub. */
export async function bytesOf(path: string, options: Partial<SignedHubOptions> = {}): Promise<Buffer> {
  const { files } = await signedHub({ packages: PACKAGES, key: await goodKey(), now: NOW, ...options });
  const bytes = files.get(path);
  if (bytes === undefined) throw new Error(`the hub has no file ${path}`);
  return bytes;
}
