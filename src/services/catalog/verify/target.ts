import { folderSource, packageInFolder } from '../../../hub/folder-source.js';
import type { HubSource } from '../../../hub/source.js';
import { emptyMemory, withoutIndex } from '../../../trust/memory.js';
import { defaultPolicy, type Policy } from '../../../trust/policy-decision.js';
import type { GivenKeys } from '../key-files.js';
import { loadCatalog, type NamedHub } from '../load.js';
import type { TrustSetup } from '../trust-setup.js';
import type { ListPackages } from './hub-files.js';
import type { PackageToVerify } from './package.js';

/** What a folder holds. `alone` is a folder of one package, which has no signed index even if its hub has one. */
export interface FolderContent {
  readonly source: HubSource;
  readonly alone: boolean;
  readonly packages: readonly PackageToVerify[];
  readonly again?: ListPackages | undefined;
}

/** Every package version that the catalog of a hub lists, each once. */
export async function everyPackage(hub: NamedHub, signal: AbortSignal): Promise<readonly PackageToVerify[]> {
  const { catalog } = await loadCatalog(hub, signal);
  const packages = new Map<string, PackageToVerify>();
  for (const entry of catalog.entries) {
    const { name, version } = entry;
    const key = JSON.stringify([name, version]);
    if (!packages.has(key)) packages.set(key, { name, version, entry });
  }
  return [...packages.values()];
}

/**
 * Reads what is to be verified in a folder: a hub with all its packages, or a single package.
 * @throws HUB_NOT_FOUND when it holds neither
 */
export async function readFolder(folder: string, signal: AbortSignal): Promise<FolderContent> {
  const source = await folderSource(folder, folder, signal);
  const alone = await packageInFolder(folder, signal);
  if (alone !== undefined) return { source, alone: true, packages: [{ ...alone, entry: undefined }] };
  const again: ListPackages = (both) => everyPackage({ name: folder, source }, both);
  return { source, alone: false, packages: await again(signal), again };
}

/** How a verification differs from what the store says. */
export interface SetupChanges {
  /** Keys of this run, instead of the pinned ones. */
  readonly keys?: GivenKeys | undefined;
  readonly policy?: Policy | undefined;
  /** A folder of one package: the index of its hub is not expected beside it. */
  readonly alone?: boolean | undefined;
  /** A folder that takes its keys from another hub: what was seen there is not the history of the folder. */
  readonly borrowed?: boolean | undefined;
}

/**
 * The setup of a verification. Without a policy `require`: what verified nothing for want of a key did not pass. Where
 * verification is turned off, keys that are there count all the same.
 */
export function setupFor(stored: TrustSetup, { keys, policy, alone, borrowed }: SetupChanges): TrustSetup {
  const { keyring, pinned } = keys ?? stored;
  const { lastSeenAt } = stored.memory;
  const memory = borrowed === true ? { ...emptyMemory(), lastSeenAt } : stored.memory;
  return {
    ...stored,
    keyring,
    pinned,
    memory: alone === true ? withoutIndex(memory) : memory,
    policy: policy ?? (stored.policy === 'off' ? defaultPolicy(pinned) : 'require'),
  };
}
