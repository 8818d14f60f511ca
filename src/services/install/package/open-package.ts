import { createHash } from 'node:crypto';
import type { Hint } from '../../../core/next-step.js';
import { CliError } from '../../../core/errors.js';
import type { CatalogEntry } from '../../../hub/catalog.js';
import type { HubIndex } from '../../../hub/index-file.js';
import { LIMITS, readAll, segmentsOf } from '../../../hub/source.js';
import { refuseSignatures } from '../../../hub/signature-names.js';
import {
  readSpecification,
  type Action,
  type Specification,
  type SpecificationProblem,
} from '../../../hub/specification.js';
import { resourcesOf, smallResourcesOf } from '../../catalog/action-shapes.js';
import { actionWithoutStreams, compatibilityOf } from '../../catalog/compatibility.js';
import { againstIndex } from '../../catalog/signed-index.js';
import { openTrustedPackage, type TrustedPackage } from '../../catalog/trusted-package.js';
import type { PackageAddress, TrustSetup } from '../../catalog/trust-setup.js';
import type { PackageCommands } from '../action.js';
import type { License } from '../../catalog/open-inputs.js';
import { selectActions, type Selection } from './select.js';
import { openStaging, type StagedFiles } from './stage.js';

/** A package whose specification and small resources were read and verified. */
export interface OpenedPackage {
  readonly address: PackageAddress;
  readonly entry: CatalogEntry | undefined;
  readonly specification: Specification;
  readonly trusted: TrustedPackage;
  readonly staging: StagedFiles;
  /** The actions that were chosen. */
  readonly actions: readonly Action[];
  readonly license: (License & { readonly text: string }) | undefined;
}

/** How to open a package. */
export interface OpenOptions {
  readonly setup: TrustSetup;
  /** What is wrong with the catalog entry. */
  readonly problems: readonly SpecificationProblem[];
  /** A private folder for the JARs of this run. */
  readonly folder: string;
  readonly selection: Selection;
  /** The platform that the package has to be for; nothing is asked without one. */
  readonly platform: { readonly version: string; readonly force: boolean } | undefined;
  readonly commands: PackageCommands;
}

/** Licenses are not signed (docs/hub-format.md 1). Where the hub has a signed index, it vouches for them. */
async function readLicense(
  address: PackageAddress,
  file: string,
  index: HubIndex | undefined,
  signal: AbortSignal,
): Promise<License & { readonly text: string }> {
  const { source, name, version } = address;
  const opened = await source.open({ name, version, file }, { maxBytes: LIMITS.specification }, signal);
  if (opened === undefined)
    throw new CliError('RESOURCE_MISSING', `the license "${file}" of ${name} ${version} is missing`, {
      target: { file },
    });
  const bytes = await readAll(opened, LIMITS.specification);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const problem = againstIndex(index, address, file, bytes.length, sha256);
  if (problem !== undefined) throw problem;
  return { file, text: Buffer.from(bytes).toString('utf8') };
}

function refuseProblems(
  { name, version }: PackageAddress,
  what: 'catalog entry' | 'specification',
  problems: readonly SpecificationProblem[],
): void {
  const problem = problems.find(({ severity }) => severity === 'warning');
  if (problem === undefined) return;
  const code = problem.code === 'ODD' ? 'BAD_FIELD' : problem.code;
  throw new CliError(code, `the ${what} of ${name} ${version} is invalid: ${problem.message}`, {
    target: { package: name, version },
  });
}

/** Also of the files that are fetched last; an empty name of a JAR asks for one. */
function refuseNames({ name, version }: PackageAddress, actions: readonly Action[]): void {
  const files = actions.flatMap(resourcesOf).filter((file) => file !== '');
  for (const file of files) segmentsOf({ name, version, file });
  refuseSignatures(['spec.json', ...files]);
}

/** Reads and verifies the specification and every small resource of a package. Nothing of the platform is touched. */
export async function openPackage(
  address: PackageAddress,
  entry: CatalogEntry | undefined,
  options: OpenOptions,
  signal: AbortSignal,
): Promise<OpenedPackage> {
  const trusted = await openTrustedPackage(address, options.setup, signal);
  const staging = openStaging(trusted, options.folder, signal);
  const specification = readSpecification(await staging.resource('spec.json'), 'spec.json');
  refuseProblems(address, 'catalog entry', options.problems);
  refuseProblems(address, 'specification', specification.problems);
  // Before its actions: those of another generation are often unknown, which is not the reason that helps.
  refuseIncompatible(address, specification.cdapVersion ?? entry?.cdapVersion, specification.actions, options);
  const actions = selectActions(specification.actions, options.selection, options.commands);
  refuseNames(address, actions);
  // Before anybody is asked anything.
  for (const name of actions.flatMap(smallResourcesOf)) await staging.resource(name);
  // The license step is driven by the catalog entry or the specification, not by a file that nobody names (docs/hub-format.md 8).
  const licenseFile = entry?.license ?? specification.license;
  const license =
    licenseFile === undefined ? undefined : await readLicense(address, licenseFile, trusted.index, signal);
  return { address, entry, specification, trusted, staging, actions, license };
}

/** Refuses a package that is not for this platform; `force` lets it pass (exit 6). */
function refuseIncompatible(
  { name, version }: PackageAddress,
  range: string | undefined,
  actions: readonly Action[],
  { platform, commands }: OpenOptions,
): void {
  if (platform === undefined || platform.force) return;
  const { compatible, reason } = compatibilityOf(range, platform.version);
  if (compatible) return;
  const needs =
    reason === 'EMPTY_RANGE'
      ? `the range ${range ?? ''} matches no platform`
      : `it requires ${range ?? ''}, but the platform is ${platform.version}`;
  const stream = actionWithoutStreams(actions, platform.version);
  const how: Hint = stream === undefined ? { next: 'force-install' } : { next: 'force-in-vain', n: stream };
  throw new CliError('INCOMPATIBLE', `${name} ${version} is not compatible with this platform: ${needs}`, {
    hints: [how, commands.versions],
    target: { package: name, version, platform: platform.version },
  });
}
