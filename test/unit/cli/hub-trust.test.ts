import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { HubTrust } from '../../../src/services/catalog/trust-setup.js';
import { openHubTrust, type OpenTrustOptions } from '../../../src/cli/hub-trust.js';
import { acquireLock } from '../../../src/state/lock.js';
import { readTrust, trustLockFile } from '../../../src/state/trust-store.js';
import { HubMemory, remember } from '../../../src/trust/memory.js';

const BASE = 'https://hub.example.com/v2';
const NOW = Date.UTC(2025, 5, 1);
const DIGEST = 'a'.repeat(64);
const root = mkdtempSync(join(tmpdir(), 'cdapctl-unit-'));

afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

/** Opens the trust of one hub as a run does that begins now. */
function begin(folder: string, onSleep: () => Promise<void> = () => Promise.resolve()): Promise<HubTrust> {
  let time = 0;
  const clock = { now: () => NOW, monotonic: () => (time += 1000), sleep: onSleep };
  return openHubTrust({
    source: { base: BASE, kind: 'http' },
    found: { settings: {}, sources: {} },
    flags: {},
    folder,
    hubs: () => Promise.resolve([]),
    session: { clock, signal: new AbortController().signal },
  } as unknown as OpenTrustOptions);
}

/** What a run with one package has seen. */
const seenBy = ({ setup }: HubTrust, name: string, sequence: number): HubMemory =>
  remember(
    setup.memory,
    {
      signed: true,
      index: { sequence, created: NOW, expires: NOW, sha256: DIGEST },
      files: [{ key: `${name}/1.0.0/spec.json`, sha256: DIGEST, bytes: 1 }],
    },
    setup.now,
  );

const stored = async (folder: string): Promise<HubMemory | undefined> =>
  (await readTrust(folder, BASE, HubMemory)).memory;

describe('the memory of a hub', () => {
  it.each([
    ['first', [9, 8]],
    ['last', [8, 9]],
  ] as const)('loses nothing of two runs at one time, when the one with the newer index ends %s', async (_, ends) => {
    const folder = mkdtempSync(join(root, 'trust-'));
    const [one, two] = [await begin(folder), await begin(folder)];
    await one.remember(seenBy(one, 'one', ends[0]));
    await two.remember(seenBy(two, 'two', ends[1]));
    const memory = await stored(folder);
    expect(memory).toMatchObject({ signed: true, index: { sequence: 9 } });
    expect(Object.keys(memory?.files ?? {}).sort()).toEqual(['one/1.0.0/spec.json', 'two/1.0.0/spec.json']);
  });

  it('waits for another run that stores its own', async () => {
    const folder = mkdtempSync(join(root, 'trust-'));
    const taker = { pid: process.pid, host: 'here', clock: { now: () => NOW } };
    const other = await acquireLock(trustLockFile(folder, BASE), taker);
    const run = await begin(folder, () => other.release());
    await run.remember(seenBy(run, 'one', 1));
    expect((await stored(folder))?.index?.sequence).toBe(1);
  });

  it('is not written at all by a run that learned nothing', async () => {
    const folder = mkdtempSync(join(root, 'trust-'));
    const run = await begin(folder);
    await run.remember(run.setup.memory);
    expect(await stored(folder)).toBeUndefined();
  });
});
