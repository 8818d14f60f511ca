import { CliError } from '../../../core/errors.js';
import type { Hint } from '../../../core/next-step.js';
import type { HubToInspect } from './hub-files.js';

/** A hub in a folder, and its path where that was named. */
export interface Tree {
  readonly folder: string | undefined;
}

/** The tree of a target; a folder of one package, which has no catalog entry, is none. */
export function treeOf({ hub, source, packages }: HubToInspect): Tree | undefined {
  if (source.kind !== 'folder' || packages.some(({ entry }) => entry === undefined)) return undefined;
  return { folder: /[/\\]/u.test(hub) ? hub : undefined };
}

/** The error of a file in the tree of a hub, which no download puts right. */
export function inTree(error: CliError, tree: Tree | undefined): CliError {
  const { hints = [] } = error.details;
  if (tree === undefined || hints.length === 0) return error;
  const fitting = hints.map((hint): Hint =>
    typeof hint !== 'string' && hint.next === 'download-again' ? { next: 'restore-file', ...tree } : hint,
  );
  return new CliError(error.code, error.message, { ...error.details, hints: fitting });
}
