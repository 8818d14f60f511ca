import { CliError, type ErrorCode } from '../../core/errors.js';
import type { HubIndex } from '../../hub/index-file.js';
import { LIMITS, segmentsOf, type HubSource } from '../../hub/source.js';
import { findSigner, keyringFor, type Keyring } from '../../trust/keyring.js';
import { checkDowngrade, checkFile, remember, type HubMemory, type Observations } from '../../trust/memory.js';
import { decide } from '../../trust/policy-decision.js';
import type { Origin, Verdict } from '../../trust/verdict.js';
import { checkSignature, type SignatureCheck } from '../../trust/verify.js';
import {
  againstIndex,
  judgeIndex,
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

/** What a file fails with when its bytes are others than those that were signed. */
const SPOILED: ReadonlySet<ErrorCode> = new Set(['SIG_BAD', 'MIXED']);

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
  const { label, kind } = source;
  const signer = keyId === undefined ? undefined : { fingerprint, keyId };
  const knows = ({ keyring }: Lender): boolean =>
    signer !== undefined && findSigner(keyring.trusted, signer) !== undefined;
  return { label, kind, lender: setup.lenders?.find(knows)?.hub, package: `${name}@${version}` };
}

function problemsOf(reader: Reader, { name: file, bytes, sha256, verdict }: FileReport): readonly CliError[] {
  const { address, setup, state } = reader;
  const decision = decide(setup.policy, [{ file, verdict }], setup.pinned, originOf(reader, verdict));
  for (const warning of decision.warnings) reader.warnings.add(warning);
  if (setup.policy === 'off') return [];
  const lost = verdict.state === 'valid' ? undefined : checkDowngrade(setup.memory, { signed: false, index: true });
  const changed = checkFile(setup.memory, `${address.name}/${address.version}/${file}`, sha256);
  // What is wrong with a signature says more than that the good one is gone.
  const own = verdict.state === 'missing' ? [lost, ...decision.errors] : [...decision.errors, lost];
  const found = [...own, againstIndex(state.index, address, file, bytes, sha256), changed];
  return [...state.problems, ...found.filter((error) => error !== undefined)];
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
  if (opened === undefined) {
    throw new CliError('RESOURCE_MISSING', `the hub has no file ${file} for ${name} ${version}`, {
      target: { package: name, version, file },
    });
  }
  const bytes = await drain(opened.body, check, options.sink, signed?.size ?? Infinity);
  const report = { name: file, bytes, sha256: check.sha256(), verdict: await check.finish() };
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

/** Whether an error says that the bytes of a file are not the signed ones. */
export function isSpoiled({ code }: CliError): boolean {
  return SPOILED.has(code);
}

/**
 * Fetches a file, and again past all caches when its bytes are not the signed ones. What a cache spoiled is not the
 * hub's fault (docs/faults.md S04).
 */
export async function pastCaches<T>(
  fetch: (fresh: boolean) => Promise<T>,
  again: (error: CliError) => boolean = isSpoiled,
): Promise<T> {
  try {
    return await fetch(false);
  } catch (error) {
    if (!(error instanceof CliError) || !again(error)) throw error;
    return fetch(true);
  }
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

/** Opens a package for verified reading; the index of the hub is read and judged first, once. */
export async function openTrustedPackage(
  address: PackageAddress,
  setup: TrustSetup,
  signal: AbortSignal,
): Promise<TrustedPackage> {
  const state = await judgeIndex(address.source, setup, signal);
  const keyring = keyringFor(setup.keyring, address.name);
  const reader: Reader = { address, setup, keyring, state, reports: [], warnings: new Set(state.warnings) };
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
