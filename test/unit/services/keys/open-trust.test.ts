import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { HubSigner } from '../../../../src/emulator/hub/sign.js';
import { openTrust, type OpenTrustOptions } from '../../../../src/services/keys/open-trust.js';
import { acquireLock } from '../../../../src/state/lock.js';
import { ownProcess } from '../../../../src/state/process-identity.js';
import { addKey, readTrust, trustLockFile, writeMemory } from '../../../../src/state/trust-store.js';
import { emptyMemory, HubMemory, remember } from '../../../../src/trust/memory.js';
import { verifyBytes } from '../../../../src/trust/verify.js';
import { clockAt, NEVER } from '../../../support/clock.js';
import { HUB_TIME, hubKey } from '../../../support/sites/hub-tree.js';
import { codeOf } from '../../../support/errors.js';

const root = mkdtempSync(join(tmpdir(), 'cdapctl-trust-'));
const BASE = 'https://hub.example.com/v2';
const BYTES = Buffer.from('bytes');
const index = { sequence: 4, sha256: 'a'.repeat(64), created: HUB_TIME, expires: HUB_TIME };
const SEEN = remember(emptyMemory(), { signed: true, index }, new Date(HUB_TIME));
let good: HubSigner;
let expired: HubSigner;
let folder: string;

beforeAll(async () => {
  [good, expired] = await Promise.all([hubKey(), hubKey({ state: 'expired' })]);
});
beforeEach(() => {
  folder = mkdtempSync(join(root, 'store-'));
});
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const pin = ({ fingerprint, publicKey }: HubSigner, base = BASE, packages?: string): Promise<void> =>
  addKey(folder, base, {
    fingerprint,
    armored: publicKey,
    addedAt: '2025-06-01T12:00:00.000Z',
    ...(packages !== undefined && { packages }),
  });
const opened = (given: Partial<OpenTrustOptions> = {}, now = HUB_TIME, sleep?: () => Promise<void>) =>
  openTrust({
    ...{ folder, base: BASE, origin: undefined, isFolder: false, policy: undefined, allowStale: false },
    ...{ allowExpired: new Set<string>(), others: [], signal: NEVER },
    taker: { ...ownProcess(), clock: clockAt(now, sleep) },
    ...given,
  });
const stored = async () => (await readTrust(folder, BASE, HubMemory)).memory;
type Opened = Awaited<ReturnType<typeof opened>>;
const stateOf = async ({ trust: { setup } }: Opened, signer: HubSigner) => {
  const { state } = await verifyBytes(BYTES, Buffer.from(await signer.sign(BYTES)), setup.keyring, setup.now);
  return state;
};

describe('what is trusted of a hub', () => {
  it('is nothing, and little is demanded, where no key is pinned', async () => {
    const { trust, warning } = await opened();
    const { keyring, patience, ...setup } = trust.setup;
    expect(setup).toEqual({
      ...{ policy: 'warn', pinned: 0, memory: emptyMemory(), now: new Date(HUB_TIME), allowStale: false },
    });
    expect([warning, keyring.trusted, patience?.now()]).toEqual([undefined, [], HUB_TIME]);
  });

  it('is the keys that are pinned for it, which then are required', async () => {
    await pin(good, 'https://other.example.com');
    expect((await opened()).trust.setup.pinned).toBe(0);
    await pin(good);
    const found = await opened({ allowStale: true });
    expect(found.trust.setup).toMatchObject({ policy: 'require', pinned: 1, allowStale: true });
    expect(await stateOf(found, good)).toBe('valid');
    expect((await opened({ policy: 'off' })).trust.setup.policy).toBe('off');
  });

  it('is a key for the packages alone that it is pinned for', async () => {
    await pin(good, BASE, 'acme-*');
    const { keyring } = (await opened()).trust.setup;
    expect([...keyring.trusted, ...keyring.elsewhere].map(({ packages }) => packages)).toEqual(['acme-*']);
  });

  it('is an expired key where that is allowed', async () => {
    await pin(expired);
    expect(await stateOf(await opened(), expired)).not.toBe('valid');
    expect(await stateOf(await opened({ allowExpired: new Set([good.fingerprint]) }), expired)).not.toBe('valid');
    expect(await stateOf(await opened({ allowExpired: new Set([expired.fingerprint]) }), expired)).toBe('valid');
  });

  it('comes with what was seen of it, and a warning where the clock is behind that', async () => {
    await writeMemory(folder, BASE, SEEN);
    const { trust, warning } = await opened();
    expect([trust.setup.memory, warning]).toEqual([SEEN, undefined]);
    expect((await opened({}, HUB_TIME - 86_400_000)).warning).toContain('the clock of this machine is wrong');
  });

  it('lends its keys and what was seen but for the index', async () => {
    await pin(good);
    await writeMemory(folder, BASE, SEEN);
    const found = await opened({
      origin: { hub: 'a', source: () => expect.fail('is not read') },
      isFolder: true,
      others: [{ hub: 'a', option: '', url: BASE }],
    });
    const { index: _, ...rest } = SEEN;
    expect([found.trust.setup.memory, await stateOf(found, good)]).toEqual([rest, 'valid']);
    expect(found.trust.setup).not.toHaveProperty('lenders');
    await found.trust.remember({ ...SEEN, signed: false });
    expect(await stored()).toEqual(SEEN);
  });
});

describe('the hubs that a folder may have come from', () => {
  const others = [
    { hub: 'none', option: '--hub none', url: 'https://none.example.com' },
    { hub: 'corp', option: '--hub corp', url: 'https://other.example.com' },
  ];

  it('are those that have keys', async () => {
    await pin(good, 'https://other.example.com');
    const { lenders = [] } = (await opened({ isFolder: true, others })).trust.setup;
    expect(lenders.map(({ keyring, ...one }) => [one, keyring.trusted.map(({ fingerprint }) => fingerprint)])).toEqual([
      [{ hub: 'corp', option: '--hub corp' }, [good.fingerprint]],
    ]);
  });

  it.each([
    ['for no folder', false, false],
    ['for a folder with keys of its own', true, true],
  ])('are not looked for %s', async (_, isFolder, hasKeys) => {
    await pin(good, 'https://other.example.com');
    if (hasKeys) await pin(good);
    expect((await opened({ isFolder, others })).trust.setup).not.toHaveProperty('lenders');
  });
});

describe('what a run has seen of a hub', () => {
  const digest = { sha256: 'b'.repeat(64), bytes: 1, seenAt: new Date(HUB_TIME).toISOString() };

  it('is stored with what others stored meanwhile', async () => {
    const { trust } = await opened();
    await writeMemory(folder, BASE, SEEN);
    await trust.remember({ ...emptyMemory(), files: { 'a/1/a.jar': digest } });
    expect(await stored()).toEqual({ ...SEEN, files: { 'a/1/a.jar': digest } });
  });

  it('is not stored where nothing was verified', async () => {
    const { trust } = await opened();
    await trust.remember(trust.setup.memory);
    expect(await stored()).toBeUndefined();
  });

  it('is stored under the lock of the store, which is free afterwards', async () => {
    const lock = await acquireLock(trustLockFile(folder, BASE), { ...ownProcess(), clock: clockAt(HUB_TIME) });
    let now = 0;
    const clock = { ...clockAt(HUB_TIME), monotonic: () => (now += 1000) };
    const { trust } = await opened({ taker: { ...ownProcess(), clock } });
    expect(await codeOf(trust.remember(SEEN))).toBe('LOCKED');
    expect(await stored()).toBeUndefined();
    await lock.release();
    await trust.remember(SEEN);
    await trust.remember({ ...SEEN, signed: false });
    expect(await stored()).toEqual(SEEN);
  });
});
