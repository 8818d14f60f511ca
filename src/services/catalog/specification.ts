import { CliError } from '../../core/errors.js';
import { LIMITS, readAll, type HubSource, type PackageVersion } from '../../hub/source.js';
import { readSpecification, type Specification } from '../../hub/specification.js';

/** A package version and the hub to read it from. */
export interface PackageAddress extends PackageVersion {
  readonly source: HubSource;
}

/** A specification and its bytes, which are what a signature is over. */
export interface FetchedSpecification {
  readonly specification: Specification;
  readonly bytes: Uint8Array;
}

/**
 * Fetches and reads a specification, unverified: for looking only.
 * @throws PACKAGE_NOT_FOUND when the hub has none, and the errors of `readSpecification`
 */
export async function fetchSpecification(
  { source, name, version }: PackageAddress,
  signal: AbortSignal,
): Promise<FetchedSpecification> {
  const file = await source.open({ name, version, file: 'spec.json' }, { maxBytes: LIMITS.specification }, signal);
  if (file === undefined) {
    throw new CliError('PACKAGE_NOT_FOUND', `the hub ${source.label} has no specification of ${name} ${version}`, {
      target: { package: `${name}@${version}` },
    });
  }
  const bytes = await readAll(file, LIMITS.specification);
  return { specification: readSpecification(bytes, file.what), bytes };
}
