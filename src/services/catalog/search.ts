import type { CatalogEntry } from '../../hub/catalog.js';

/**
 * Whether an entry holds each word of a text in its name, label, description, author, org or categories; letter case
 * does not count.
 */
export function matchesText(entry: CatalogEntry, text: string): boolean {
  const { name, label, description, author, org, categories } = entry;
  const held = [name, label, description, author, org, ...categories].map((one) => one?.toLowerCase() ?? '');
  const words = text.toLowerCase().split(/\s+/u);
  return words.every((word) => held.some((one) => one.includes(word)));
}
