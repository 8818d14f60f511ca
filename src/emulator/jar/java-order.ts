/** Sorts items as a Java hash map would list them after they were added in the given order. Keys must be distinct. */
export function hashOrder<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  let slots = 16;
  while (items.length > slots * 0.75) slots *= 2;
  return items.toSorted((a, b) => slotOf(keyOf(a), slots) - slotOf(keyOf(b), slots));
}

function slotOf(key: string, slots: number): number {
  let hash = 0;
  for (let at = 0; at < key.length; at++) hash = (Math.imul(31, hash) + key.charCodeAt(at)) | 0;
  return (hash ^ (hash >>> 16)) & (slots - 1);
}
