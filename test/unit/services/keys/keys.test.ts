import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HubSigner } from '../../../../src/emulator/hub/sign.js';
import { chooseKey } from '../../../../src/services/keys/offered-key.js';
import { parseFingerprint } from '../../../../src/services/keys/fingerprint.js';
import { hubKeyOf, type HubKey, type KeyPlace } from '../../../../src/services/keys/hub-key.js';
import { pinKey, unpinKey } from '../../../../src/services/keys/pin-key.js';
import { findPinned, pinnedKeys } from '../../../../src/services/keys/pinned-keys.js';
import { acquireLock } from '../../../../src/state/lock.js';
import { ownProcess } from '../../../../src/state/process-identity.js';
import { trustLockFile } from '../../../../src/state/trust-store.js';
import { readPublicKeys, type TrustedKey } from '../../../../src/trust/keyring.js';
import { HUB_TIME, hubKey } from '../../../support/sites/hub-tree.js';
import { codeOf, saidBy, thrownBy } from '../../../support/errors.js';

const root = mkdtempSync(join(tmpdir(), 'cdapctl-keys-'));
const clock = { now: () => HUB_TIME };
let signers: readonly HubSigner[];
let keys: readonly TrustedKey[];
let place: KeyPlace;

async function keyOf({ publicKey }: HubSigner): Promise<TrustedKey> {
  const [key] = await readPublicKeys(Buffer.from(publicKey));
  if (key === undefined) throw new Error('no key');
  return key;
}

beforeAll(async () => {
  signers = [
    await hubKey(),
    await hubKey({ owner: 'Second' }),
    await hubKey({ state: 'expired' }),
    await hubKey({ state: 'revoked' }),
  ];
  keys = await Promise.all(signers.map(keyOf));
});

beforeEach(() => {
  place = { name: 'corp', base: 'https://hub.example.com/v2', folder: mkdtempSync(join(root, 'trust-')) };
});

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const keyAt = (at: number): TrustedKey => keys[at] ?? expect.fail('no such key');
/** The one key that is meant; an error where several are. */
async function onlyPinned(places: readonly KeyPlace[], text: string): Promise<HubKey> {
  const { all, problem } = await findPinned(places, text, HUB_TIME);
  if (all.length > 1) throw new Error(`${problem}: ${all.map(({ hub }) => hub).join(', ')}`);
  return all[0];
}
const pin = (at: number, to = place, packages?: string) =>
  pinKey(to, hubKeyOf(to, keyAt(at), { ...(packages !== undefined && { packages }) }, HUB_TIME), clock);

describe('a fingerprint', () => {
  const FULL = '4F2A91C0'.repeat(5);

  it.each([FULL, FULL.toLowerCase(), `0x${FULL}`, FULL.replace(/(.{4})/gu, '$1 '), FULL.replace(/(..)(?=.)/gu, '$1:')])(
    'is read from %s',
    (text) => {
      expect(parseFingerprint(text)).toBe(FULL);
    },
  );

  it.each(['', '91C04F2A', '4F2A91C04F2A91C0', FULL.slice(1), `${FULL}0`, 'G'.repeat(40), 'all'])(
    'is not read from "%s"',
    (text) => {
      expect(() => parseFingerprint(text)).toThrow('is not a full fingerprint');
    },
  );

  it('is never read from anything that lacks 40 hexadecimal digits', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        if ((text.match(/[0-9a-f]/giu) ?? []).length >= 40) return;
        expect(() => parseFingerprint(text)).toThrow('is not a full fingerprint');
      }),
    );
  });
});

describe('the key of a file', () => {
  it('is the only one', () => {
    expect(chooseKey([keyAt(0)], undefined, 'a.asc')).toBe(keys[0]);
  });

  it('is the one with the fingerprint', () => {
    expect(chooseKey(keys, keyAt(1).fingerprint, 'a.asc')).toBe(keys[1]);
  });

  it('must be named when there are several, and all are shown', () => {
    const error = thrownBy(() => chooseKey(keys, undefined, 'a.asc'));
    expect(saidBy(error)).toEqual({
      code: 'INPUT_MISSING',
      message: 'a.asc contains 4 keys; specify the one to trust',
      lines: keys.map(({ fingerprint, userIds }) => `${fingerprint}  ${userIds.join()}`),
      hints: [{ next: 'choose-key' }],
      target: { file: 'a.asc' },
    });
    expect(thrownBy(() => chooseKey([], undefined, 'a.asc')).code).toBe('INPUT_MISSING');
  });

  it('is refused when the fingerprint is of another (exit 9)', () => {
    const { fingerprint } = keyAt(1);
    const error = thrownBy(() => chooseKey([keyAt(0)], fingerprint, 'a.asc'));
    expect(error.exitCode).toBe(9);
    expect(saidBy(error)).toEqual({
      code: 'KEY_UNKNOWN',
      message: `a.asc does not contain the key ${fingerprint}`,
      lines: [`it holds ${keyAt(0).fingerprint}  Test Hub <test@hub.example.org>`],
      hints: ['get the fingerprint from the publisher through another channel, not from where you got the file'],
      target: { file: 'a.asc', signer: fingerprint },
    });
  });
});

describe('pinned keys', () => {
  it('are listed with what became of them', async () => {
    for (const at of [0, 2, 3]) await pin(at);
    const listed = await pinnedKeys([place], HUB_TIME);
    expect(listed.map(({ fingerprint, state }) => [fingerprint, state])).toEqual([
      [keyAt(0).fingerprint, 'good'],
      [keyAt(2).fingerprint, 'expired'],
      [keyAt(3).fingerprint, 'revoked'],
    ]);
    expect(listed[0]).toMatchObject({
      hub: 'corp',
      base: place.base,
      algorithm: 'Ed25519',
      userIds: ['Test Hub <test@hub.example.org>'],
      addedAt: '2025-06-01T12:00:00.000Z',
    });
  });

  it('belong to one hub only', async () => {
    await pin(0);
    const other = { ...place, name: 'other', base: 'https://other.example.com/v2' };
    expect(await pinnedKeys([other], HUB_TIME)).toEqual([]);
    await expect(onlyPinned([other], keyAt(0).fingerprint)).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('need the name of the hub when several trust the same key', async () => {
    const other = { ...place, name: 'other', base: 'https://other.example.com/v2' };
    await pin(0);
    await pin(0, other);
    await expect(onlyPinned([place, other], keyAt(0).fingerprint)).rejects.toThrow(
      `several hubs trust the key ${keyAt(0).fingerprint}: corp, other`,
    );
    expect((await onlyPinned([other], keyAt(0).fingerprint)).hub).toBe('other');
    for (const part of [keyAt(0).fingerprint.slice(0, 8).toLowerCase(), keyAt(0).fingerprint.slice(-16)])
      expect((await onlyPinned([other], part)).fingerprint).toBe(keyAt(0).fingerprint);
    await expect(onlyPinned([other], keyAt(0).fingerprint.slice(0, 7))).rejects.toMatchObject({
      code: 'USAGE',
    });
    await expect(onlyPinned([other], keyAt(0).fingerprint.slice(8, 16))).rejects.toMatchObject({
      code: 'NOT_FOUND',
    });
  });

  it('are renewed when added again', async () => {
    const addedAt = '2025-06-01T12:00:00.000Z';
    const key = { ...hubKeyOf(place, keyAt(0), {}, HUB_TIME), addedAt };
    expect(await pin(0)).toEqual({ key, change: 'added', before: undefined });
    expect(await pin(0)).toEqual({ key, change: 'unchanged', before: { packages: undefined, otherText: false } });
    expect(await pin(0, place, 'acme-*')).toEqual({
      key: { ...key, packages: 'acme-*' },
      change: 'replaced',
      before: { packages: undefined, otherText: false },
    });
    expect(await pinnedKeys([place], HUB_TIME)).toMatchObject([{ packages: 'acme-*' }]);
  });

  it('can be taken away once', async () => {
    await pin(0);
    await pin(1);
    expect(await unpinKey(place, keyAt(0).fingerprint, clock)).toBe(true);
    expect(await unpinKey(place, keyAt(0).fingerprint, clock)).toBe(false);
    expect((await pinnedKeys([place], HUB_TIME)).map(({ fingerprint }) => fingerprint)).toEqual([keyAt(1).fingerprint]);
  });

  it('are not changed while another run changes them', async () => {
    const lock = await acquireLock(trustLockFile(place.folder, place.base), { ...ownProcess(), clock });
    expect(await codeOf(pin(0))).toBe('LOCKED');
    await lock.release();
    expect(await pinnedKeys([place], HUB_TIME)).toEqual([]);
    await pin(0);
    expect(await pinnedKeys([place], HUB_TIME)).toHaveLength(1);
  });
});
