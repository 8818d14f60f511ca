import { CliError } from '../../core/errors.js';
import { isStuck } from './platform/generate.js';
import { reportWords } from './source/report-label.js';
import type { FoundReport } from './resolve.js';
import type { ReportEntry } from './source/source.js';
import { goneReport } from './platform/wait.js';

/** What became of a report that was to be deleted; `message` says why it was left. */
export interface Deletion {
  readonly id: string;
  readonly name?: string | undefined;
  readonly state: 'deleted' | 'gone' | 'refused' | 'failed';
  readonly message?: string | undefined;
  readonly error?: CliError | undefined;
}

/** What is deleted and how. */
export interface DeleteOptions {
  /** Also deletes reports that have been RUNNING for too long, or that the platform knows nothing about. */
  readonly force: boolean;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Deletes reports one after another. A RUNNING one is refused, because what is made of it later breaks the list of all
 * (docs/platform.md 1.3). The failure of one does not stop the others; `stop` does, between two, and what was done is
 * answered.
 */
export async function deleteReports(
  found: readonly FoundReport[],
  options: DeleteOptions,
  stop: AbortSignal,
): Promise<readonly Deletion[]> {
  const deletions: Deletion[] = [];
  for (const report of found) {
    if (stop.aborted) break;
    const id = 'id' in report.ref ? report.ref.id : '';
    const name = report.entry?.name;
    try {
      deletions.push({ name, ...(await deleteOne(report, id, options, stop)) });
    } catch (error) {
      if (error === stop.reason) break;
      if (!(error instanceof CliError)) throw error;
      const state = error.code === 'RUNNING' ? 'refused' : 'failed';
      deletions.push({ id, name, state, message: error.message, error });
    }
  }
  return deletions;
}

async function deleteOne(
  { source, ref, entry: listed }: FoundReport,
  id: string,
  { force, now }: DeleteOptions,
  signal: AbortSignal,
): Promise<Deletion> {
  const entry = await source.get(ref, signal).catch((error: unknown) => {
    if (force && error instanceof CliError && error.details.request?.status === 500) return 'broken' as const;
    throw error;
  });
  if (entry === undefined) {
    if (listed === undefined) throw goneReport(ref);
    return { id, state: 'gone' };
  }
  const running = entry !== 'broken' && entry.status === 'RUNNING';
  if (running && !(force && isStuck(entry, now))) throw stillMade(id, entry, { force, now });
  const removed = await source.remove(id, signal);
  return {
    id,
    ...(entry !== 'broken' && entry.name !== undefined && { name: entry.name }),
    state: removed ? 'deleted' : 'gone',
  };
}

function stillMade(
  id: string,
  entry: Pick<ReportEntry, 'status' | 'created'>,
  { force, now }: DeleteOptions,
): CliError {
  const words = reportWords({ id });
  const stuck = isStuck(entry, now);
  const why = stuck
    ? 'has been RUNNING for more than 30 minutes; if it is stuck, it can be deleted'
    : `is being generated; deleting it now would break the list of reports${force ? ', even when forced' : ''}`;
  return new CliError('RUNNING', `${words} ${why}`, {
    hints: [{ next: stuck ? 'delete-stuck-report' : 'wait-for-report', report: id }],
  });
}

/**
 * The error that deletions of so many reports end with; undefined when every one is gone. One report: its own; several:
 * PARTIAL, or why they were stopped.
 */
export function failureOfDeletions(
  deletions: readonly Deletion[],
  { wanted, stopped }: { readonly wanted: number; readonly stopped?: unknown },
): CliError | undefined {
  const left = deletions.filter(({ error }) => error !== undefined);
  const done = deletions.length - left.length;
  if (deletions.length < wanted && stopped instanceof CliError)
    return new CliError(stopped.code, stopped.message, {
      lines: [`${done} of ${wanted} reports were deleted`, ...left.map(({ message = '' }) => message)],
    });
  const [first] = left;
  if (first?.error === undefined) return undefined;
  if (deletions.length === 1) return first.error;
  return new CliError('PARTIAL', `${done} of ${deletions.length} reports were deleted, ${left.length} were not`, {
    lines: left.map(({ message = '' }) => message),
    hints: [...new Set(left.flatMap(({ error }) => error?.details.hints ?? []))],
  });
}
