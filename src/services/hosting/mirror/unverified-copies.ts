import { join } from 'node:path';
import { mapConcurrent } from '../../../core/concurrency.js';
import { counted } from '../../../core/counted.js';
import { isThere } from '../../../core/files/exists.js';
import { folderSource } from '../../../hub/folder-source.js';
import { filesOfPackage } from '../../../hub/index-file.js';
import type { PackageVersion } from '../../../hub/source.js';
import { readSpecification } from '../../../hub/specification.js';
import { withoutIndex } from '../../../trust/memory.js';
import { fetchFile, isContentError } from '../../catalog/fetch-file.js';
import { packageFiles } from '../../catalog/package-files.js';
import type { IndexState } from '../../catalog/signed-index.js';
import { openTrustedPackage } from '../../catalog/trusted-package.js';
import type { TrustSetup } from '../../catalog/trust-setup.js';
import { someNames } from './failure-lines.js';
import { namesIn } from './folder/folder-names.js';
import { isKept, localFile } from './folder/local-file.js';
import { versionFolder, type MirrorFolder } from './folder/mirror-folder.js';
import { VersionRecord } from './folder/records.js';
import type { MirrorPlan, MirrorRequest } from './mirror-plan.js';
import { isWhole } from './select.js';
import { trustDigest } from './trust-digest.js';

type FailedVersions = Pick<MirrorPlan, 'request' | 'folder' | 'upstream' | 'selected' | 'failed'>;
const NO_INDEX: IndexState = { problems: [], warnings: [] };

/**
 * The failed versions of which an earlier copy in the mirror does not pass verification either. It was made without a
 * key, or changed since. A preview verifies them only where its result depends on them.
 */
export async function unverifiedCopies(plan: FailedVersions, signal: AbortSignal): Promise<readonly PackageVersion[]> {
  const { request, folder } = plan;
  if (request.setup.policy === 'off' || request.setup.pinned === 0) return [];
  if (request.dry && !isDecisive(plan)) return [];
  const copies = copiesOf(plan);
  const found: PackageVersion[] = [];
  const isBad = async (place: PackageVersion, both: AbortSignal): Promise<boolean> =>
    !(await isVerifiedBefore(folder, place, request)) && !(await isGood(plan, place, both));
  const judge = async (place: PackageVersion, both: AbortSignal) => ({ place, bad: await isBad(place, both) });
  let done = 0;
  for await (const { place, bad } of mapConcurrent(copies, request.concurrency, judge, signal)) {
    if (bad) found.push(place);
    done += 1;
    request.emit({ type: 'count', what: 'earlier copies', done, of: copies.length, failed: found.length });
  }
  if (found.length > 0) warn(request, found);
  return found;
}

/** Whether the catalog of the mirror depends on them: it has one of its own, and something to list. */
const isDecisive = ({ request, selected, failed }: FailedVersions): boolean =>
  request.signatures && !isWhole(request.selection) && failed.length < selected.length;

/** The failed versions that the mirror has a copy of. */
function copiesOf({ folder, failed }: FailedVersions): readonly PackageVersion[] {
  return (
    failed
      // No path is made of such a name.
      .filter(({ failure }) => failure.code !== 'BAD_NAME')
      .map(({ failure }) => ({ name: failure.package, version: failure.version }))
      .filter((place) => isThere(join(versionFolder(folder.root, place), 'spec.json')))
  );
}

function warn({ root, signatures, emit }: MirrorRequest, found: readonly PackageVersion[]): void {
  const [{ name, version } = { name: '', version: '' }, ...others] = found;
  const path = others.length === 0 ? `packages/${name}/${version}` : 'packages/NAME/VERSION of each';
  const count = counted(found.length, 'package version');
  const message = `the mirror has an earlier copy of ${count} that does not pass verification: ${someNames(found)}`;
  // What a key of one's own has signed is beside the mirror as well.
  const hint = signatures ? `do not use it: remove ${path} from ${root}` : 'do not use it';
  emit({ type: 'warning', code: 'TRUST', message, hint });
}

/** Whether every file is still the one that was verified by the same policy and keys. */
async function isVerifiedBefore(
  folder: MirrorFolder,
  place: PackageVersion,
  { setup, recheck }: MirrorRequest,
): Promise<boolean> {
  const record = await VersionRecord.read(folder.record(place), { by: trustDigest(setup), recheck });
  const path = versionFolder(folder.root, place);
  const isSame = (name: string): boolean => {
    const [known, local] = [record.kept(name), localFile(join(path, name))];
    return known !== undefined && local !== undefined && isKept(known, local);
  };
  return namesIn(path).every(isSame);
}

/**
 * Whether a copy passes as a whole, by its signatures or by the index of the hub. The index may list other content by
 * now, and a hub that signs only its index may have kept some signatures.
 */
async function isGood(plan: FailedVersions, place: PackageVersion, signal: AbortSignal): Promise<boolean> {
  const { folder, upstream } = plan;
  const own = ofVersion(upstream.state, place);
  const isSigned = isThere(join(versionFolder(folder.root, place), 'spec.json.asc'));
  const states = own === undefined ? [NO_INDEX] : isSigned ? [NO_INDEX, own] : [own];
  for (const state of states) if (await passes(plan, place, state, signal)) return true;
  return false;
}

/** The index with the files of one version only. A file with other content is looked for in all that it has. */
function ofVersion(state: IndexState, { name, version }: PackageVersion): IndexState | undefined {
  const { index } = state;
  if (index === undefined) return undefined;
  const files = [...filesOfPackage(index, { name, version })];
  return { ...state, index: { ...index, packages: [{ name, version, files }] } };
}

async function passes(
  { request, folder }: FailedVersions,
  place: PackageVersion,
  state: IndexState,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const source = await folderSource(folder.root, folder.root, signal);
    const address = { source, ...place };
    const trusted = await openTrustedPackage(address, withoutHistory(request.setup), signal, state);
    const specification = readSpecification(await trusted.read('spec.json', signal), 'spec.json');
    const files = await packageFiles(address, { specification, entry: undefined, index: state.index });
    for (const file of files) await fetchFile(trusted, file, {}, signal);
    return true;
  } catch (error) {
    if (isContentError(error)) return false;
    throw error;
  }
}

/** What was seen without a key speaks neither for a copy nor against it. */
function withoutHistory(setup: TrustSetup): TrustSetup {
  return { ...setup, memory: { ...withoutIndex(setup.memory), files: {} } };
}
