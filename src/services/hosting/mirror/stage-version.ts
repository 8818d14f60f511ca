import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { CliError } from '../../../core/errors.js';
import { isThere } from '../../../core/files/exists.js';
import { localError } from '../../../core/files/local-error.js';
import { readBounded } from '../../../core/files/read-bounded.js';
import { LIMITS } from '../../../hub/source.js';
import { readSpecification, type Specification } from '../../../hub/specification.js';
import { isSignatureAmong } from '../../../hub/signature-names.js';
import { syncFiles } from '../../../state/sync-files.js';
import { isContentError } from '../../catalog/fetch-file.js';
import { packageFiles, type PackageFile } from '../../catalog/package-files.js';
import { refuseFile, refuseNames } from './hosted-name.js';
import { versionFolder } from './folder/mirror-folder.js';
import { namesIn } from './folder/folder-names.js';
import { refuseChange } from './published-change.js';
import type { SelectedVersion } from './select.js';
import { bringFile, type Brought } from './stage-file.js';
import { bringSignature } from './stage-signature.js';
import { openVersion, pathIn, type StagingOptions, type VersionWork } from './version-work.js';

/** A file that was verified: what is remembered of it. */
export interface SeenFile {
  readonly name: string;
  readonly sha256: string;
  readonly bytes: number;
  readonly isValid: boolean;
}

/** A version all of whose files are there, verified: in the hub already, or beside it. */
export interface StagedVersion {
  readonly wanted: SelectedVersion;
  readonly state: 'added' | 'updated' | 'unchanged';
  /** The files that wait to be moved. */
  readonly waiting: readonly string[];
  /** How many files, without signatures, were fetched; their bytes. */
  readonly fetched: number;
  /** How many signatures were fetched. */
  readonly signatures: number;
  readonly bytes: number;
  /** What the version no longer has. */
  readonly surplus: readonly string[];
  readonly seen: readonly SeenFile[];
  readonly warnings: readonly string[];
}

/** What is wrong with a file of a version, the target of the error, or with the version. */
export interface FailedVersion {
  readonly wanted: SelectedVersion;
  readonly error: CliError;
}

const NONE: readonly never[] = [];
const SPECIFICATION: PackageFile = { name: 'spec.json', signed: true, optional: false };

/** Fetches and verifies what a version does not have yet; a failure of it alone is a value. */
export async function stageVersion(
  wanted: SelectedVersion,
  options: StagingOptions,
  signal: AbortSignal,
): Promise<StagedVersion | FailedVersion> {
  try {
    // Before a path is made of it.
    refuseNames(wanted.name, wanted.version);
    const work = await openVersion(wanted, options, signal);
    const staged = await stageAll(work, signal);
    await refuseChange(work, staged, signal);
    return staged;
  } catch (error) {
    signal.throwIfAborted();
    if (!isOfVersion(error)) throw error;
    return { wanted, error };
  }
}

/** Whether an error ends the work on one version, and not the run. */
const isOfVersion = (error: unknown): error is CliError =>
  error instanceof CliError && error.exitCode >= 3 && error.exitCode < 13;

/** Works on a file of a version: that is the target of its errors, which may have another one, or none. */
async function onFile<T>({ wanted }: VersionWork, file: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isOfVersion(error)) throw error;
    const { code, message, details } = error;
    const named = details.target?.['file'];
    const isNamed = named === file || named === `${wanted.name}/${wanted.version}/${file}`;
    const target = { ...details.target, file };
    throw new CliError(code, message, { ...details, target, ...(!isNamed && { isFileUnnamed: true }) });
  }
}

async function stageAll(work: VersionWork, signal: AbortSignal): Promise<StagedVersion> {
  const { wanted, folder, dry } = work;
  const isThereYet = isThere(join(versionFolder(folder.root, wanted), 'spec.json'));
  const brought = new Map<string, Brought>();
  const first = await bring(work, SPECIFICATION, brought, signal);
  let fetched = Number(first.isNew);
  let bytes = first.bytes;
  // Of a version that is not there a preview tells no more where its files are not listed.
  const files = dry && first.isNew && work.listed.size === 0 ? [] : await filesOf(work, first, signal);
  for (const file of files) {
    const one = await bring(work, file, brought, signal);
    fetched += Number(one.isNew);
    bytes += one.bytes;
  }
  refuseMissing(work, brought);
  const names = [...brought].filter(([, { place }]) => place !== 'absent').map(([name]) => name);
  const waiting = names.filter((name) => brought.get(name)?.place === 'stage');
  const surplus = dry && !isThereYet ? [] : surplusOf(work, new Set(names));
  if (!dry) {
    tidyStage(work, new Set(waiting));
    await syncFiles(
      waiting.map((name) => pathIn(work, 'stage', name)),
      signal,
    );
  }
  const isChanged = waiting.length > 0 || surplus.length > 0;
  const state = !isThereYet ? 'added' : isChanged ? 'updated' : 'unchanged';
  const signatures = [...brought.values()].filter(({ isNew }) => isNew).length - fetched;
  return { wanted, state, waiting, fetched, signatures, bytes, surplus, ...seenIn(work) };
}

/** What is remembered of the files, and no more: 100,000 versions are in memory at a time. */
function seenIn({ judged, trusted }: VersionWork): Pick<StagedVersion, 'seen' | 'warnings'> {
  const { reports, warnings } = trusted;
  const seen = reports.map(({ name, sha256, bytes, verdict }) => {
    return { name, sha256, bytes, isValid: verdict.state === 'valid' };
  });
  return { seen: judged && seen.length > 0 ? seen : NONE, warnings: warnings.length > 0 ? warnings : NONE };
}

async function bring(
  work: VersionWork,
  file: PackageFile,
  brought: Map<string, Brought>,
  signal: AbortSignal,
): Promise<Brought> {
  signal.throwIfAborted();
  const { name } = file;
  refuseFile(name);
  const one = await onFile(work, name, () => bringFile(work, file, signal));
  brought.set(name, one);
  const { place, isNew } = one;
  if (place === 'absent' || !work.signatures || (work.dry && isNew)) return one;
  const signature = `${name}.asc`;
  const bringing = () => bringSignature(work, file, { place, isNew }, signal);
  brought.set(signature, await onFile(work, signature, bringing));
  return one;
}

/** The files of a version beside its specification: those that the index lists, where there is one. */
async function filesOf(work: VersionWork, first: Brought, signal: AbortSignal): Promise<readonly PackageFile[]> {
  const { wanted, held: source, index, listed } = work;
  const { name, version } = wanted;
  const specification = await specificationOf(work, first, signal);
  const all = await packageFiles({ source, name, version }, { specification, entry: wanted, index });
  if (index === undefined) return all;
  return all.filter((file) => listed.has(file.name)).map((file) => ({ ...file, optional: false }));
}

async function specificationOf(
  work: VersionWork,
  { place, isNew }: Brought,
  signal: AbortSignal,
): Promise<Specification | undefined> {
  signal.throwIfAborted();
  if ((work.dry && isNew) || place === 'absent') return undefined;
  try {
    return readSpecification(await readBounded(pathIn(work, place, 'spec.json'), LIMITS.specification), 'spec.json');
  } catch (error) {
    if (!isContentError(error)) throw error;
    // Without an index nothing else says which files there are.
    if (work.listed.size > 0) return undefined;
    throw new CliError(error.code, error.message, { ...error.details, target: { file: 'spec.json' } });
  }
}

function refuseMissing({ wanted, dry }: VersionWork, brought: ReadonlyMap<string, Brought>): void {
  const missing = dry ? undefined : [...(wanted.locked?.keys() ?? [])].find((name) => !brought.has(name));
  if (missing === undefined) return;
  const { name, version } = wanted;
  throw new CliError('LOCK_MISMATCH', `${name} ${version}: ${missing} is pinned, but the hub has no such file`, {
    target: { package: name, version, file: missing },
  });
}

/** The files of a version in the hub that do not belong to it any more. */
function surplusOf({ folder, wanted, signatures }: VersionWork, names: ReadonlySet<string>): readonly string[] {
  const isOurs = (name: string): boolean => !signatures && isSignatureAmong(names, name);
  return namesIn(versionFolder(folder.root, wanted)).filter((name) => !names.has(name) && !isOurs(name));
}

/** Removes what earlier runs left that is not a part of the version. */
function tidyStage({ folder, wanted }: VersionWork, waiting: ReadonlySet<string>): void {
  const path = versionFolder(folder.stage, wanted);
  try {
    for (const name of namesIn(path))
      if (!waiting.has(name)) rmSync(join(path, name), { recursive: true, force: true });
  } catch (error) {
    throw localError(error, 'write', path);
  }
}
