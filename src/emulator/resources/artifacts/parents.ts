import { refuse } from '../../http/answers.js';
import type { ParentRange } from '../../store/model.js';
import { parseRange, rangeText, VersionComplaint } from '../../store/versions.js';

const NO_RANGE = "Could not find '[' or '(' indicating start of artifact lower version.";

/** Parses `Artifact-Extends`: parents joined by `/`, each `<namespace>:<name><range>`. See docs/platform.md 4.1. */
export function parseParents(namespace: string, header: string): ParentRange[] {
  return header === '' ? [] : header.split('/').map((source) => parseParent(namespace, source));
}

/** A parent as the platform prints it. */
export function parentText(parent: ParentRange): string {
  return `${parent.namespace}:${parent.name}${rangeText(parent)}`;
}

function parseParent(namespace: string, source: string): ParentRange {
  const start = source.search(/[[(]/u);
  if (start < 0) refuse(400, invalid(source, NO_RANGE));
  const full = source.slice(0, start);
  const colon = full.indexOf(':');
  const name = full.slice(colon + 1);
  const where = colon < 0 ? namespace : full.slice(0, colon);
  const range = readRange(source.slice(start));
  if (range === undefined || !/^[\w.-]+$/u.test(name))
    refuse(400, invalid(source, `Artifact name '${full}' is invalid.`));
  const parent = { namespace: where, name, ...range };
  if (where !== 'system' && where !== namespace) {
    refuse(400, `Parent artifact ${parentText(parent)} must be in the same namespace or a system artifact.`);
  }
  return parent;
}

function invalid(source: string, reason: string): string {
  return `Invalid artifact range ${source}: Invalid artifact range ${source}. ${reason}`;
}

function readRange(source: string): ReturnType<typeof parseRange> | undefined {
  try {
    return parseRange(source);
  } catch (error) {
    if (error instanceof VersionComplaint) return undefined;
    throw error;
  }
}
