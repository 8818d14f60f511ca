import { CliError } from '../../core/errors.js';
import { formatTime } from '../../core/time.js';
import { findInIndex, readIndex, type HubIndex, type IndexFile } from '../../hub/index-file.js';
import { LIMITS, readAll, type FilePlace, type HubSource } from '../../hub/source.js';
import { otherPublication, untilFits } from '../../hub/while-published.js';
import { checkDowngrade, checkIndex } from '../../trust/memory.js';
import { decide, noTrust } from '../../trust/policy-decision.js';
import { CLOCK_SKEW } from '../../trust/policy.js';
import { MAX_HELD_BYTES } from '../../trust/second-opinion.js';
import { missingVerdict, type Origin, type Verdict } from '../../trust/verdict.js';
import { checkSignature } from '../../trust/verify.js';
import type { PackageAddress, TrustSetup } from './trust-setup.js';

/** Reads a small file of a hub into memory, past all caches when `fresh`. Undefined when the hub does not have it. */
export async function readSmall(
  source: Pick<HubSource, 'open'>,
  place: FilePlace,
  maxBytes: number,
  signal: AbortSignal,
  fresh = false,
): Promise<Uint8Array | undefined> {
  const file = await source.open(place, { maxBytes, fresh }, signal);
  return file && readAll(file, maxBytes);
}

/** Reads a signature file, past all caches when `fresh`; undefined when the hub does not have it. */
export async function readSignatureFile(
  source: Pick<HubSource, 'open'>,
  place: FilePlace,
  signal: AbortSignal,
  fresh = false,
): Promise<Uint8Array | undefined> {
  try {
    return await readSmall(source, place, LIMITS.signature, signal, fresh);
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'TOO_LARGE') throw error;
    // Its size alone decides, and that is for the judge of signatures to say (SIG_LIMIT).
    return new Uint8Array(LIMITS.signature + 1);
  }
}

interface CheckedBytes {
  readonly verdict: Verdict;
  readonly sha256: string;
}

async function checkBytes(
  bytes: Uint8Array,
  signature: Uint8Array | undefined,
  setup: TrustSetup,
): Promise<CheckedBytes> {
  const check = await checkSignature(signature, setup.keyring, setup.now);
  check.update(bytes);
  return { verdict: await check.finish(), sha256: check.sha256() };
}

/** The signed index of a hub as it was found: usable, or what speaks against it. */
export interface IndexState {
  readonly index?: HubIndex;
  readonly sha256?: string;
  /** Whether both judges of signatures have accepted it, and nothing else speaks against it. */
  readonly agreed?: boolean;
  /** The verdict on its signature, where that is good. */
  readonly verdict?: Verdict;
  /** Whether index and signature are not of the same publication, or were changed. */
  readonly isMixed?: boolean;
  /** Whether it is that of the hub which a folder was downloaded from. */
  readonly isOfOrigin?: true;
  /** The error of a folder without signatures that no index speaks for. */
  readonly bare?: CliError;
  readonly problems: readonly CliError[];
  readonly warnings: readonly string[];
}

/**
 * Reads and checks the signed index in TUF client order: signature, sequence, expiry. An index and a signature that do
 * not fit, or an index that is not the `awaited` one, may be those of a hub that is being published: they are read
 * again. See docs/hub-format.md 7.
 */
export function judgeIndex(
  source: HubSource,
  setup: TrustSetup,
  signal: AbortSignal,
  awaited: (index: HubIndex) => boolean = () => true,
): Promise<IndexState> {
  return untilFits(
    (fresh) => judgeIndexOnce(source, setup, signal, fresh),
    ({ isMixed, index }) => isMixed !== true && (index === undefined || awaited(index)),
    { ...setup, source },
    signal,
  );
}

/** Reads and checks the signed index as it is at the moment. */
export async function judgeIndexOnce(
  source: HubSource,
  setup: TrustSetup,
  signal: AbortSignal,
  fresh: boolean,
): Promise<IndexState> {
  if (setup.policy === 'off') return { problems: [], warnings: [] };
  const bytes = await readSmall(source, { file: 'index.json' }, LIMITS.index, signal, fresh);
  const signature = bytes && (await readSignatureFile(source, { file: 'index.json.asc' }, signal, fresh));
  if (bytes === undefined || signature === undefined) {
    const lost = setup.memory.index && checkDowngrade(setup.memory, { signed: true, index: false });
    return { problems: lost ? [lost] : [], warnings: [] };
  }
  if (setup.pinned === 0) return { problems: [], warnings: [] };
  const { verdict, sha256 } = await checkBytes(bytes, signature, setup);
  const decision = decide(setup.policy, [{ file: 'index.json', verdict }], setup.pinned, source);
  if (verdict.state !== 'valid') {
    const lost = checkDowngrade(setup.memory, { signed: true, index: false });
    const isMixed = verdict.reason === 'bad-signature';
    const refused = isMixed ? decision.errors.map(ofPublication) : decision.errors;
    return { isMixed, problems: [...refused, ...(lost ? [lost] : [])], warnings: decision.warnings };
  }
  const index = readIndex(bytes, 'index.json');
  const problems = checkIndex(setup.memory, index, sha256, setup.now, { allowStale: setup.allowStale });
  const agreed = problems.length === 0 && bytes.length <= MAX_HELD_BYTES;
  const now = setup.now.getTime();
  const isLate = problems.length === 0 && index.expires <= now;
  const warnings = isLate ? [`the signed index ${lateText(index.expires, now)}`] : [];
  return { index, sha256, agreed, verdict, problems, warnings };
}

/** The error of an index that is perhaps of another publication than its signature. No download puts that right. */
function ofPublication({ code, message, details }: CliError): CliError {
  const others = (details.hints ?? []).filter((hint) => typeof hint === 'string');
  return new CliError(code, message, { ...details, hints: [{ next: 'publish-again' }, ...others] });
}

/** Why an index that is over still counts; times in milliseconds. */
export function lateText(expires: number, now: number): string {
  const end = expires + CLOCK_SKEW;
  const why = end > now ? `until ${formatTime(end)}` : 'as requested';
  return `expired at ${formatTime(expires)}, accepted ${why}`;
}

/** What a signed index says of a file: its size, and its digest if both judges accepted the index. */
export interface SignedFile {
  readonly size: number;
  readonly agreed: string | undefined;
  /** What an index without a problem says in place of a signature file (docs/conventions.md D26). */
  readonly covers?: Coverage | undefined;
}

/** The digest that a file must have, and the verdict on the index. */
interface Coverage {
  readonly sha256: string;
  readonly verdict: Verdict;
}

/** What the index says of a file of a package, if anything. */
export function signedFile(
  { index, agreed, verdict, problems }: Partial<IndexState>,
  { name, version }: PackageAddress,
  file: string,
): SignedFile | undefined {
  const listed = index && findInIndex(index, name, version, file);
  if (listed === undefined) return undefined;
  const { size, sha256 } = listed;
  const covers = verdict?.state === 'valid' && problems?.length === 0 ? { sha256, verdict } : undefined;
  return { size, agreed: agreed === true ? sha256 : undefined, covers };
}

/** The verdict on a file without a signature file; undefined when the index does not speak for it. */
export function coveredVerdict(
  signed: SignedFile | undefined,
  { bytes, sha256 }: { readonly bytes: number; readonly sha256: string },
): Verdict | undefined {
  if (signed?.covers === undefined) return undefined;
  const { covers, size } = signed;
  if (covers.sha256 === sha256 && size === bytes) return { ...covers.verdict, detail: 'covered by the signed index' };
  return { ...missingVerdict(), detail: 'the signed index lists another size or digest' };
}

/** What the verified index says against a file: MIXED, or BINDING when the file is another package's. */
export function againstIndex(
  index: HubIndex | undefined,
  { name, version }: PackageAddress,
  file: string,
  bytes: number,
  sha256: string,
): CliError | undefined {
  if (index === undefined) return undefined;
  const listed = findInIndex(index, name, version, file);
  const target = { package: name, version, file };
  if (listed?.sha256 === sha256) {
    if (listed.size === bytes) return undefined;
    const sizes = `has ${bytes} bytes, but the signed index of the hub lists ${listed.size} for the same content`;
    return new CliError('MIXED', `${name} ${version}: ${file} ${sizes}`, {
      hints: ['the index is wrong: report it to the owner of the hub'],
      target,
    });
  }
  const owners = index.packages.filter(({ files }) => files.some((candidate) => candidate.sha256 === sha256));
  const isOwn = (one: Pick<PackageAddress, 'name' | 'version'>): boolean =>
    one.name === name && one.version === version;
  // Several packages may have the same file: the nearest one tells most.
  const other = owners.find(isOwn) ?? owners.find((one) => one.name === name) ?? owners[0];
  if (other !== undefined && listed !== undefined) {
    const owner = isOwn(other) ? 'another file of it' : `a file of ${other.name} ${other.version}`;
    return new CliError('BINDING', `${name} ${version}: ${file} is signed as ${owner}`, { target });
  }
  const reason = reasonOf(listed, bytes);
  return otherPublication(`${name} ${version}: ${file} ${reason}`, target);
}

function reasonOf(listed: IndexFile | undefined, bytes: number): string {
  if (listed === undefined) return 'is not in the signed index of the hub';
  const why = bytes > listed.size ? `: it has more than the listed ${listed.size} bytes` : '';
  return `does not match the signed index of the hub${why}`;
}

/** What a hub has lost whose signatures were good before. Without any key that is the key, not the signatures. */
export function lostTrust({ memory, pinned }: TrustSetup, origin: Origin, isOk: boolean): CliError | undefined {
  const lost = checkDowngrade(memory, { signed: false, index: true });
  if (lost === undefined || pinned > 0) return lost;
  return isOk ? noTrust(origin) : undefined;
}
