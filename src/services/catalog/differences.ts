import type { PackageFields } from '../../hub/fields.js';

/** A member in which a catalog entry and the specification of the same package disagree. */
export interface Difference {
  readonly field: string;
  readonly catalog: unknown;
  readonly spec: unknown;
}

const COMPARED = ['label', 'description', 'author', 'org', 'cdapVersion', 'created', 'license', 'paidLink'] as const;

/** Where catalog and specification disagree (`reliability.md` H28); the catalog's `beta` stands for the specification's `beta` or `preview` (`hub.md` 5). */
export function differencesOf(entry: PackageFields, specification: PackageFields): readonly Difference[] {
  const found: Difference[] = COMPARED.filter((field) => entry[field] !== specification[field]).map((field) => ({
    field,
    catalog: entry[field],
    spec: specification[field],
  }));
  if (JSON.stringify(entry.categories) !== JSON.stringify(specification.categories)) {
    found.push({ field: 'categories', catalog: entry.categories, spec: specification.categories });
  }
  const [listed, meant] = [entry.beta || entry.preview, specification.beta || specification.preview];
  return listed === meant ? found : [...found, { field: 'beta', catalog: listed, spec: meant }];
}
