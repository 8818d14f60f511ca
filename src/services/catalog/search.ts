import type { CatalogEntry } from '../../hub/catalog.js';

/**
 * Whether an entry contains each word of a text, ignoring letter case. Searches name, label, description, author, org
 * and categories.
 */
export function matchesText(entry: CatalogEntry, text: string): boolean {
  const { name, label, description, author, org, categories } = entry;
  const held = [name, label, description, author, org, ...categories].map((one) => one?.toLowerCase() ?? '');
  const words = text.toLowerCase().split(/\s+/u);
  return words.every((word) => held.some((one) => one.includes(word)));
}
