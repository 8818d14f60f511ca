import type { HubToInspect } from './hub-files.js';

/** A hub in a folder, and its path where that was named. */
interface Tree {
  readonly folder: string | undefined;
}

/** The tree of a target; a folder of one package, which has no catalog entry, is none. */
export function treeOf({ hub, source, packages }: HubToInspect): Tree | undefined {
  if (source.kind !== 'folder' || packages.some(({ entry }) => entry === undefined)) return undefined;
  return { folder: /[/\\]/u.test(hub) ? hub : undefined };
}
