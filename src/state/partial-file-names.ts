import { createHash } from 'node:crypto';
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isOfDeadRun, ownMark } from './temporary.js';

const NAME = /^\.cdapctl-([0-9a-f]{16})(?:-([0-9a-f]{8}-[1-9][0-9]{0,9}-(?:[0-9a-f]{16}|x)))?\.(?:partial|resume)$/u;

/** The two files of a partial file: its bytes, and what is known of them. */
export interface PartialPaths {
  readonly bytes: string;
  readonly record: string;
}

function keyOf(target: string): string {
  return createHash('sha256').update(basename(target)).digest('hex').slice(0, 16);
}

function pathsOf(target: string, mark?: string): PartialPaths {
  const stem = join(dirname(target), `.cdapctl-${keyOf(target)}${mark === undefined ? '' : `-${mark}`}`);
  return { bytes: `${stem}.partial`, record: `${stem}.resume` };
}

/** Where this process keeps the partial file of a target while it works on it. */
export function ownPartial(target: string): PartialPaths {
  return pathsOf(target, ownMark());
}

/** Where the partial file of a target lies between two runs. */
export function restingPartial(target: string): PartialPaths {
  return pathsOf(target);
}

/**
 * The partial files of a target that no living run works on, the resting one first. None in a folder that cannot be
 * listed.
 */
export function leftPartials(target: string): readonly PartialPaths[] {
  const marks = new Set<string | undefined>();
  try {
    for (const name of readdirSync(dirname(target)).sort()) {
      const [found, key, mark] = NAME.exec(name) ?? [];
      if (found === undefined || key !== keyOf(target)) continue;
      if (mark === undefined || isOfDeadRun(mark)) marks.add(mark);
    }
  } catch {
    return [];
  }
  return [...marks].sort((one, other) => (one ?? '').localeCompare(other ?? '')).map((mark) => pathsOf(target, mark));
}

/**
 * Gives a partial file another name. The bytes go first, so that of two runs one alone gets it, and the other an error.
 */
export function movePartial(from: PartialPaths, to: PartialPaths): void {
  renameSync(from.bytes, to.bytes);
  renameSync(from.record, to.record);
}

/** Removes a partial file; what cannot be removed stays, silently. */
export function removePartial({ bytes, record }: PartialPaths): void {
  for (const path of [bytes, record]) {
    try {
      rmSync(path, { force: true });
    } catch {
      // It is never used without a look at its owner and its bytes.
    }
  }
}

/** Removes what earlier runs left of a target. */
export function removeLeftPartials(target: string): void {
  leftPartials(target).forEach(removePartial);
}
