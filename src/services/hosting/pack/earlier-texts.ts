import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { compareVersionTexts, parseVersion } from '../../../core/version.js';
import { CliError } from '../../../core/errors.js';
import { readPackageFields } from '../../../hub/fields.js';
import { specificationText } from '../../../hub/tree-catalog.js';
import { readSmall } from '../tree/read-small.js';
import type { PackTexts } from './package-files.js';

/** What the highest version of a package in a tree says for people; nothing where it cannot be read. */
export async function earlierTexts(root: string, name: string): Promise<Partial<PackTexts>> {
  const folder = join(root, 'packages', name);
  const names = await readdir(folder).catch(() => []);
  const last = names
    .filter((version) => parseVersion(version) !== undefined)
    .sort(compareVersionTexts)
    .at(-1);
  if (last === undefined) return {};
  try {
    const { json } = specificationText(await readSmall(join(folder, last, 'spec.json')), 'it');
    const { label, description, author, org, categories, cdapVersion } = readPackageFields(json, () => undefined);
    const texts = { label, description, author, org, categories, platform: cdapVersion };
    return Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined && value.length > 0));
  } catch (error) {
    if (error instanceof CliError) return {};
    throw error;
  }
}
