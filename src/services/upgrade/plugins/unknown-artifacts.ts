import type { JsonNode } from '../../../core/json/text.js';
import type { Note } from '../pipeline.js';

const PLAIN_NAME = /^[A-Za-z_$][\w$]*$/u;
const NONE: readonly string[] = [];

/** A step of a path as people write it, to be put behind what is above. */
const step = (name: string): string => (PLAIN_NAME.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`);

/** The path of a member of the whole document. */
export const pathOf = (name: string): string => step(name).replace(/^\./u, '');

const looksLikeArtifact = (node: JsonNode): boolean =>
  node.kind === 'object' &&
  node.members.get('name')?.kind === 'string' &&
  node.members.get('version')?.kind === 'string';

/** Paths are made of what is found only, as nearly all of a configuration is something else. */
function pathsIn(node: JsonNode, known: JsonNode | undefined): readonly string[] {
  if (node === known || (node.kind !== 'object' && node.kind !== 'array')) return NONE;
  const found: string[] = looksLikeArtifact(node) ? [''] : [];
  if (node.kind === 'array') {
    for (const [index, item] of node.items.entries())
      for (const path of pathsIn(item, known)) found.push(`[${index}]${path}`);
  } else {
    for (const [name, part] of node.members)
      for (const path of pathsIn(part, known)) found.push(`${step(name)}${path}`);
  }
  return found;
}

/**
 * One note about everything in a value that looks like an artifact and is not the known one, or none. An upgrade leaves
 * these as they are.
 */
export function strayArtifacts(node: JsonNode, path: string, known?: JsonNode): readonly Note[] {
  const [first, ...others] = pathsIn(node, known);
  if (first === undefined) return [];
  const message =
    others.length === 0
      ? `${path}${first} looks like an artifact; it is not changed`
      : `${path}${first} and ${others.length} more in ${path} look like artifacts; they are not changed`;
  return [{ message }];
}
