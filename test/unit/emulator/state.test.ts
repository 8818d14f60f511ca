import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startEmulator } from '../../../src/emulator/start.js';
import { withEmulator } from './emulator.js';

let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'emulator-'));
});

afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe('the state folder of an emulator', () => {
  it('carries everything over to the next emulator', async () => {
    const stateDir = join(folder, 'new');
    await withEmulator(
      async ({ url }) => {
        await fetch(`${url}/v3/namespaces/etl`, { method: 'PUT', body: '{"description":"loads"}' });
      },
      { stateDir },
    );
    await withEmulator(
      async ({ url }) => {
        expect(await (await fetch(`${url}/v3/namespaces/etl`)).json()).toMatchObject({ description: 'loads' });
        const artifacts: unknown = await (await fetch(`${url}/v3/namespaces/etl/artifacts?scope=system`)).json();
        expect(artifacts).toHaveLength(8);
      },
      { stateDir },
    );
    expect(await readdir(stateDir)).toEqual(['emulator-state.json']);
  });

  it('keeps the key of the hub, so that it stays trusted', async () => {
    const fingerprints: string[] = [];
    for (let start = 0; start < 2; start += 1) {
      const emulator = await startEmulator({
        port: 0,
        hubPort: 0,
        stateDir: folder,
        now: () => 1_700_000_000_000 + start,
      });
      fingerprints.push(emulator.fingerprint);
      const index = (await (await fetch(`${emulator.hub}/index.json`)).json()) as { sequence: number };
      expect(index.sequence).toBe(start === 0 ? 1 : 1_700_000_000_001);
      await emulator.close();
    }
    expect(new Set(fingerprints).size).toBe(1);
  });

  it('wins over a seed, which only fills an empty one', async () => {
    const seed = { namespaces: ['seeded'] };
    const names = async (): Promise<string[]> => {
      let found: { name: string }[] = [];
      const read = async ({ url }: { url: string }): Promise<void> => {
        found = (await (await fetch(`${url}/v3/namespaces`)).json()) as { name: string }[];
        await fetch(`${url}/v3/unrecoverable/namespaces/seeded`, { method: 'DELETE' });
      };
      await withEmulator(read, { stateDir: folder, seed });
      return found.map(({ name }) => name);
    };
    expect(await names()).toEqual(['default', 'seeded']);
    expect(await names()).toEqual(['default']);
  });

  it('is refused when it is that of another platform', async () => {
    await withEmulator(
      async ({ url }) => {
        await fetch(`${url}/v3/namespaces/etl`, { method: 'PUT' });
      },
      { stateDir: folder, platform: '6.1.1' },
    );
    const refused = withEmulator(async () => undefined, { stateDir: folder });
    await expect(refused).rejects.toThrow('the emulator state is that of a platform 6.1.1, not 6.11.0');
  });

  it('keeps drafts, streams and user settings', async () => {
    const options = { stateDir: folder, platform: '4.3.5' } as const;
    await withEmulator(async ({ url }) => {
      await fetch(`${url}/v3/namespaces/default/streams/texts`, { method: 'PUT' });
      await fetch(`${url}/v3/configuration/user`, { method: 'PUT', body: '{"n": 1e3}' });
    }, options);
    await withEmulator(async ({ url }) => {
      expect(await (await fetch(`${url}/v3/namespaces/default/streams`)).text()).toBe('[{"name":"texts"}]');
      expect(await (await fetch(`${url}/v3/configuration/user`)).text()).toBe('{"id":"","property":{"n":1e3}}');
    }, options);
  });

  it('is refused, and left as it is, when it holds something else', async () => {
    const file = join(folder, 'emulator-state.json');
    await writeFile(file, '{"namespaces":1}');
    await expect(withEmulator(async () => undefined, { stateDir: folder })).rejects.toThrow('cannot be read');
    expect(await readFile(file, 'utf8')).toBe('{"namespaces":1}');
  });
});

describe('an emulator that cannot write its state', () => {
  it('answers 500 with the reason and goes on', async () => {
    const stateDir = join(folder, 'gone');
    await withEmulator(
      async ({ url }) => {
        await writeFile(stateDir, 'a file where the folder should be');
        const answer = await fetch(`${url}/v3/namespaces/etl`, { method: 'PUT' });
        expect([answer.status, await answer.text()]).toEqual([500, expect.stringContaining('EEXIST')]);
        expect((await fetch(`${url}/v3/version`)).status).toBe(200);
      },
      { stateDir },
    );
  });
});

describe('a seed', () => {
  it('deploys its applications for real', async () => {
    const application = { name: 'orders', artifact: { name: 'shop', version: '1.0.0' }, config: { size: 1 } };
    const seed = {
      artifacts: [{ name: 'shop', version: '1.0.0', applications: [{ className: 'shop.App' }] }],
      applications: [application],
    };
    await withEmulator(
      async ({ url }) => {
        const detail: unknown = await (await fetch(`${url}/v3/namespaces/default/apps/orders`)).json();
        expect(detail).toMatchObject({ name: 'orders', configuration: '{"size":1.0}' });
      },
      { seed },
    );
  });

  it('is refused with the sentence of the platform when it does not fit', async () => {
    const seed = { applications: [{ name: 'orders', artifact: { name: 'shop', version: '1.0.0' } }] };
    await expect(withEmulator(async () => undefined, { seed })).rejects.toThrow("'default:shop 1.0.0' was not found.");
  });
});
