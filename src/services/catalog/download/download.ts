import { join } from 'node:path';
import { CliError, type ErrorCode } from '../../../core/errors.js';
import type { Hint } from '../../../core/next-step.js';
import { createStaged } from '../../../state/atomic-write.js';
import { forgetOwn } from '../../../state/unfinished-download.js';
import type { Policy } from '../../../trust/policy-decision.js';
import { carryOut, planDownload, type DownloadOptions } from './download-package.js';
import { packageFolder } from './place.js';
import type { DownloadedFile, PackageToDownload, PlannedDownload } from './fetch-one.js';
import { fetchFile, isContentError } from '../fetch-file.js';

/** A package that could not be downloaded, and why. */
export interface FailedDownload {
  readonly hub: string;
  readonly package: string;
  readonly version: string;
  readonly code: ErrorCode;
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
 * @throws USAGE where two have one folder; PARTIAL (10) when one of several fails; the code that all failures have
 */
export async function downloadPackages(
  packages: readonly PackageToDownload[],
  options: DownloadOptions,
  signal: AbortSignal,
): Promise<DownloadResult> {
  refuseTwins(packages, options);
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
  throw new CliError(
    work.commonCode() ?? 'PARTIAL',
    `${result.failed.length} of ${packages.length} packages could not be downloaded`,
    {
      lines: result.failed.map(({ package: name, version, message }) => `${name}@${version}: ${message}`),
      hints: work.hints,
      item: result,
    },
  );
}

/** Many file systems take two names for one that differ in upper and lower case only. */
function refuseTwins(packages: readonly PackageToDownload[], { folder }: DownloadOptions): void {
  const seen = new Map<string, string>();
  for (const { hub, name, version } of packages) {
    const place = packageFolder(folder, name, version);
    const told = `${name}@${version} of ${hub}`;
    const twin = seen.get(place.toLowerCase());
    if (twin !== undefined)
      throw new CliError('USAGE', `${twin} and ${told} would be written to the same folder, ${place}`, {
        hints: [{ next: 'download-apart' }],
      });
    seen.set(place.toLowerCase(), told);
  }
}

class Work {
  readonly files: DownloadedFile[] = [];
  readonly warnings = new Set<string>();
  /** Of the first failure. */
  hints: readonly Hint[] = [];
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
      const { code, message, details } = error;
      if (this.failed.length === 0) this.hints = details.hints ?? [];
      this.failed.push({ hub, package: name, version, code, message });
    }
  }

  /** The code of the failures, where all packages failed for one reason. */
  commonCode(): ErrorCode | undefined {
    const [code, ...others] = new Set(this.failed.map((one) => one.code));
    return others.length === 0 && this.failed.length === this.packages.length ? code : undefined;
  }

  result(): DownloadResult {
    const policy = this.packages[0]?.setup.policy ?? 'warn';
    return {
      folder: this.options.folder,
      policy,
      verified: this.files.every(({ signature }) => GOOD.includes(signature)),
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
    await fetchFile(plan.trusted, file, { sink }, signal);
    await staged.commit();
    await wanted.remember(plan.trusted.remembered());
    return { path, warnings: plan.trusted.warnings };
  } finally {
    await staged.abort();
  }
}
