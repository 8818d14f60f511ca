/** What the place of a package version in a catalog depends on. */
export interface CatalogPlace {
  /** Text in lower case. */
  readonly label: string;
  readonly name: string;
  readonly version: string;
}

const order = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

/** Compares by label, then name, then version, each as text by UTF-16 units. See docs/hub-format.md 5.1. */
export function inCatalogOrder(a: CatalogPlace, b: CatalogPlace): number {
  return order(a.label, b.label) || order(a.name, b.name) || order(a.version, b.version);
}

/** A label as it counts for the order. */
export const orderedLabel = (label: unknown): string => (typeof label === 'string' ? label.toLowerCase() : '');
