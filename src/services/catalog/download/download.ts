import { join } from 'node:path';
import { CliError } from '../../../core/errors.js';
import { createStaged } from '../../../state/atomic-write.js';
import { forgetOwn } from '../../../state/unfinished-download.js';
import type { Policy } from '../../../trust/policy-decision.js';
import { carryOut, planDownload, type DownloadOptions } from './download-package.js';
import type { DownloadedFile, PackageToDownload, PlannedDownload } from './fetch-one.js';
import { fetchOne } from './fetch-one.js';
import { isContentError } from '../verify/package.js';

/** A package that could not be downloaded, and why. */
export interface FailedDownload {
  readonly hub: string;
  readonly package: string;
  readonly version: string;
  readonly code: string;
  readonly message: string;
}

/** What a download did. */
export interface DownloadResult {
  readonly folder: string;
  readonly policy: Policy;
  /** Every file has a good signature, or is unsigned by design. */
  readonly verified: boolean;
  readonly files: readonly DownloadedFile[];
  readonly failed: readonly FailedDownload[];
  readonly warnings: readonly string[];
}

const GOOD: readonly (string | undefined)[] = ['valid', 'unsigned'];

/**
 * Downloads packages one after another, once all specifications are read. Reading them first makes EXISTS come before
 * anything is written.
 * @throws PARTIAL (exit 10) when one of several packages fails
 */
export async function downloadPackages(
  packages: readonly PackageToDownload[],
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<DownloadResult> {
  const work = new Work(packages, options);
  const plans: PlannedDownload[] = [];
  for (const wanted of packages) {
    await work.guard(wanted, async () => {
      plans.push(await planDownload(wanted, options, signal));
    });
  }
  for (const plan of plans) {
    await work.guard(plan.wanted, async () => {
      await carryOut(plan, options, work.files, signal);
      await plan.wanted.remember(plan.trusted.remembered());
      for (const warning of plan.trusted.warnings) work.warnings.add(warning);
    });
  }
  const result = work.result();
  if (result.failed.length === 0) {
    for (const { folder } of plans) forgetOwn(folder);
    return result;
  }
  throw new CliError('PARTIAL', `${result.failed.length} of ${packages.length} packages could not be downloaded`, {
    lines: result.failed.map(({ message }) => message),
    item: result,
  });
}

class Work {
  readonly files: DownloadedFile[] = [];
  readonly warnings = new Set<string>();
  private readonly failed: FailedDownload[] = [];
  private readonly packages: readonly PackageToDownload[];
  private readonly options: DownloadOptions;

  constructor(packages: readonly PackageToDownload[], options: DownloadOptions) {
    this.packages = packages;
    this.options = options;
  }

  /** Runs a part of the work; among several packages what is wrong with one does not stop the others. */
  async guard(wanted: PackageToDownload, part: () => Promise<void>): Promise<void> {
    try {
      await part();
    } catch (error) {
      if (!(error instanceof CliError)) throw error;
      if (this.packages.length === 1 || !isContentError(error))
        throw new CliError(error.code, error.message, { ...error.details, item: this.result() });
      const { hub, name, version } = wanted;
      const { code, message } = error;
      this.failed.push({ hub, package: name, version, code, message });
    }
  }

  result(): DownloadResult {
    const policy = this.packages[0]?.setup.policy ?? 'warn';
    const fetched = this.files.filter(({ state, signature }) => state !== 'kept' || signature !== undefined);
    return {
      folder: this.options.folder,
      policy,
      verified: fetched.length === this.files.length && fetched.every(({ signature }) => GOOD.includes(signature)),
      files: [...this.files],
      failed: [...this.failed],
      warnings: [...this.warnings],
    };
  }
}

/** A file that was verified and lies in a private folder, ready to be written to stdout. */
export interface BufferedFile {
  readonly path: string;
  readonly warnings: readonly string[];
}

/**
 * Downloads one file of a package for stdout, by way of a private folder. Stdout must not get a byte before all of them
 * are verified.
 */
export async function downloadToBuffer(
  wanted: PackageToDownload,
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<BufferedFile> {
  const plan = await planDownload(wanted, options, signal);
  const [file] = plan.files;
  if (file === undefined) throw new CliError('INTERNAL', 'no files requested');
  const path = join(options.folder, 'download');
  const staged = createStaged(path, { overwrite: true, passing: true });
  try {
    const sink = (chunk: Uint8Array): void => {
      staged.write(chunk);
    };
    await fetchOne(plan, file, { sink }, signal);
    await staged.commit();
    await wanted.remember(plan.trusted.remembered());
    return { path, warnings: plan.trusted.warnings };
  } finally {
    await staged.abort();
  }
}
