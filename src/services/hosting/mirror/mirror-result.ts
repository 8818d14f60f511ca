import { counted } from '../../../core/counted.js';
import { CliError, type ErrorCode, type ErrorDetails } from '../../../core/errors.js';
import type { Hint } from '../../../core/next-step.js';
import { remember, type HubMemory } from '../../../trust/memory.js';
import { isCodeOfTheWay } from '../../catalog/fetch-file.js';
import { failureLines, firstLines } from './failure-lines.js';
import type { MirrorPlan, MirrorResult } from './mirror-plan.js';

const COPY = 'the bundle may be damaged or come from an incomplete mirror: copy it again or write a new one';
/** What a run that met an error of the way can go on with. */
const AGAIN = 'to fetch the missing files, run the same command again';
/** What stays so, however often it is fetched. */
const FINAL: ReadonlySet<string> = new Set(['BAD_NAME', 'CHANGED', 'NO_TRUST']);

/** The error of a run in which versions failed, with what it came to. */
export class MirrorRefusal extends CliError {
  readonly result: MirrorResult;

  constructor(code: ErrorCode, message: string, details: ErrorDetails, result: MirrorResult) {
    super(code, message, { ...details, item: result });
    this.result = result;
  }
}

/** What a mirror came to, in figures. */
export function resultOf(plan: MirrorPlan, catalog: MirrorResult['catalog']): MirrorResult {
  const { request, upstream, staged, failed, gone } = plan;
  const { hub, root } = request;
  const count = (state: string): number => staged.filter((one) => one.state === state).length;
  const named = (state: string): readonly string[] =>
    staged.filter((one) => one.state === state).map(({ wanted }) => `${wanted.name}@${wanted.version}`);
  const sum = (of: 'fetched' | 'bytes' | 'signatures'): number => staged.reduce((total, one) => total + one[of], 0);
  return {
    folder: root,
    hub: hub.name,
    whole: plan.mirrored.whole,
    sequence: upstream.indexDigest === undefined ? undefined : upstream.index?.sequence,
    added: count('added'),
    updated: count('updated'),
    unchanged: count('unchanged'),
    removed: gone.length,
    failed: failed.length,
    files: sum('fetched'),
    bytes: sum('bytes'),
    signatures: sum('signatures'),
    versions: {
      added: named('added'),
      updated: named('updated'),
      removed: gone.map(({ name, version }) => `${name}@${version}`),
    },
    dryRun: request.dry,
    catalog,
    failures: failed.map(({ failure }) => failure),
    unserved: [],
    unverified: plan.unverified.map(({ name, version }) => `${name}@${version}`),
  };
}

/** The error of a run in which versions failed; that of the first where all failed for one reason. */
export function refusalOf({ request, failed, reason, selected }: MirrorPlan, result: MirrorResult): MirrorRefusal {
  const { bundle, dry } = request;
  const isWay = failed.some(({ failure }) => isCodeOfTheWay(failure.code));
  const isFinal = failed.every(({ failure }) => FINAL.has(failure.code));
  const again = bundle === undefined ? (isWay && !dry ? [AGAIN] : []) : isFinal ? [] : [COPY];
  const key: Hint = { next: 'add-key', hub: request.hub.source.base };
  // A bundle is not published by anybody while it is read.
  const told = bundle !== undefined && reason?.code === 'MIXED' ? [] : reason?.details.hints;
  const own = reason?.code === 'NO_TRUST' ? [key] : (told ?? []);
  const isAll = failed.length === selected.length;
  const code = isAll && failed.every(({ failure }) => failure.code === reason?.code) ? reason?.code : undefined;
  const what = counted(failed.length, 'package version');
  const details = { lines: firstLines(failureLines(failed)), hints: [...own, ...again] };
  const message = `${what} of ${selected.length} ${dry ? 'cannot' : 'could not'} be mirrored`;
  return new MirrorRefusal(code ?? 'PARTIAL', message, details, result);
}

/** Whether the error is of versions that failed, and all others are published. */
export function isPublished(error: unknown): boolean {
  return error instanceof MirrorRefusal && error.result.added + error.result.updated + error.result.unchanged > 0;
}

/** The error of a run with other members in what it came to, where it tells of that. */
export function withResult(error: unknown, own: Partial<MirrorResult>): unknown {
  if (!(error instanceof MirrorRefusal)) return error;
  return new MirrorRefusal(error.code, error.message, error.details, { ...error.result, ...own });
}

/** What is remembered of the hub after a run: its index, and what was fetched and verified. */
export function memoryOf({ request, upstream, staged }: MirrorPlan): HubMemory {
  const { setup } = request;
  if (setup.policy === 'off') return setup.memory;
  const { index, sha256 } = upstream.state;
  const files = staged.flatMap(({ wanted: { name, version }, seen: own }) =>
    own.map(({ name: file, sha256: digest, bytes }) => ({ key: `${name}/${version}/${file}`, sha256: digest, bytes })),
  );
  const signed = staged.some(({ seen: own }) => own.some(({ isValid }) => isValid));
  const seen = { signed, files, ...(index && sha256 !== undefined && { index: { ...index, sha256 } }) };
  return remember(setup.memory, seen, setup.now);
}
