import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { offeredKey } from '../../../../src/services/keys/offered-key.js';
import { pinKey } from '../../../../src/services/keys/pin-key.js';
import { findPinned, pinnedFingerprints, pinnedKeys, writeKeyFile } from '../../../../src/services/keys/pinned-keys.js';
import type { HubKey } from '../../../../src/services/keys/hub-key.js';
import type { HubSigner } from '../../../../src/emulator/hub/sign.js';
import { codeOf, errorOf, saidBy } from '../../../support/errors.js';
import { HUB_TIME, hubKey } from '../../../support/sites/hub-tree.js';
import { temporaryFolder } from '../../state/support.js';

const root = temporaryFolder();
const clock = { now: () => HUB_TIME };
const place = (name: string) => ({ name, base: `https://${name}.example`, folder: mkdtempSync(join(root, 'trust-')) });
let [one, two]: HubSigner[] = [];
beforeAll(async () => {
  [one, two] = [await hubKey({ owner: 'One' }), await hubKey({ owner: 'Two' })];
});
const signer = (key: HubSigner | undefined): HubSigner => key ?? expect.fail('no key');

const offer = (keys: string, changes: object = {}, file = 'key.asc'): Promise<HubKey> =>
  offeredKey(
    place('corp'),
    { bytes: Buffer.from(keys), file, fingerprint: undefined, packages: undefined, ...changes },
    HUB_TIME,
  );

describe('a key that is offered', () => {
  it('is the only one of a file, for some packages', async () => {
    const { fingerprint, publicKey } = signer(one);
    expect(await offer(publicKey, { packages: 'orders-*' })).toMatchObject({
      ...{ hub: 'corp', base: 'https://corp.example', fingerprint, state: 'good', packages: 'orders-*' },
      userIds: ['One <test@hub.example.org>'],
    });
  });

  it('is the named one of several', async () => {
    const both = `${signer(one).publicKey}\n${signer(two).publicKey}`;
    expect((await offer(both, { fingerprint: signer(two).fingerprint })).fingerprint).toBe(signer(two).fingerprint);
    const lines = [one, two].map(
      (key) => `${signer(key).fingerprint}  ${key === one ? 'One' : 'Two'} <test@hub.example.org>`,
    );
    expect(saidBy(await errorOf(offer(both)))).toEqual({
      code: 'INPUT_MISSING',
      message: 'key.asc contains 2 keys; specify the one to trust',
      lines,
      hints: [{ next: 'choose-key' }],
      target: { file: 'key.asc' },
    });
    const fingerprint = 'A'.repeat(40);
    expect(saidBy(await errorOf(offer(both, { fingerprint })))).toEqual({
      code: 'KEY_UNKNOWN',
      message: `key.asc does not contain the key ${fingerprint}`,
      lines: lines.map((line) => `it holds ${line}`),
      hints: ['get the fingerprint from the publisher through another channel, not from where you got the file'],
      target: { file: 'key.asc', signer: fingerprint },
    });
  });

  it('is named after its file, or stdin', async () => {
    expect((await errorOf(offer('no key', {}, '-'))).message).toContain('the key in stdin');
    expect((await errorOf(offer('no key'))).message).toContain('key.asc');
  });
});

describe('a trusted key', () => {
  async function pinned(...keys: readonly (HubSigner | undefined)[]) {
    const at = place('corp');
    for (const key of keys) await pinKey(at, await offer(signer(key).publicKey), clock);
    return at;
  }

  it('is found by either end of its fingerprint', async () => {
    const at = await pinned(one, two);
    const { fingerprint } = signer(one);
    const problem = `several hubs trust the key ${fingerprint}`;
    for (const part of [
      fingerprint,
      fingerprint.slice(0, 16),
      fingerprint.slice(-16),
      fingerprint.slice(-16).toLowerCase(),
      fingerprint.slice(0, 8),
      fingerprint.slice(-8),
    ]) {
      const meant = await findPinned([at], part, HUB_TIME);
      expect([meant.all.map((key) => key.fingerprint), meant.problem]).toEqual([[fingerprint], problem]);
    }
    for (const part of [fingerprint.slice(0, 7), fingerprint.slice(-7)])
      expect(await codeOf(findPinned([at], part, HUB_TIME))).toBe('USAGE');
    expect(await pinnedFingerprints(at)).toEqual([fingerprint, signer(two).fingerprint]);
    expect((await pinnedKeys([at], HUB_TIME)).map(({ hub, addedAt }) => [hub, addedAt])).toEqual([
      ['corp', new Date(HUB_TIME).toISOString()],
      ['corp', new Date(HUB_TIME).toISOString()],
    ]);
  });

  it('may be one of several hubs', async () => {
    const [a, b] = [await pinned(one), await pinned(one)];
    const { fingerprint } = signer(one);
    const meant = await findPinned([a, b], fingerprint, HUB_TIME);
    expect([meant.all.length, meant.problem]).toEqual([2, `several hubs trust the key ${fingerprint}`]);
  });

  it.each([
    [['corp', 'main'], 'corp, main'],
    [[], 'any hub'],
  ])('of the hubs %j is not found', async (names, hubs) => {
    const fingerprint = 'A'.repeat(40);
    expect(saidBy(await errorOf(findPinned(names.map(place), fingerprint, HUB_TIME)))).toEqual({
      code: 'NOT_FOUND',
      message: `the key ${fingerprint} is not trusted for ${hubs}`,
      hints: [{ next: 'list-keys' }],
      target: { signer: fingerprint },
    });
  });

  it('is written to a file that others may read, once', async () => {
    const file = join(root, 'out.asc');
    await writeKeyFile(file, 'one', false);
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['one', 0o644]);
    expect(await codeOf(writeKeyFile(file, 'two', false))).toBe('EXISTS');
    await writeKeyFile(file, 'two', true);
    expect(readFileSync(file, 'utf8')).toBe('two');
  });
});
