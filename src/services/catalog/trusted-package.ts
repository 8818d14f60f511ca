import { CliError } from '../../core/errors.js';
import { filesOfPackage, type HubIndex } from '../../hub/index-file.js';
import { LIMITS, segmentsOf, type HubSource, type PackageVersion } from '../../hub/source.js';
import { pastCaches } from '../../hub/while-published.js';
import { findSigner, keyringFor, type Keyring } from '../../trust/keyring.js';
import { checkFile, remember, type HubMemory, type Observations } from '../../trust/memory.js';
import { decide } from '../../trust/policy-decision.js';
import type { Origin, Verdict } from '../../trust/verdict.js';
import { checkSignature, type SignatureCheck } from '../../trust/verify.js';
import { blamingFolder, indexFor, missingFile, ofDownload } from './downloaded-folder.js';
import {
  againstIndex,
  coveredVerdict,
  lostTrust,
  readSignatureFile,
  signedFile,
  type IndexState,
  type SignedFile,
} from './signed-index.js';
import type { Lender, PackageAddress, TrustSetup } from './trust-setup.js';

/** What is known of a file that was fetched. */
export interface FileReport {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly verdict: Verdict;
}

/**
 * Where the bytes of a file go while they are checked; awaited, so that a slow disk slows the network. A piece is good
 * until it returns.
 */
export interface FetchOptions {
  readonly sink?: (chunk: Uint8Array) => void | Promise<void>;
  readonly maxBytes?: number;
  /** What a signed index says, where the caller has read that; what comes behind its size is not read. */
  readonly signed?: SignedFile | undefined;
  /** Past all caches on the way. */
  readonly fresh?: boolean;
  /** Opens the file in place of its hub. */
  readonly open?: HubSource['open'];
}

/** A file with everything that speaks against it. */
export interface InspectedFile {
  readonly report: FileReport;
  readonly problems: readonly CliError[];
}

/** A package whose every file goes through the checks: signature, index, memory. */
export interface TrustedPackage {
  /** Fetches a file; the checks passed when this returns, else a TRUST error (exit 9). */
  fetch(file: string, options: FetchOptions, signal: AbortSignal): Promise<FileReport>;
  /** Fetches a small file (4 MB at most) into memory. */
  read(file: string, signal: AbortSignal): Promise<Uint8Array>;
  /** Like `fetch`, but problems are values: for `hub verify`. */
  inspect(file: string, options: FetchOptions, signal: AbortSignal): Promise<InspectedFile>;
  readonly reports: readonly FileReport[];
  /** By what the files are judged. */
  readonly setup: TrustSetup;
  readonly warnings: readonly string[];
  /** The verified index, when the hub has one and a key is pinned. */
  readonly index: HubIndex | undefined;
  /**
   * The memory after everything that passed, unchanged when nothing is verified. To be stored when the command is done
   * with checking.
   */
  remembered(): HubMemory;
}

async function drain(
  body: AsyncIterable<Uint8Array>,
  check: SignatureCheck,
  sink: FetchOptions['sink'],
  most: number,
): Promise<number> {
  let bytes = 0;
  for await (const chunk of body) {
    check.update(chunk);
    bytes += chunk.length;
    await sink?.(chunk);
    // What comes behind the size that was signed is not waited for: the file is the wrong one already.
    if (bytes > most) break;
  }
  return bytes;
}

interface Reader {
  readonly address: PackageAddress;
  readonly setup: TrustSetup;
  readonly keyring: Keyring;
  readonly state: IndexState;
  readonly reports: FileReport[];
  readonly warnings: Set<string>;
}

/** Where a file came from, and whose key its signature names where none counts here. */
function originOf({ address, setup }: Reader, { fingerprint, keyId }: Verdict): Origin {
  const { name, version, source } = address;
  const { label, kind, holds } = source;
  const signer = keyId === undefined ? undefined : { fingerprint, keyId };
  const knows = ({ keyring }: Lender): boolean =>
    signer !== undefined && findSigner(keyring.trusted, signer) !== undefined;
  return { label, kind, holds, lender: setup.lenders?.find(knows), package: `${name}@${version}` };
}

/** What a lock file says against a file. */
function againstLock(
  { locked, lockFile }: TrustSetup,
  { name, version }: PackageVersion,
  file: string,
  sha256: string,
): CliError | undefined {
  if (locked === undefined || locked.get(file) === sha256) return undefined;
  const why = locked.has(file) ? 'is not the file that the lock file pins' : 'is not in the lock file';
  return new CliError('LOCK_MISMATCH', `${name} ${version}: ${file} ${why}`, {
    hints: [
      'find out why it changed; a published version does not change',
      { next: 'lock-packages', package: `${name}@${version}`, file: lockFile },
    ],
    target: { package: name, version, file },
  });
}

/** Refuses a package where the signed index lists another file than a lock file pins: LOCK_MISMATCH. */
export function refuseUnlocked(
  { setup, index }: Pick<TrustedPackage, 'setup' | 'index'>,
  place: PackageVersion,
  files: readonly string[],
): void {
  for (const { name, sha256 } of index === undefined ? [] : filesOfPackage(index, place)) {
    const isRead = files.includes(name) && setup.locked?.has(name) === true;
    const other = isRead ? againstLock(setup, place, name, sha256) : undefined;
    if (other !== undefined) throw other;
  }
}

/** A warning of keys that are not trusted is the same for all files that they signed, and told once. */
function withoutFile(file: string, { otherKeys }: Verdict, warning: string): string {
  if (otherKeys === undefined || warning !== `${file}: ${otherKeys}`) return warning;
  return `${otherKeys}; if the publisher is changing keys, get the new one and add it with hub key add`;
}

function problemsOf(reader: Reader, { name: file, bytes, sha256, verdict }: FileReport): readonly CliError[] {
  const { address, setup, state } = reader;
  const origin = originOf(reader, verdict);
  const decision = decide(setup.policy, [{ file, verdict }], setup.pinned, origin);
  for (const warning of decision.warnings) reader.warnings.add(withoutFile(file, verdict, warning));
  const unlocked = againstLock(setup, address, file, sha256);
  if (setup.policy === 'off') return unlocked === undefined ? [] : [unlocked];
  // Whoever pins the file again should know that its signature is wrong.
  if (unlocked !== undefined) return [unlocked, ...decision.errors];
  const lost = verdict.state === 'valid' ? undefined : lostTrust(setup, origin, decision.ok);
  const key = `${address.name}/${address.version}/${file}`;
  const changed = checkFile(setup.memory, key, sha256, state.index !== undefined);
  const mixed = ofDownload(againstIndex(state.index, address, file, bytes, sha256), state, address);
  // What is wrong with a signature, or with what the index says in its place, says more than that the good one is gone.
  const own = verdict.state === 'missing' ? [mixed, lost, ...decision.errors] : [...decision.errors, lost, mixed];
  const all = [...own, changed].filter((error) => error !== undefined);
  return [...state.problems, ...blamingFolder(all, state.bare)];
}

async function inspectFile(
  reader: Reader,
  file: string,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<InspectedFile> {
  const { address, setup } = reader;
  const { source, name, version } = address;
  const { maxBytes = LIMITS.resource, fresh, signed = signedFile(reader.state, address, file) } = options;
  // Before the name of its signature is: that one would be refused in words that nobody has written.
  segmentsOf({ name, version, file });
  const place = { name, version, file: `${file}.asc` };
  const signature = setup.policy === 'off' ? undefined : await readSignatureFile(source, place, signal, fresh);
  const check = await checkSignature(signature, reader.keyring, setup.now, signed?.agreed);
  const open: HubSource['open'] = options.open ?? ((...asked) => source.open(...asked));
  const opened = await open({ name, version, file }, { maxBytes, fresh }, signal);
  if (opened === undefined) throw missingFile(address, file);
  const bytes = await drain(opened.body, check, options.sink, signed?.size ?? Infinity);
  const sha256 = check.sha256();
  const covered = signature === undefined ? coveredVerdict(signed, { bytes, sha256 }) : undefined;
  const report = { name: file, bytes, sha256, verdict: covered ?? (await check.finish()) };
  return { report, problems: problemsOf(reader, report) };
}

async function fetchFile(
  reader: Reader,
  file: string,
  options: FetchOptions,
  signal: AbortSignal,
): Promise<FileReport> {
  const { report, problems } = await inspectFile(reader, file, options, signal);
  if (problems[0] !== undefined) throw problems[0];
  reader.reports.push(report);
  return report;
}

function readSmallFile(reader: Reader, file: string, signal: AbortSignal): Promise<Uint8Array> {
  return pastCaches(async (fresh) => {
    const chunks: Uint8Array[] = [];
    const sink = (chunk: Uint8Array): void => void chunks.push(Buffer.from(chunk));
    await fetchFile(reader, file, { maxBytes: LIMITS.specification, sink, fresh }, signal);
    return Buffer.concat(chunks);
  });
}

function rememberSeen({ address, setup, state, reports }: Reader): HubMemory {
  if (setup.policy === 'off') return setup.memory;
  const { index, sha256, problems } = state;
  const seen: Observations = {
    signed: reports.some(({ verdict }) => verdict.state === 'valid'),
    files: reports.map(({ name, sha256: digest, bytes }) => ({
      key: `${address.name}/${address.version}/${name}`,
      sha256: digest,
      bytes,
    })),
    ...(index && sha256 !== undefined && problems.length === 0 && { index: { ...index, sha256 } }),
  };
  return remember(setup.memory, seen, setup.now);
}

/** Opens a package for verified reading; the index is read and judged first, unless it is known. */
export async function openTrustedPackage(
  address: PackageAddress,
  setup: TrustSetup,
  signal: AbortSignal,
  known?: IndexState,
): Promise<TrustedPackage> {
  const state = known ?? (await indexFor(address, setup, signal));
  const opened = { address, setup, state, keyring: keyringFor(setup.keyring, address.name) };
  const reader: Reader = { ...opened, reports: [], warnings: new Set(state.warnings) };
  return {
    fetch: (file, options, stop) => fetchFile(reader, file, options, stop),
    read: (file, stop) => readSmallFile(reader, file, stop),
    inspect: (file, options, stop) => inspectFile(reader, file, options, stop),
    reports: reader.reports,
    setup,
    get warnings() {
      return [...reader.warnings];
    },
    index: state.index,
    remembered: () => rememberSeen(reader),
  };
}
