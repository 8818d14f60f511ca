import { createHash } from 'node:crypto';
import { basename, join } from 'node:path';
import { mapConcurrent } from '../../../core/concurrency.js';
import type { Emit } from '../../../core/events.js';
import { isThere } from '../../../core/files/exists.js';
import { refuseSignatures } from '../../../hub/signature-names.js';
import { LIMITS, segmentsOf } from '../../../hub/source.js';
import { readSpecification } from '../../../hub/specification.js';
import { writeAtomically, type WriteOptions } from '../../../state/atomic-write.js';
import { removeLeftPartials } from '../../../state/partial-file-names.js';
import { createResumable, type ResumableFile } from '../../../state/resumable-file.js';
import { noteOwn, ownFiles } from '../../../state/unfinished-download.js';
import { makePackageFolder, packageFolder, refuseExisting } from './place.js';
import {
  stateOf,
  verifyInPlace,
  type DownloadedFile,
  type FileFacts,
  type PlannedDownload,
  type PackageToDownload,
} from './fetch-one.js';
import { fetchFile } from '../fetch-file.js';
import { packageFiles, type PackageFile } from '../package-files.js';
import { readSmall } from '../signed-index.js';
import { openTrustedPackage } from '../trusted-package.js';
import { counting, fillResumable, resuming } from '../resume.js';

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

const SPECIFICATION: PackageFile = { name: 'spec.json', signed: true, optional: false };
const MODE = 0o644;

function targets(folder: string, { name }: PackageFile, { signatures }: DownloadOptions): readonly string[] {
  const path = join(folder, name);
  return signatures ? [path, `${path}.asc`] : [path];
}

/**
 * Reads and verifies the specification and finds out which files to write.
 * @throws BAD_NAME, or EXISTS for a file that is not of an unfinished run, before any of them is fetched
 */
export async function planDownload(
  wanted: PackageToDownload,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<PlannedDownload> {
  const folder = packageFolder(options.folder, wanted.name, wanted.version);
  const known = options.resources.length === 0 ? ['spec.json'] : options.resources;
  const own = await ownFiles(folder, addressOf(wanted));
  const refuse = (paths: readonly string[]): void => {
    if (options.existing === 'refuse') refuseExisting(paths.filter((path) => !own.has(basename(path))));
  };
  refuse(known.map((name) => join(folder, name)));
  const trusted = await openTrustedPackage(wanted, wanted.setup, signal);
  const specification = readSpecification(await trusted.read('spec.json', signal), 'spec.json');
  const sources = { specification, entry: wanted.entry, index: trusted.index };
  const all = [SPECIFICATION, ...(await packageFiles(wanted, sources))];
  const named = [...new Set(options.resources)].map((name) => {
    const { signed } = all.find((file) => file.name === name) ?? SPECIFICATION;
    return { name, signed, optional: false };
  });
  const files = named.length === 0 ? all : named;
  for (const { name: file } of files) segmentsOf({ ...wanted, file });
  if (options.signatures) refuseSignatures(files.map(({ name }) => name));
  refuse(files.flatMap((file) => targets(folder, file, options)));
  return { wanted, trusted, folder, files, own };
}

/**
 * Fetches and writes the files of a planned download; each gets its name only when it is verified. The first failure
 * ends it; `done` has what was written.
 */
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
  const isOwn = plan.own.has(file.name);
  const good = isOwn && options.existing === 'refuse' ? await verifyInPlace(plan, file, signal) : undefined;
  if (good !== undefined) {
    if (options.signatures) await writeSignature(plan, file, options, signal);
    return { ...label, ...good, state: 'kept' };
  }
  if (!options.resume) removeLeftPartials(path);
  return fillResumable(
    () => createResumable(path, addressOf(plan.wanted, file), writing(plan, file.name, options), signal),
    async (staged, fresh) => {
      const report = await fillOne(plan, file, { ...options, fresh }, staged, signal);
      return report && { ...label, ...report, state: staged.resumed ? 'resumed' : 'downloaded' };
    },
    signal,
  );
}

function writing({ own }: PlannedDownload, name: string, { existing }: DownloadOptions): WriteOptions {
  return { overwrite: existing !== 'refuse' || own.has(name), mode: MODE };
}

function addressOf({ source, name, version }: PackageToDownload, file?: PackageFile): string {
  return JSON.stringify([source.base, name, version, file?.name]);
}

async function fillOne(
  plan: PlannedDownload,
  file: PackageFile,
  options: DownloadOptions & { readonly fresh: boolean },
  staged: ResumableFile,
  signal: AbortSignal,
): Promise<FileFacts | undefined> {
  const { fresh, resume } = options;
  const open = resume ? resuming(staged, plan.wanted.source) : undefined;
  const report = await fetchFile(
    plan.trusted,
    file,
    { sink: counting(staged, file.name, options.emit), fresh, ...(open && { open }) },
    signal,
  );
  if (report === undefined) return undefined;
  // The signature goes first: a file that has its name has its signature, too, wherever a run was killed.
  if (options.signatures) await writeSignature(plan, file, options, signal);
  note(plan, file.name, report.sha256, options);
  await staged.commit();
  return { bytes: report.bytes, sha256: report.sha256, signature: stateOf(plan, file, report) };
}

/** Notes that a file is ours before it gets its name, so that the same command can go on after a kill. */
function note({ wanted, folder }: PlannedDownload, name: string, sha256: string, { existing }: DownloadOptions): void {
  if (existing === 'refuse') noteOwn(folder, { address: addressOf(wanted), name, sha256 });
}

async function writeSignature(
  plan: PlannedDownload,
  { name: file }: PackageFile,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<void> {
  const { source, name, version } = plan.wanted;
  const signature = `${file}.asc`;
  const bytes = await readSmall(source, { name, version, file: signature }, LIMITS.signature, signal);
  if (bytes === undefined) return;
  note(plan, signature, createHash('sha256').update(bytes).digest('hex'), options);
  await writeAtomically(join(plan.folder, signature), bytes, writing(plan, signature, options));
}
