import { createHash } from 'node:crypto';
import { CliError } from '../../../core/errors.js';
import type { HubIndex } from '../../../hub/index-file.js';
import { LIMITS, type HubSource } from '../../../hub/source.js';
import { otherPublication, untilFits } from '../../../hub/while-published.js';
import { missingVerdict, unsignedVerdict, type Verdict } from '../../../trust/verdict.js';
import { checkSignature, verifyBytes } from '../../../trust/verify.js';
import { decide } from '../../../trust/policy-decision.js';
import { holdFiles, isHeld } from '../files-in-memory.js';
import { indexFor } from '../downloaded-folder.js';
import { judgeIndexOnce, readSignatureFile, readSmall, type IndexState } from '../signed-index.js';
import type { TrustSetup } from '../trust-setup.js';
import type { PackageToVerify } from './package.js';
import { absentFinding, findingOf, type FileFinding, type FileLabel } from '../verified-file.js';

/** The signed index of a hub as it was judged, and what was found of the files at the root of the hub. */
export interface HubFindings {
  readonly state: IndexState;
  readonly findings: readonly FileFinding[];
}

const CATALOG = 'packages.json';
/** What a signed index lists of the root of a hub. */
const LISTED = [CATALOG, 'categories.json'];

/** Whether there is an index with a signature, be it of anybody. */
const isSigned = (index: FileFinding | undefined): index is FileFinding =>
  index?.file.bytes !== undefined && index.file.reason !== 'unsigned';

interface RootFiles {
  readonly hub: string;
  readonly source: HubSource;
  readonly setup: TrustSetup;
  /** Read past all caches. */
  readonly fresh: boolean;
}

/** A hub, or a folder, with the packages of which its catalog was read. */
export interface HubToInspect {
  readonly hub: string;
  readonly source: HubSource;
  readonly setup: TrustSetup;
  readonly packages: readonly PackageToVerify[];
  /** Reads the catalog again. Absent where the packages are not those of a catalog. */
  readonly again?: ListPackages | undefined;
}

/** Every package version of a hub as its catalog is at the moment. */
export type ListPackages = (signal: AbortSignal) => Promise<readonly PackageToVerify[]>;

/** Inspects the files of a hub itself, and reads its catalog again until its index lists all packages. */
export function inspectHub(
  { hub, source, setup, packages, again }: HubToInspect,
  signal: AbortSignal,
): Promise<{ readonly root: HubFindings; readonly packages: readonly PackageToVerify[] }> {
  const [only] = packages;
  if (setup.origin !== undefined && only !== undefined)
    return inspectDownload({ hub, source, setup, packages }, only, signal);
  return untilFits(
    async (fresh) => {
      const root = await inspectHubFiles(hub, source, setup, signal);
      return { root, packages: fresh && again ? await again(signal) : packages };
    },
    (found) => again === undefined || listsAll(found.root.state.index, found.packages),
    { ...setup, source },
    signal,
  );
}

/** A folder of one package has no files of a hub. What speaks against the index of its hub speaks against it. */
async function inspectDownload(
  { hub, source, setup, packages }: HubToInspect,
  { name, version }: PackageToVerify,
  signal: AbortSignal,
): Promise<{ readonly root: HubFindings; readonly packages: readonly PackageToVerify[] }> {
  const state = await indexFor({ source, name, version }, setup, signal);
  const { problems, verdict = missingVerdict() } = state;
  const findings = problems.length === 0 ? [] : [findingOf({ hub, name: 'index.json' }, { verdict }, problems)];
  return { root: { state, findings }, packages };
}

function listsAll(index: HubIndex | undefined, packages: readonly PackageToVerify[]): boolean {
  const listed = new Set(index?.packages.map(({ name, version }) => `${name}/${version}`));
  return index === undefined || packages.every(({ name, version }) => listed.has(`${name}/${version}`));
}

/**
 * Inspects the files of the hub itself: the signed index with its signature, and the catalogs. Catalogs are inspected
 * whether an index covers them or they are unsigned. What does not fit is read again.
 */
function inspectHubFiles(hub: string, source: HubSource, setup: TrustSetup, signal: AbortSignal): Promise<HubFindings> {
  return untilFits(
    (fresh) => inspectOnce({ hub, source: holdFiles(source, isHeld), setup, fresh }, signal),
    ({ state, findings }) => state.isMixed !== true && !findings.some(({ problems }) => problems.some(isOfAnother)),
    { ...setup, source },
    signal,
  );
}

/** Whether a file is perhaps that of another publication. */
const isOfAnother = ({ code }: CliError): boolean => code === 'MIXED';

async function inspectOnce(root: RootFiles, signal: AbortSignal): Promise<HubFindings> {
  const state = await judgeIndexOnce(root.source, root.setup, signal, root.fresh);
  const index = await inspectIndex(root, state, signal);
  const findings = [index];
  if (state.index !== undefined)
    for (const { name } of state.index.files) findings.push(await inspectListed(root, state, name, signal));
  else
    for (const name of isSigned(index) ? LISTED : [CATALOG])
      findings.push(await inspectCatalog(root, name, index, signal));
  return { state, findings: findings.filter((finding) => finding !== undefined) };
}

async function inspectIndex(
  { hub, source, setup }: RootFiles,
  state: IndexState,
  signal: AbortSignal,
): Promise<FileFinding | undefined> {
  const label = { hub, name: 'index.json' };
  const bytes = await readSmall(source, { file: 'index.json' }, LIMITS.index, signal);
  if (bytes === undefined && state.problems.length === 0) return undefined;
  if (bytes === undefined) return findingOf(label, { verdict: missingVerdict() }, state.problems);
  const signature = await readSignatureFile(source, { file: 'index.json.asc' }, signal);
  const verdict: Verdict =
    signature === undefined
      ? { ...unsignedVerdict(), detail: 'not signed, so it is ignored' }
      : await verifyBytes(bytes, signature, setup.keyring, setup.now);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  // Without any key the index is not judged, and is no better than the files that it lists.
  const problems =
    signature === undefined || setup.pinned > 0 || setup.policy === 'off'
      ? state.problems
      : [...state.problems, ...decide(setup.policy, [{ file: 'index.json', verdict }], 0, source).errors];
  return findingOf(label, { verdict, bytes: bytes.length, sha256 }, problems);
}

async function digestOf(
  { source, fresh }: RootFiles,
  file: string,
  signal: AbortSignal,
): Promise<{ readonly bytes: number; readonly sha256: string } | undefined> {
  const opened = await source.open({ file }, { maxBytes: LIMITS.catalog, fresh }, signal);
  if (opened === undefined) return undefined;
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of opened.body) {
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

/** A file that the verified index lists, such as the catalog. */
async function inspectListed(
  root: RootFiles,
  { index }: IndexState,
  name: string,
  signal: AbortSignal,
): Promise<FileFinding> {
  const label = { hub: root.hub, name };
  const found = await digestOf(root, name, signal);
  if (found === undefined) return absentFinding(label);
  const listed = index?.files.find((file) => file.name === name);
  const same = listed?.sha256 === found.sha256 && listed.size === found.bytes;
  const problem = otherPublication(`${name} does not match the signed index of the hub`, { file: name });
  const verdict = { ...unsignedVerdict(), detail: 'covered by the signed index' };
  return findingOf(label, { verdict, ...found }, same ? [] : [problem]);
}

/** A catalog of a hub without a usable index; the hub may sign it alone. */
async function inspectCatalog(
  root: RootFiles,
  name: string,
  index: FileFinding | undefined,
  signal: AbortSignal,
): Promise<FileFinding | undefined> {
  const { hub, source, setup } = root;
  const label = { hub, name };
  const signature = await readSignatureFile(source, { file: `${name}.asc` }, signal);
  const opened = await source.open({ file: name }, { maxBytes: LIMITS.catalog }, signal);
  if (opened === undefined) return undefined;
  if (signature === undefined) {
    await opened.discard();
    return uncovered(label, index);
  }
  const check = await checkSignature(signature, setup.keyring, setup.now);
  let bytes = 0;
  for await (const chunk of opened.body) {
    check.update(chunk);
    bytes += chunk.length;
  }
  const verdict = await check.finish();
  const { errors } = decide(setup.policy, [{ file: name, verdict }], setup.pinned, source);
  return findingOf(label, { verdict, bytes, sha256: check.sha256() }, errors);
}

/** A catalog that has no signature of its own is as good as its index, or unsigned. */
function uncovered(label: FileLabel, index: FileFinding | undefined): FileFinding {
  if (!isSigned(index))
    return findingOf(label, { verdict: { ...unsignedVerdict(), detail: 'this hub does not sign its catalog' } }, []);
  const { state, reason } = index.file;
  const why = state === 'unknown-signer' ? 'cannot be verified' : 'is not valid';
  return findingOf(label, { verdict: { state, reason, detail: `the signed index ${why}`, notes: [] } }, index.problems);
}
