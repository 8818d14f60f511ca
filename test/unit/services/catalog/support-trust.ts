import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { folderSource } from '../../../../src/hub/folder-source.js';
import type { HubSource } from '../../../../src/hub/source.js';
import type { TrustSetup } from '../../../../src/services/catalog/trust-setup.js';
import { openKeyring, type PinnedKey } from '../../../../src/trust/keyring.js';
import { emptyMemory } from '../../../../src/trust/memory.js';
import { defaultPolicy } from '../../../../src/trust/policy-decision.js';
import { HUB_TIME, pluginSpec, writeHubTree } from '../../../support/sites/hub-tree.js';

/** Gives new folders that are removed after the tests of the file. */
export function folders(): () => Promise<string> {
  const made: string[] = [];
  afterAll(async () => {
    for (const folder of made) await rm(folder, { recursive: true, force: true });
  });
  return async () => {
    const folder = await mkdtemp(join(tmpdir(), 'cdapctl-unit-'));
    made.push(folder);
    return folder;
  };
}

export async function setupWith(
  keys: readonly (PinnedKey | string)[],
  changes: Partial<TrustSetup> = {},
): Promise<TrustSetup> {
  return {
    policy: defaultPolicy(keys.length),
    keyring: await openKeyring(keys.map((key) => (typeof key === 'string' ? { armored: key } : key))),
    pinned: keys.length,
    memory: emptyMemory(),
    now: new Date(HUB_TIME),
    allowStale: false,
    ...changes,
  };
}

/** A hub in a folder that counts what is read from it. */
export async function countedHub(
  folder: string,
  files: ReadonlyMap<string, Buffer>,
): Promise<{ source: HubSource; opened: string[] }> {
  await writeHubTree(folder, files);
  const source = await folderSource(folder, 'corp', new AbortController().signal);
  const opened: string[] = [];
  return {
    opened,
    source: {
      ...source,
      open: (place, options, signal) => {
        opened.push(place.name === undefined ? place.file : `${place.name}/${place.version ?? ''}/${place.file}`);
        return source.open(place, options, signal);
      },
    },
  };
}

/** The action that makes a plugin artifact of two resources. */
export const PLUGIN = pluginSpec();
