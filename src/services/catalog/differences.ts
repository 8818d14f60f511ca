import { CliError } from '../../core/errors.js';
import type { PackageFields } from '../../hub/fields.js';
import type { PackageVersion } from '../../hub/source.js';

/** A member in which a catalog entry and the specification of the same package disagree. */
export interface Difference {
  readonly field: string;
  readonly catalog: unknown;
  readonly spec: unknown;
}

const COMPARED = ['label', 'description', 'author', 'org', 'cdapVersion', 'created', 'license', 'paidLink'] as const;

/**
 * Where catalog and specification disagree. The catalog's `beta` stands for the specification's `beta` or `preview`
 * (docs/hub-format.md 5.1).
 */
export function differencesOf(entry: PackageFields, specification: PackageFields): readonly Difference[] {
  const found: Difference[] = COMPARED.filter((field) => entry[field] !== specification[field]).map((field) => ({
    field,
    catalog: entry[field],
    spec: specification[field],
  }));
  // A catalog lists each category once, however often the specification names it.
  const [inCatalog, inSpecification] = [entry, specification].map(({ categories }) => [...new Set(categories)]);
  if (JSON.stringify(inCatalog) !== JSON.stringify(inSpecification)) {
    found.push({ field: 'categories', catalog: entry.categories, spec: specification.categories });
  }
  const [listed, meant] = [entry.beta || entry.preview, specification.beta || specification.preview];
  return listed === meant ? found : [...found, { field: 'beta', catalog: listed, spec: meant }];
}

/**
 * CATALOG_MISMATCH with the members that differ between catalog entry and specification, or undefined. See
 * docs/faults.md H28.
 */
export function mismatchOf(
  { name, version }: PackageVersion,
  entry: PackageFields,
  specification: PackageFields,
): CliError | undefined {
  const fields = differencesOf(entry, specification).map(({ field }) => field);
  if (fields.length === 0) return undefined;
  return new CliError(
    'CATALOG_MISMATCH',
    `the catalog does not match the specification of ${name} ${version}: ${fields.join(', ')}`,
    { target: { package: name, version } },
  );
}
