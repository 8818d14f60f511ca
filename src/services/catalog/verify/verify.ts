import { mapConcurrent } from '../../../core/concurrency.js';
import { CliError, type ErrorCode } from '../../../core/errors.js';
import { remember, type HubMemory, type Observations } from '../../../trust/memory.js';
import type { Policy } from '../../../trust/policy-decision.js';
import type { IndexState } from '../signed-index.js';
import type { FileFinding, VerifiedFile } from '../verified-file.js';
import { expiringRefusal, Signers, type Expiring } from './expiring.js';
import { inspectHub, type HubToInspect } from './hub-files.js';
import { inspectPackage, type PackageToVerify } from './package.js';

/** A hub, or a folder, of which packages are to be verified. */
export interface VerificationTarget extends HubToInspect {
  /** Stores what was seen, when everything passed; absent when nothing shall be stored. */
  readonly remember?: ((memory: HubMemory) => Promise<void>) | undefined;
}

/** What `hub verify` found in all; complete when the rows have ended. */
export interface VerificationOutcome {
  readonly policy: Policy;
  readonly ok: boolean;
  readonly packages: number;
  readonly files: number;
  /** How many files are not what they should be. */
  readonly refused: number;
  /** How many of these are signed by a key that is not trusted. */
  readonly unknown: number;
  /** How many of the others have a good signature of a trusted key. */
  readonly valid: number;
  /** How many of the others need no signature. */
  readonly unsigned: number;
  readonly warnings: readonly string[];
  /** What ends before the asked moment. */
  readonly expiring: readonly Expiring[];
  /** Hubs whose expiry was asked for, without an index that could be verified. */
  readonly unindexed: readonly string[];
  /** Hubs that could not be read, or not to their end. */
  readonly unread: readonly UnreadHub[];
  /**
   * Why the command fails: the first error of trust, or else of content.
   * @throws PARTIAL where a hub is not read
   */
  readonly refusal: CliError | undefined;
}

/** A hub that could not be read, and why. */
export interface UnreadHub {
  readonly hub: string;
  readonly error: CliError;
}

/** Rows as they are found, in the order of the packages, and the outcome afterwards. */
export interface Verification {
  readonly rows: AsyncIterable<VerifiedFile>;
  readonly outcome: () => VerificationOutcome;
}

/** What several files have in common that says nothing of a change. */
const FAULTS: ReadonlyMap<ErrorCode, string> = new Map([
  ['KEY_UNKNOWN', 'not signed by a trusted key'],
  ['KEY_EXPIRED', 'signed by a key that has expired'],
  ['SIG_MISSING', 'not signed'],
  ['RESOURCE_MISSING', 'not there'],
]);
const OF_ALL: readonly ErrorCode[] = ['NO_TRUST', 'STALE'];
const AT_ONCE = 4;
const MOST_LINES = 20;

interface Tally {
  packages: number;
  files: number;
  refused: number;
  unknown: number;
  valid: number;
  unsigned: number;
  readonly warnings: Set<string>;
  readonly expiring: Expiring[];
  readonly unindexed: string[];
  /** By message: one fault of a whole hub is told once. */
  readonly problems: Map<string, CliError>;
  readonly unread: UnreadHub[];
}

const newTally = (unread: readonly UnreadHub[]): Tally => ({
  packages: 0,
  files: 0,
  refused: 0,
  unknown: 0,
  valid: 0,
  unsigned: 0,
  warnings: new Set(),
  expiring: [],
  unindexed: [],
  problems: new Map(),
  unread: [...unread],
});

function countIn(tally: Tally, { file, problems }: FileFinding): void {
  tally.files += 1;
  const [problem] = problems;
  if (problem === undefined) {
    if (file.state === 'valid') tally.valid += 1;
    if (file.state === 'unsigned') tally.unsigned += 1;
    return;
  }
  tally.refused += 1;
  if (file.state === 'unknown-signer') tally.unknown += 1;
  if (!tally.problems.has(problem.message)) tally.problems.set(problem.message, problem);
}

/** What else is asked of a verification. */
interface VerifyOptions {
  readonly strict: boolean;
  /** Milliseconds from now: what ends before is told as expiring. */
  readonly within?: number | undefined;
}

async function* rowsOf(
  target: VerificationTarget,
  { strict, within, several, tally }: VerifyOptions & { readonly several: boolean; readonly tally: Tally },
  signal: AbortSignal,
): AsyncGenerator<VerifiedFile, void, void> {
  const { hub, source, setup } = target;
  const { root, packages } = await inspectHub(target, signal);
  const warn = (warning: string): unknown => tally.warnings.add(several ? `hub "${hub}": ${warning}` : warning);
  root.state.warnings.forEach(warn);
  const judging = { hub, source, setup, state: root.state, strict };
  const inspect = (one: PackageToVerify, both: AbortSignal) => inspectPackage(judging, one, both);
  const seen: VerifiedFile[] = [];
  const signers = new Signers();
  const before = tally.refused;
  for await (const { findings, warnings } of mapConcurrent(packages, AT_ONCE, inspect, signal)) {
    tally.packages += 1;
    warnings.forEach(warn);
    for (const finding of findings) {
      countIn(tally, finding);
      signers.add(finding.file);
      if (target.remember !== undefined) seen.push(finding.file);
      yield finding.file;
    }
  }
  for (const finding of root.findings) {
    countIn(tally, finding);
    signers.add(finding.file);
    yield finding.file;
  }
  if (within !== undefined) {
    if (root.state.index === undefined) tally.unindexed.push(hub);
    tally.expiring.push(...(await signers.expiring(hub, setup, root.state, setup.now.getTime() + within)));
  }
  if (tally.refused === before) await target.remember?.(remember(setup.memory, observed(seen, root.state), setup.now));
}

function observed(files: readonly VerifiedFile[], { index, sha256 }: IndexState): Observations {
  return {
    signed: files.some(({ state }) => state === 'valid'),
    files: files.flatMap(({ package: name, version, name: file, bytes, sha256: digest }) =>
      name === undefined || version === undefined || bytes === undefined || digest === undefined
        ? []
        : [{ key: `${name}/${version}/${file}`, sha256: digest, bytes }],
    ),
    ...(index && sha256 !== undefined && { index: { ...index, sha256 } }),
  };
}

/** The end of a run that did not read every hub: what the others are is known all the same. */
function unreadRefusal({ unread }: Tally, hubs: number): CliError | undefined {
  const [first] = unread;
  if (first === undefined) return undefined;
  const lines = unread.map(({ hub, error }) => `hub "${hub}": ${error.message}`);
  const { hints = [] } = first.error.details;
  return new CliError('PARTIAL', `${unread.length} of ${hubs} hubs could not be read`, { lines, hints });
}

const nothingToVerify = (): CliError =>
  new CliError('PACKAGE_NOT_FOUND', 'there is no package to verify', {
    hints: ['a hub holds packages.json or packages/NAME/VERSION/spec.json, a package holds spec.json'],
  });

/** The path of a hub in a folder, where that was named. The folder of one package, which no catalog lists, is none. */
const namedTree = ({ hub, source, packages }: HubToInspect): string | undefined =>
  source.kind === 'folder' && packages.every(({ entry }) => entry) && /[/\\]/u.test(hub) ? hub : undefined;

function refusalOf(tally: Tally, hubs: number, [target]: readonly VerificationTarget[]): CliError | undefined {
  const { problems, refused, files } = tally;
  const all = [...problems.values()];
  const main = all.find(({ exitCode }) => exitCode === 9) ?? all[0];
  if (main === undefined) {
    const unread = unreadRefusal(tally, hubs);
    if (unread !== undefined) return unread;
    if (tally.packages === 0 || target === undefined) return nothingToVerify();
    return expiringRefusal(tally.expiring, hubs > 1 ? undefined : namedTree(target), target.setup.now.getTime());
  }
  // That no key is trusted, or the index has expired, is told of one file, and holds for all.
  if (all.length === 1 && (refused > 1 || OF_ALL.includes(main.code))) return main;
  const more = all.length > MOST_LINES ? [`and ${all.length - MOST_LINES} more`] : [];
  const fault = all.every(({ code }) => code === main.code) ? FAULTS.get(main.code) : undefined;
  const not = fault ?? 'not as published';
  return new CliError(main.code, `${refused} of ${files} files ${refused === 1 ? 'is' : 'are'} ${not}`, {
    lines: [
      ...all.slice(0, MOST_LINES).flatMap(({ message, details }) => [message, ...(details.lines ?? [])]),
      ...more,
    ],
    hints: main.details.hints ?? [],
    target: main.details.target ?? {},
  });
}

/**
 * Verifies every file of the packages of each target, and the files of the hubs themselves. A target's memory is stored
 * when all of it passed. Of several hubs one that cannot be read does not stop the others.
 */
export function verifyAll(
  targets: readonly VerificationTarget[],
  { unread = [], ...options }: VerifyOptions & { readonly unread?: readonly UnreadHub[] },
  signal: AbortSignal,
): Verification {
  const tally = newTally(unread);
  const hubs = targets.length + unread.length;
  const several = hubs > 1;
  async function* rows(): AsyncGenerator<VerifiedFile, void, void> {
    for (const target of targets) {
      try {
        yield* rowsOf(target, { ...options, several, tally }, signal);
      } catch (error) {
        if (!several || signal.aborted || !(error instanceof CliError)) throw error;
        tally.unread.push({ hub: target.hub, error });
      }
    }
  }
  return {
    rows: rows(),
    outcome: () => ({
      policy: targets[0]?.setup.policy ?? 'warn',
      ok: tally.refused === 0 && tally.unread.length === 0 && tally.packages > 0,
      packages: tally.packages,
      files: tally.files,
      refused: tally.refused,
      unknown: tally.unknown,
      valid: tally.valid,
      unsigned: tally.unsigned,
      warnings: [...tally.warnings],
      expiring: tally.expiring,
      unindexed: tally.unindexed,
      unread: tally.unread,
      refusal: refusalOf(tally, hubs, targets),
    }),
  };
}
