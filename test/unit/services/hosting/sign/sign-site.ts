import type { KeyObject } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { readIndex, type HubIndex } from '../../../../../src/hub/index-file.js';
import { signHub, type SignRequest } from '../../../../../src/services/hosting/sign/sign-hub.js';
import { keySigner, type Signer } from '../../../../../src/services/hosting/sign/signer.js';
import type { ContinuedIndex } from '../../../../../src/services/hosting/sign/verified-index.js';
import { openKeyring } from '../../../../../src/trust/keyring.js';
import { errorOf, saidBy } from '../../../../support/errors.js';
import * as pgp from '../../../../support/openpgp.js';
import { withTempDir } from '../../../../support/processes/run-cli.js';

const { signal } = new AbortController();
/** The key that signs. */
export const key = pgp.makeKey('ed25519');
const subkey = pgp.makeKey('ed25519');
/** In milliseconds. */
export const HOUR = 3_600_000;
/** A key with a subkey that expires in an hour. */
const CERTIFICATE = Buffer.concat([
  pgp.plainCertificate(key),
  pgp.subkeyPacket(subkey),
  pgp.bind(key, subkey, {
    more: [pgp.keyExpiresSub(Math.floor((Date.now() + HOUR - pgp.KEY_TIME.getTime()) / 1000))],
  }),
]);

const secretOf = ({ secret }: pgp.PgpKey): KeyObject => {
  if (secret === undefined) throw new Error('the key has no secret part');
  return secret;
};

/** A request to sign the hub of a folder, which need not be there. */
export async function requestFor(home: string): Promise<SignRequest> {
  const root = join(home, 'hub');
  const { trusted } = await openKeyring([{ armored: pgp.armorKey(CERTIFICATE) }]);
  const keys = trusted.map((entry) => ({ entry, signer: key.fingerprint, algorithm: 22, key: secretOf(key) }));
  // Later than what is written just now, so that its stamps can be trusted.
  const now = new Date(Date.now() + 10_000);
  const authority = { keys: trusted, now, force: false, emit: () => undefined };
  const time = { created: now, now };
  const how = { validity: 86_400_000, refresh: false, recheck: false, published: undefined, forced: [], authority };
  const memory = { stateFolder: join(home, 'state'), version: '1.0.0' };
  const clock = { now: () => now.getTime() };
  return { ...how, root, entries: trusted, signer: keySigner(keys, time), time, memory, clock, emit: () => undefined };
}

/** Who signs. */
export function signerOf({ signer }: SignRequest): Signer {
  if (signer === undefined) throw new Error('nobody signs');
  return signer;
}

/** The file of the hub that is signed. */
export const SPEC = 'packages/one/1.0.0/spec.json';

/** A hub with one file to sign and an icon, signed once. */
export async function atHub(
  test: (request: SignRequest, path: (file: string) => string) => Promise<void>,
): Promise<void> {
  await withTempDir(async (home) => {
    const request = await requestFor(realpathSync(home));
    const path = (file: string): string => join(request.root, file);
    mkdirSync(path('packages/one/1.0.0'), { recursive: true });
    writeFileSync(path(SPEC), '{}');
    writeFileSync(path('packages/one/1.0.0/icon.png'), 'icon');
    writeFileSync(path('packages.json'), '[]');
    expect(await signHub(request, signal)).toMatchObject({ signed: [SPEC], kept: 0 });
    await test(request, path);
  });
}

/** The same value with HUB and KEY in place of a root and the key that signs. */
export const plainOf = (root: string, value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(root, 'HUB').replaceAll(key.fingerprint.toUpperCase(), 'KEY'));

/** What signing came to, and what was told meanwhile. */
export async function told(request: SignRequest, more: Partial<SignRequest> = {}): Promise<unknown> {
  const events: unknown[] = [];
  const emit: SignRequest['emit'] = (event) => {
    if (event.type !== 'warning' || event.code !== 'CATALOG_STALE') events.push(event);
  };
  const wanted = { ...request, ...more, emit };
  const authority = { ...wanted.authority, emit };
  const done = await signHub({ ...wanted, authority }, signal);
  const { created, expires, ...facts } = done;
  expect(Date.parse(expires) - Date.parse(created)).toBe(wanted.validity);
  return plainOf(request.root, { ...facts, events });
}

/** How signing failed. */
export const failed = async (request: SignRequest, more: Partial<SignRequest> = {}): Promise<unknown> =>
  plainOf(request.root, saidBy(await errorOf(signHub({ ...request, ...more }, signal))));

/** The index of a hub. */
export const ownIndex = (path: (file: string) => string): HubIndex =>
  readIndex(readFileSync(path('index.json')), 'index.json');
/** An index as a hub that is published has it. */
export const shown = (index: HubIndex): ContinuedIndex => ({ index, problem: undefined });
