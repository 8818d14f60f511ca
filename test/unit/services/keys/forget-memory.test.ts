import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { forgetMemory } from '../../../../src/services/keys/forget-memory.js';
import { readTrust, writeMemory } from '../../../../src/state/trust-store.js';
import { checkIndex, emptyMemory, HubMemory, remember } from '../../../../src/trust/memory.js';

const NOW = new Date('2024-06-01T12:00:00Z');
const folder = join(mkdtempSync(join(tmpdir(), 'cdapctl-unit-')), 'trust');
const place = { name: 'corp', base: 'https://hub.example.com/v2', folder };
const clock = { now: () => NOW.getTime() };

afterAll(() => {
  rmSync(join(folder, '..'), { recursive: true, force: true });
});

it('a hub whose memory is forgotten may begin its numbers again', async () => {
  expect(await forgetMemory(place, clock)).toBe(false);
  const [created, expires] = [NOW.getTime() - 1, NOW.getTime() + 1_000_000];
  const index = { sequence: 9, created, expires, sha256: 'a'.repeat(64) };
  await writeMemory(folder, place.base, remember(emptyMemory(), { signed: true, index }, NOW));
  const codes = async (): Promise<string[]> => {
    const { memory = emptyMemory() } = await readTrust(folder, place.base, HubMemory);
    return checkIndex(memory, { ...index, sequence: 1 }, 'b'.repeat(64), NOW).map(({ code }) => code);
  };
  expect(await codes()).toEqual(['ROLLBACK']);
  expect(await forgetMemory(place, clock)).toBe(true);
  expect(await codes()).toEqual([]);
});
