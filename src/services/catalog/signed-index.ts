import { CliError } from '../../core/errors.js';
import { findInIndex, readIndex, type HubIndex, type IndexFile } from '../../hub/index-file.js';
import { LIMITS, readAll, type FilePlace, type HubSource } from '../../hub/source.js';
import { checkDowngrade, checkIndex } from '../../trust/memory.js';
import { decide } from '../../trust/policy-decision.js';
import { MAX_HELD_BYTES } from '../../trust/second-opinion.js';
import type { Verdict } from '../../trust/verdict.js';
import { checkSignature } from '../../trust/verify.js';
import type { PackageAddress, TrustSetup } from './trust-setup.js';

/** Reads a small file of a hub into memory, past all caches when `fresh`. Undefined when the hub does not have it. */
export async function readSmall(
  source: HubSource,
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
  source: HubSource,
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
  readonly problems: readonly CliError[];
  readonly warnings: readonly string[];
}

/** Reads and checks the signed index in TUF client order: signature, sequence, expiry. See docs/hub-format.md 7. */
export async function judgeIndex(source: HubSource, setup: TrustSetup, signal: AbortSignal): Promise<IndexState> {
  if (setup.policy === 'off') return { problems: [], warnings: [] };
  const bytes = await readSmall(source, { file: 'index.json' }, LIMITS.index, signal);
  const signature = bytes && (await readSignatureFile(source, { file: 'index.json.asc' }, signal));
  if (bytes === undefined || signature === undefined) {
    const lost = setup.memory.index && checkDowngrade(setup.memory, { signed: true, index: false });
    return { problems: lost ? [lost] : [], warnings: [] };
  }
  if (setup.pinned === 0) return { problems: [], warnings: [] };
  const { verdict, sha256 } = await checkBytes(bytes, signature, setup);
  const decision = decide(setup.policy, [{ file: 'index.json', verdict }], setup.pinned, source);
  if (verdict.state !== 'valid') {
    const lost = checkDowngrade(setup.memory, { signed: true, index: false });
    return { problems: [...decision.errors, ...(lost ? [lost] : [])], warnings: decision.warnings };
  }
  const index = readIndex(bytes, 'index.json');
  const problems = checkIndex(setup.memory, index, sha256, setup.now, { allowStale: setup.allowStale });
  const agreed = problems.length === 0 && bytes.length <= MAX_HELD_BYTES;
  return { index, sha256, agreed, problems, warnings: [] };
}

/** What a signed index says of a file: its size, and its digest if both judges accepted the index. */
export interface SignedFile {
  readonly size: number;
  readonly agreed: string | undefined;
}

/** What the index says of a file of a package, if anything. */
export function signedFile(
  { index, agreed }: Pick<IndexState, 'index' | 'agreed'>,
  { name, version }: PackageAddress,
  file: string,
): SignedFile | undefined {
  const listed = index && findInIndex(index, name, version, file);
  return listed && { size: listed.size, agreed: agreed === true ? listed.sha256 : undefined };
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
  const other = index.packages.find(({ files }) => files.some((candidate) => candidate.sha256 === sha256));
  if (other !== undefined && listed !== undefined) {
    const own = other.name === name && other.version === version;
    const owner = own ? 'another file of it' : `a file of ${other.name} ${other.version}`;
    return new CliError('BINDING', `${name} ${version}: ${file} is signed as ${owner}`, { target });
  }
  const reason = reasonOf(listed, bytes);
  return new CliError('MIXED', `${name} ${version}: ${file} ${reason}`, { target });
}

function reasonOf(listed: IndexFile | undefined, bytes: number): string {
  if (listed === undefined) return 'is not in the signed index of the hub';
  const why = bytes > listed.size ? `: it has more than the listed ${listed.size} bytes` : '';
  return `does not match the signed index of the hub${why}`;
}
