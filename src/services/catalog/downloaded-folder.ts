import { fileURLToPath } from 'node:url';
import { CliError, type ErrorCode } from '../../core/errors.js';
import type { Hint } from '../../core/next-step.js';
import { filesOfPackage, type HubIndex } from '../../hub/index-file.js';
import { isUnfinished } from '../../state/unfinished-download.js';
import { judgeIndex, readSignatureFile, type IndexState } from './signed-index.js';
import type { HubOfFolder, PackageAddress, TrustSetup } from './trust-setup.js';

/** What is said of a file of a hub, and means no more than that a folder has no signatures. */
const REPLACED: readonly ErrorCode[] = ['DOWNGRADE', 'SIG_MISSING'];

/**
 * The signed index that a package is judged by. A folder without signatures, downloaded from a hub that signs only its
 * index, is judged by the index of that hub.
 */
export async function indexFor(address: PackageAddress, setup: TrustSetup, signal: AbortSignal): Promise<IndexState> {
  // A package can be in the catalog before it is in the index: the hub is being published.
  const isListed = (index: HubIndex): boolean => filesOfPackage(index, address).length > 0;
  const own = await judgeIndex(address.source, setup, signal, isListed);
  const { origin, policy, pinned } = setup;
  if (origin === undefined || policy === 'off' || pinned === 0) return own;
  if (own.index !== undefined || own.problems.length > 0) return own;
  const { name, version, source } = address;
  const signature = await readSignatureFile(source, { name, version, file: 'spec.json.asc' }, signal);
  return signature === undefined ? indexOf(origin, setup, isListed, signal) : own;
}

async function indexOf(
  { hub, source, memory }: HubOfFolder,
  setup: TrustSetup,
  isListed: (index: HubIndex) => boolean,
  signal: AbortSignal,
): Promise<IndexState> {
  const unread: IndexState = { problems: [], warnings: [] };
  try {
    const state = await judgeIndex(await source(), { ...setup, memory }, signal, isListed);
    const [problem] = state.problems;
    if (problem !== undefined) return { ...state, isOfOrigin: true, bare: problem };
    if (state.index?.signatures === false) return { ...state, isOfOrigin: true };
    return { ...unread, bare: bareFolder() };
  } catch (error) {
    if (signal.aborted || !(error instanceof CliError)) throw error;
    const why = `and the signed index of ${hub} cannot be read: ${error.message}`;
    return { ...unread, bare: unsigned(`this folder has no signatures, ${why}`, error.details.hints ?? []) };
  }
}

/** The error of a folder of one package in which no file has a signature. */
export const bareFolder = (...hints: readonly Hint[]): CliError =>
  unsigned('this folder has no signatures (downloaded without signatures?)', [
    { next: 'download-signatures' },
    ...hints,
  ]);

const unsigned = (message: string, hints: readonly Hint[]): CliError => new CliError('SIG_MISSING', message, { hints });

/** The errors of a file of a folder without signatures. The hub is not to blame for such a download. */
export const blamingFolder = (problems: readonly CliError[], bare: CliError | undefined): readonly CliError[] =>
  bare === undefined ? problems : problems.map((problem) => (REPLACED.includes(problem.code) ? bare : problem));

/** The error of a file of a downloaded folder that is not as the index of its hub lists it. */
export function ofDownload(
  error: CliError | undefined,
  { isOfOrigin }: IndexState,
  address: PackageAddress,
): CliError | undefined {
  if (error === undefined || isOfOrigin !== true) return error;
  const hints: readonly Hint[] = [{ next: 'download-again', ...downloadOf(address) }];
  return new CliError(error.code, error.message, { ...error.details, hints });
}

/** The error of a file that a package does not have, or not yet: its download was interrupted. */
export function missingFile(address: PackageAddress, file: string): CliError {
  const { name, version, source } = address;
  const isDownload = source.holds === 'package';
  const isPart = isDownload && isUnfinished(fileURLToPath(source.base));
  const hints: readonly Hint[] = [{ next: 'finish-download', ...downloadOf(address) }];
  const where = isDownload ? 'the folder' : 'the hub';
  const target = { package: name, version, file };
  return new CliError('RESOURCE_MISSING', `${where} has no file ${file} for ${name} ${version}`, {
    target,
    ...(isPart && { hints }),
  });
}

/** A package in a folder, and the folder that it was downloaded to. */
function downloadOf({ name, version, source: { label } }: PackageAddress) {
  const below = `/${name}/${version}`;
  const folder = label.endsWith(below) ? label.slice(0, -below.length) : undefined;
  return { package: `${name}@${version}`, folder };
}
