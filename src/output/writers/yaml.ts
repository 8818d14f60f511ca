import { visibleLines } from '../escape.js';

/** A value as YAML; the library is loaded here only. */
export async function yamlText(value: unknown): Promise<string> {
  const { stringify } = await import('yaml');
  return visibleLines(stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }));
}
