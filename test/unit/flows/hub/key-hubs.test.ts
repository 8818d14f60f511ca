import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { keyPlaces, type KeyContext } from '../../../../src/flows/hub/key-hubs.js';
import type { Config } from '../../../../src/config/config-schema.js';
import { addKey } from '../../../../src/state/trust-store.js';

const root = mkdtempSync(join(tmpdir(), 'cdapctl-places-'));
afterAll(() => {
  rmSync(root, { recursive: true, force: true });
});

const CORP = { url: 'https://hub.example.com/v2' };
const key = { fingerprint: 'A'.repeat(40), addedAt: '2024-01-01T00:00:00Z', armored: 'public A' };
const warnings: unknown[] = [];
const context = (
  stateFolder: string,
  hubs?: readonly string[],
  configured: Config['hubs'] = { corp: CORP },
): KeyContext => ({
  found: {
    settings: { hubs: hubs && { value: hubs, origin: 'flag', from: '--hub' } },
    sources: { flags: {}, environment: {}, user: { file: '', config: { version: 1, contexts: {}, hubs: configured } } },
  },
  home: undefined,
  stateFolder,
  emit: (event: unknown) => warnings.push(event),
});
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

  it('are those of all hubs in the store but one that cannot be read, which is a warning', async () => {
    const state = mkdtempSync(join(root, 's-'));
    await addKey(join(state, 'trust'), 'https://gone.example.com/v2/', key);
    const broken = join(state, 'trust', '0'.repeat(64));
    mkdirSync(broken, { mode: 0o700 });
    writeFileSync(join(broken, 'hub.json'), '{', { mode: 0o600 });
    warnings.length = 0;
    expect(await names(context(state, undefined, {}))).toEqual([
      'https://gone.example.com/v2 https://gone.example.com/v2',
    ]);
    expect(warnings).toEqual([
      {
        type: 'warning',
        code: 'TRUST',
        message: `the trust store is damaged: ${join(broken, 'hub.json')} is missing or cannot be read`,
      },
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
