import { join } from 'node:path';
import { expect, it } from 'vitest';
import { baseAddress } from '../../../src/state/base-address.js';
import { readTrust, writeMemory } from '../../../src/state/trust-store.js';
import { emptyMemory, HubMemory, remember } from '../../../src/trust/memory.js';
import { runInProcess } from '../../support/processes/in-process.js';
import { withTempDir } from '../../support/processes/run-cli.js';

const URL = 'https://hub.example.com/v2';
const NOW = new Date('2024-06-01T12:00:00Z');
const INDEX = { sequence: 9, created: NOW.getTime(), expires: NOW.getTime() + 1000, sha256: 'a'.repeat(64) };

it('hub remove --forget keeps the history of a hub that has the same address, and says so', () =>
  withTempDir(async (home) => {
    const folder = join(home, '.local/state/cdapctl/trust');
    const run = async (id: string, ...words: readonly string[]): Promise<string> => {
      const { error, terminal } = await runInProcess(id, words, home);
      expect(error).toBe(undefined);
      return terminal.notes.join('\n');
    };
    const sequence = async (): Promise<number | undefined> =>
      (await readTrust(folder, baseAddress(URL), HubMemory)).memory?.index?.sequence;
    await run('hub:add', 'corp', URL);
    await run('hub:add', 'same', 'https://hub.example.com/');
    await writeMemory(folder, baseAddress(URL), remember(emptyMemory(), { signed: true, index: INDEX }, NOW));
    expect(await run('hub:remove', 'same', '--forget', '-y')).toContain(
      'its history was kept: hub corp has the same URL',
    );
    expect(await sequence()).toBe(9);
    expect(await run('hub:remove', 'corp', '--forget', '-y')).toContain('its history was deleted');
    expect(await sequence()).toBe(undefined);
    await run('hub:add', 'other', 'https://other.example.com/v2');
    expect(await run('hub:remove', 'other', '--forget', '-y')).toContain('it had no history');
  }));

it.each(['./my-hub', 'https://hub.example.com/v2'])('hub remove names the way to the history of %s', (hub) =>
  withTempDir(async (home) => {
    const { error } = await runInProcess('hub:remove', [hub, '--forget', '-y'], home);
    expect([error?.code, error?.details.hints]).toEqual([
      'HUB_NOT_FOUND',
      [{ next: 'name-hub', hub }, 'cdapctl hub sources'],
    ]);
  }),
);
