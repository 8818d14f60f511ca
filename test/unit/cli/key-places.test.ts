import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { keyPlaces, type KeyContext } from '../../../src/cli/key-places.js';
import { addKey } from '../../../src/state/trust-store.js';

const root = mkdtempSync(join(tmpdir(), 'cdapctl-places-'));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const CORP = { url: 'https://hub.example.com/v2' };
const key = { fingerprint: 'A'.repeat(40), addedAt: '2024-01-01T00:00:00Z', armored: 'public A' };
const context = (stateFolder: string, hubs?: readonly string[], configured: object = { corp: CORP }): KeyContext =>
  ({
    found: {
      settings: { hubs: hubs && { value: hubs } },
      sources: { user: { file: '', config: { hubs: configured } } },
    },
    home: undefined,
    stateFolder,
  }) as unknown as KeyContext;
const names = async (asked: KeyContext): Promise<string[]> =>
  (await keyPlaces(asked)).map(({ name, base }) => `${name} ${base}`);

describe('the places of keys', () => {
  it('are none without hubs and keys', async () => {
    expect(await keyPlaces(context(mkdtempSync(join(root, 's-')), undefined, {}))).toEqual([]);
  });

  it('are those of configured hubs and of all others that have a key, by their address', async () => {
    const state = mkdtempSync(join(root, 's-'));
    await addKey(join(state, 'trust'), 'https://hub.example.com', key);
    await addKey(join(state, 'trust'), 'https://gone.example.com/v2/', key);
    expect(await names(context(state))).toEqual([
      'corp https://hub.example.com/v2',
      'https://gone.example.com/v2 https://gone.example.com/v2',
    ]);
  });

  it('are those of the hubs that are named, there or not', async () => {
    const state = mkdtempSync(join(root, 's-'));
    const folder = join(state, 'hub');
    mkdirSync(folder);
    const asked = ['corp', 'https://gone.example.com', folder, join(state, 'gone')];
    expect(await names(context(state, asked))).toEqual([
      'corp https://hub.example.com/v2',
      'https://gone.example.com https://gone.example.com',
      `${folder} ${pathToFileURL(folder).href}`,
      `${join(state, 'gone')} ${pathToFileURL(join(state, 'gone')).href}`,
    ]);
  });

  it('are not those of an unknown name', async () => {
    await expect(keyPlaces(context(root, ['nosuch']))).rejects.toMatchObject({ code: 'HUB_NOT_FOUND' });
  });
});
