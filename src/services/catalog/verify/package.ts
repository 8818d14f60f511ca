import { mapConcurrent } from '../../../core/concurrency.js';
import type { CliError } from '../../../core/errors.js';
import type { CatalogEntry } from '../../../hub/catalog.js';
import { LIMITS, type FilePlace, type HubSource } from '../../../hub/source.js';
import { readSpecification, type Specification } from '../../../hub/specification.js';
import { mayChange, withoutIndex } from '../../../trust/memory.js';
import { unsignedVerdict } from '../../../trust/verdict.js';
import { mismatchOf } from '../differences.js';
import { isContentError } from '../fetch-file.js';
import { countingProblems, isUnsignedByDesign, packageFiles, type PackageFile } from '../package-files.js';
import { bareFolder, blamingFolder, ofDownload } from '../downloaded-folder.js';
import { againstIndex, signedFile, type IndexState } from '../signed-index.js';
import { openTrustedPackage, type FetchOptions, type InspectedFile, type TrustedPackage } from '../trusted-package.js';
import type { PackageAddress, TrustSetup } from '../trust-setup.js';
import { absentFinding, findingOf, type FileFinding } from '../verified-file.js';

/** A package version to verify; the catalog entry is compared with the specification. */
export interface PackageToVerify {
  readonly name: string;
  readonly version: string;
  readonly entry: CatalogEntry | undefined;
}

/** What all packages of one hub are judged by. */
export interface HubToVerify {
  readonly hub: string;
  readonly source: HubSource;
  readonly setup: TrustSetup;
  /** The signed index as it was judged, once for the whole hub. */
  readonly state: IndexState;
  /** Disagreement of catalog and specification is an error. */
  readonly strict: boolean;
}

/** All that was found of one package. */
export interface PackageFindings {
  readonly findings: readonly FileFinding[];
  readonly warnings: readonly string[];
}

const AT_ONCE = 4;
const UNSIGNED: readonly string[] = ['missing', 'unsigned'];

interface Inspection extends HubToVerify {
  readonly address: PackageAddress;
  readonly trusted: TrustedPackage;
}

/** The index is judged once for the hub, not again with each package. It lists what may change of a snapshot. */
function pastIndex(
  { source, setup, state }: HubToVerify,
  version: string,
): { readonly source: HubSource; readonly setup: TrustSetup } {
  const listed = state.index !== undefined && mayChange(version) && { files: {} };
  const memory = { ...withoutIndex(setup.memory), ...listed };
  const open: HubSource['open'] = (place: FilePlace, options, signal) =>
    place.name === undefined ? Promise.resolve(undefined) : source.open(place, options, signal);
  return { source: { ...source, open }, setup: { ...setup, memory, origin: undefined } };
}

/** Inspects every file of one package; problems are values, only what prevents the reading is thrown. */
export async function inspectPackage(
  hub: HubToVerify,
  { name, version, entry }: PackageToVerify,
  signal: AbortSignal,
): Promise<PackageFindings> {
  const { source, setup } = pastIndex(hub, version);
  const address = { source, name, version };
  const inspection = { ...hub, address, trusted: await openTrustedPackage(address, setup, signal) };
  const { finding, specification, differing } = await inspectSpecification(inspection, entry, signal);
  const findings: FileFinding[] = [finding];
  const files = await packageFiles(address, { specification, entry, index: hub.state.index });
  const inspect = (file: PackageFile, both: AbortSignal): Promise<FileFinding | undefined> =>
    inspectOne(inspection, file, {}, both);
  for await (const one of mapConcurrent(files, AT_ONCE, inspect, signal)) if (one !== undefined) findings.push(one);
  const mismatch = differing === undefined || hub.strict ? [] : [differing.message];
  // Only a folder of one package comes without a catalog entry; a hub in a folder is judged like any hub.
  const alone = source.kind === 'folder' && entry === undefined;
  return {
    findings: alone ? withoutSignatures(findings, hub.state.bare) : findings,
    warnings: [...inspection.trusted.warnings, ...mismatch],
  };
}

/**
 * Reports one SIG_MISSING for a single-package folder in which no file has a signature. The hub is not to blame for a
 * download without signatures. Other findings are returned unchanged.
 */
function withoutSignatures(findings: readonly FileFinding[], bare: CliError | undefined): readonly FileFinding[] {
  if (!findings.every(({ file }) => UNSIGNED.includes(file.reason))) return findings;
  const told = bare ?? bareFolder({ next: 'verify-by-index' });
  return findings.map(({ file, problems }) => ({ file, problems: blamingFolder(problems, told) }));
}

async function inspectSpecification(
  inspection: Inspection,
  entry: CatalogEntry | undefined,
  signal: AbortSignal,
): Promise<{ finding: FileFinding; specification: Specification | undefined; differing: CliError | undefined }> {
  const chunks: Uint8Array[] = [];
  const options = {
    maxBytes: LIMITS.specification,
    sink: (chunk: Uint8Array): void => void chunks.push(Buffer.from(chunk)),
  };
  const found = await inspectOne(inspection, { name: 'spec.json', signed: true, optional: false }, options, signal);
  const finding = found ?? absentFinding(labelOf(inspection, 'spec.json'));
  if (finding.file.bytes === undefined) return { finding, specification: undefined, differing: undefined };
  try {
    const specification = readSpecification(Buffer.concat(chunks), 'spec.json');
    const differing = entry && mismatchOf(inspection.address, entry, specification);
    const problems = differing && inspection.strict ? [...finding.problems, differing] : finding.problems;
    return { finding: { file: { ...finding.file, ok: problems.length === 0 }, problems }, specification, differing };
  } catch (error) {
    if (!isContentError(error)) throw error;
    const file = { ...finding.file, ok: false, detail: finding.file.detail ?? error.message };
    return {
      finding: { file, problems: [...finding.problems, error] },
      specification: undefined,
      differing: undefined,
    };
  }
}

function labelOf({ hub, address }: Inspection, name: string) {
  return { hub, package: address.name, version: address.version, name };
}

async function inspectOne(
  inspection: Inspection,
  file: PackageFile,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<FileFinding | undefined> {
  const label = labelOf(inspection, file.name);
  const signed = signedFile(inspection.state, inspection.address, file.name);
  try {
    return judged(inspection, file, await inspection.trusted.inspect(file.name, { ...options, signed }, signal));
  } catch (error) {
    if (signal.aborted || !isContentError(error)) throw error;
    if (error.code === 'RESOURCE_MISSING') return file.optional ? undefined : absentFinding(label, error.details.hints);
    const verdict = { state: 'invalid', reason: 'malformed', detail: error.message, notes: [] } as const;
    return findingOf(label, { verdict }, [error]);
  }
}

function judged(inspection: Inspection, file: PackageFile, inspected: InspectedFile): FileFinding {
  const { report, problems } = inspected;
  const { address } = inspection;
  const { state } = inspection;
  const mixed = ofDownload(againstIndex(state.index, address, file.name, report.bytes, report.sha256), state, address);
  const found = report.verdict.state === 'missing' ? [mixed, ...problems] : [...problems, mixed];
  const all = countingProblems(
    file,
    report.verdict,
    found.filter((problem) => problem !== undefined),
  );
  const label = labelOf(inspection, file.name);
  if (!isUnsignedByDesign(file, report.verdict)) return findingOf(label, report, all);
  return findingOf(label, { ...report, verdict: { ...unsignedVerdict(), detail: 'by design' } }, all);
}
