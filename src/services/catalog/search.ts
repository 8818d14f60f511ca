import type { CatalogEntry } from '../../hub/catalog.js';

/** Whether an entry holds a text in its name, label, description, author, org or categories; letter case does not count (`cli.md` 4.1). */
export function matchesText(entry: CatalogEntry, text: string): boolean {
  const wanted = text.toLowerCase();
  const { name, label, description, author, org, categories } = entry;
  return [name, label, description, author, org, ...categories].some((held) => held?.toLowerCase().includes(wanted));
}
