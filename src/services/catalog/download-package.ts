import { join } from 'node:path';
import { mapConcurrent } from '../../core/concurrency.js';
import { CliError } from '../../core/errors.js';
import type { Emit } from '../../core/events.js';
import type { CatalogEntry } from '../../hub/catalog.js';
import { LIMITS } from '../../hub/source.js';
import { readSpecification } from '../../hub/specification.js';
import { writeAtomically, type StagedFile, type WriteOptions } from '../../state/atomic-write.js';
import { removeLeftPartials } from '../../state/partial-names.js';
import { createResumable, type ResumableFile } from '../../state/resumable-file.js';
import type { HubMemory } from '../../trust/memory.js';
import type { SignatureState } from '../../trust/verdict.js';
import { isThere, makePackageFolder, packageFolder, refuseExisting } from './download-place.js';
import { countingProblems, isUnsignedByDesign, packageFiles, type PackageFile } from './package-files.js';
import { isOfTheWay, resuming } from './resume-download.js';
import { readSmall } from './signed-index.js';
import {
  isSpoiled,
  openTrustedPackage,
  pastCaches,
  type FetchOptions,
  type FileReport,
  type TrustedPackage,
} from './trusted-package.js';
import type { PackageAddress, TrustSetup } from './trust-setup.js';
import { isContentError } from './verify-package.js';

/** A package version to download; its source holds signatures, so that the one that was judged is the one that is written. */
export interface PackageToDownload extends PackageAddress {
  readonly hub: string;
  readonly entry: CatalogEntry | undefined;
  readonly setup: TrustSetup;
  /** Stores what was seen, after every check passed. */
  readonly remember: (memory: HubMemory) => Promise<void>;
}

/** How to download. */
export interface DownloadOptions {
  readonly folder: string;
  /** Only these files; all when empty. */
  readonly resources: readonly string[];
  /** Write `.asc` files, too. */
  readonly signatures: boolean;
  readonly existing: 'refuse' | 'replace' | 'keep';
  /** Go on with what an earlier run left of a large file, and leave such for a next one. */
  readonly resume: boolean;
  readonly concurrency: number;
  readonly emit: Emit;
}

/** One file of a download; a kept one was not looked into. */
export interface DownloadedFile {
  readonly hub: string;
  readonly package: string;
  readonly version: string;
  readonly name: string;
  readonly path: string;
  readonly bytes?: number | undefined;
  readonly sha256?: string | undefined;
  /** `resumed` when a part of it came with an earlier run. */
  readonly state: 'downloaded' | 'resumed' | 'kept';
  /** Absent when nothing was verified. */
  readonly signature?: SignatureState | undefined;
}

/** A package whose specification was read and verified, and the files that will be written. */
export interface PlannedDownload {
  readonly wanted: PackageToDownload;
  readonly trusted: TrustedPackage;
  readonly folder: string;
  readonly files: readonly PackageFile[];
}

const SPECIFICATION: PackageFile = { name: 'spec.json', signed: true, optional: false };
const TELL_EVERY = 4 * 1024 * 1024;
const MODE = 0o644;

function targets(folder: string, { name }: PackageFile, { signatures }: DownloadOptions): readonly string[] {
  const path = join(folder, name);
  return signatures ? [path, `${path}.asc`] : [path];
}

/** Reads and verifies the specification and finds out which files to write; EXISTS when one is there, before any of them is fetched. */
export async function planDownload(
  wanted: PackageToDownload,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<PlannedDownload> {
  const folder = packageFolder(options.folder, wanted.name, wanted.version);
  const known = options.resources.length === 0 ? ['spec.json'] : options.resources;
  if (options.existing === 'refuse') refuseExisting(known.map((name) => join(folder, name)));
  const trusted = await openTrustedPackage(wanted, wanted.setup, signal);
  const specification = readSpecification(await trusted.read('spec.json', signal), 'spec.json');
  const sources = { specification, entry: wanted.entry, index: trusted.index };
  const all = [SPECIFICATION, ...(await packageFiles(wanted, sources))];
  const named = [...new Set(options.resources)].map(
    (name) => all.find((file) => file.name === name) ?? { name, signed: true, optional: false },
  );
  const files = named.length === 0 ? all : named.map((file) => ({ ...file, optional: false }));
  if (options.existing === 'refuse') refuseExisting(files.flatMap((file) => targets(folder, file, options)));
  return { wanted, trusted, folder, files };
}

/** Fetches and writes the files of a planned download; each gets its name only when it is verified. The first failure ends it; `done` has what was written. */
export async function carryOut(
  plan: PlannedDownload,
  options: DownloadOptions,
  done: DownloadedFile[],
  signal: AbortSignal,
): Promise<void> {
  makePackageFolder(plan.folder);
  const written = new Map<string, DownloadedFile>();
  const write = async (file: PackageFile, both: AbortSignal): Promise<DownloadedFile | undefined> => {
    const one = await writeOne(plan, file, options, both);
    if (one !== undefined) written.set(one.name, one);
    return one;
  };
  try {
    for await (const one of mapConcurrent(plan.files, options.concurrency, write, signal)) {
      if (one?.bytes !== undefined) options.emit({ type: 'bytes', what: one.name, done: one.bytes, total: one.bytes });
    }
  } finally {
    done.push(...plan.files.flatMap(({ name }) => written.get(name) ?? []));
  }
}

async function writeOne(
  plan: PlannedDownload,
  file: PackageFile,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<DownloadedFile | undefined> {
  const { hub, name: owner, version } = plan.wanted;
  const path = join(plan.folder, file.name);
  const label = { hub, package: owner, version, name: file.name, path };
  if (options.existing === 'keep' && isThere(path)) return { ...label, state: 'kept' };
  if (!options.resume) removeLeftPartials(path);
  let resumed = false;
  return pastCaches(
    async (fresh) => {
      const staged = await createResumable(path, addressOf(plan.wanted, file), writing(options), signal);
      try {
        const report = await fillOne(plan, file, { ...options, fresh }, staged, signal);
        return report && { ...label, ...report, state: staged.resumed ? 'resumed' : 'downloaded' };
      } catch (error) {
        if (signal.aborted || isOfTheWay(error)) staged.leave();
        throw error;
      } finally {
        resumed = staged.resumed;
        await staged.abort();
      }
    },
    // Bytes of an earlier run are suspected first, whatever is wrong.
    (error) => isSpoiled(error) || (resumed && isContentError(error)),
  );
}

function writing({ existing }: DownloadOptions): WriteOptions {
  return { overwrite: existing !== 'refuse', mode: MODE };
}

function addressOf({ source, name, version }: PackageToDownload, file: PackageFile): string {
  return JSON.stringify([source.base, name, version, file.name]);
}

async function fillOne(
  plan: PlannedDownload,
  file: PackageFile,
  options: DownloadOptions & { readonly fresh: boolean },
  staged: ResumableFile,
  signal: AbortSignal,
): Promise<Pick<DownloadedFile, 'bytes' | 'sha256' | 'signature'> | undefined> {
  const { fresh, resume } = options;
  const open = resume ? resuming(staged, plan.wanted.source) : undefined;
  const report = await fetchOne(
    plan,
    file,
    { sink: counting(staged, file.name, options.emit), fresh, ...(open && { open }) },
    signal,
  );
  if (report === undefined) return undefined;
  // The signature goes first: a file that has its name has its signature, too, wherever a run was killed.
  if (options.signatures)
    await writeSignature(plan, file, `${join(plan.folder, file.name)}.asc`, writing(options), signal);
  await staged.commit();
  return { bytes: report.bytes, sha256: report.sha256, signature: stateOf(plan, file, report) };
}

function counting(staged: StagedFile, what: string, emit: Emit): (chunk: Uint8Array) => void {
  let [done, told] = [0, 0];
  return (chunk) => {
    staged.write(chunk);
    done += chunk.length;
    if (done - told < TELL_EVERY) return;
    told = done;
    emit({ type: 'bytes', what, done, total: undefined });
  };
}

/** Fetches one file through every check; undefined for an optional file that the hub does not have. */
export async function fetchOne(
  { trusted }: PlannedDownload,
  file: PackageFile,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<FileReport | undefined> {
  if (file.signed) return trusted.fetch(file.name, options, signal);
  const inspected = await trusted.inspect(file.name, options, signal).catch((error: unknown) => {
    if (file.optional && isMissing(error)) return undefined;
    throw error;
  });
  if (inspected === undefined) return undefined;
  const [problem] = countingProblems(file, inspected.report.verdict, inspected.problems);
  if (problem !== undefined) throw problem;
  return inspected.report;
}

function isMissing(error: unknown): boolean {
  return error instanceof CliError && error.code === 'RESOURCE_MISSING';
}

function stateOf(plan: PlannedDownload, file: PackageFile, { verdict }: FileReport): SignatureState | undefined {
  if (plan.wanted.setup.policy === 'off') return undefined;
  return isUnsignedByDesign(file, verdict) ? 'unsigned' : verdict.state;
}

async function writeSignature(
  { wanted }: PlannedDownload,
  { name: file }: PackageFile,
  path: string,
  options: WriteOptions,
  signal: AbortSignal,
): Promise<void> {
  const { source, name, version } = wanted;
  const bytes = await readSmall(source, { name, version, file: `${file}.asc` }, LIMITS.signature, signal);
  if (bytes !== undefined) await writeAtomically(path, bytes, options);
}
