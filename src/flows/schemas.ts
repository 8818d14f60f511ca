import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { closest } from '../core/closest.js';
import { CliError } from '../core/errors.js';
import { visible } from '../output/escape.js';
import type { Build } from '../cli/session.js';

/** The kinds of results that a JSON schema is shipped for. */
export async function schemaKinds({ root }: Build): Promise<string[]> {
  const names = await readdir(join(root, 'dist', 'schemas'));
  return names.map((name) => name.replace(/\.json$/u, '')).sort();
}

/**
 * The JSON schema of a kind as text.
 * @throws NOT_FOUND with the nearest kind
 */
export async function schemaText(kind: string, build: Build): Promise<string> {
  const kinds = await schemaKinds(build);
  if (kinds.includes(kind)) return readFile(join(build.root, 'dist', 'schemas', `${kind}.json`), 'utf8');
  const near = closest(kind, kinds);
  const hints = near === undefined ? ['cdapctl schema'] : [`Did you mean "cdapctl schema ${near}"?`];
  throw new CliError('NOT_FOUND', `unknown kind "${visible(kind)}"`, { hints, target: { kind } });
}
