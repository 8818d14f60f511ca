import { CliError } from '../../../core/errors.js';
import { createReport } from '../../../platform/reports.js';
import { answerLost, neverSent } from '../../writing/send.js';
import type { WaitDeps } from '../service/service-ready.js';
import type { PlatformReports } from './platform-source.js';
import type { ReportRequest } from '../request/request.js';
import type { ReportEntry } from '../source/source.js';

/**
 * How many reports the service makes at a time. One more is refused and stays RUNNING for ever (docs/platform.md 1.5).
 */
const MOST_AT_ONCE = 3;
/** Seconds after which a report that is RUNNING is taken for one that nobody makes any more. */
const STUCK_AFTER = 1800;
const LOOKS = 3;
const NAP = 1000;

/** Whether a RUNNING report has been so for so long that nothing can be making it. `now` in milliseconds. */
export function isStuck({ status, created }: Pick<ReportEntry, 'status' | 'created'>, now: number): boolean {
  return status === 'RUNNING' && now / 1000 - created > STUCK_AFTER;
}

/**
 * Asks the platform to make a report; its id. Sent once: after a lost answer the report is looked for by its name, and
 * UNKNOWN_OUTCOME when it does not show. `stop` ends it before it is sent, not after.
 * @throws UNAVAILABLE when the service is busy, BAD_ANSWER when it gives no id
 */
export async function generateReport(
  reports: PlatformReports,
  request: ReportRequest,
  deps: WaitDeps,
  stop: AbortSignal,
): Promise<string> {
  const before = await reports.list(stop).catch(unlessBroken);
  const running = (before ?? []).filter((entry) => entry.status === 'RUNNING' && !isStuck(entry, deps.clock.now()));
  if (running.length >= MOST_AT_ONCE) throw busy();
  stop.throwIfAborted();
  // Never aborts: what is sent gets its answer, or is looked for (docs/faults.md L26).
  const { signal } = new AbortController();
  try {
    const { id } = await reports.service.call(createReport, request, signal);
    return id;
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    const known = before === undefined ? undefined : new Set(before.map(({ id }) => id));
    const made: Made = { reports, name: request.name, known, signal };
    if (error.details.serverSaid?.includes('rejected from java.util.concurrent') === true) {
      await removeRejected(made);
      throw busy(error);
    }
    if (!answerLost(error) || neverSent(error)) throw error;
    const id = await lookFor(made, deps).catch((failed: unknown) => {
      if (failed instanceof CliError) throw unknownOutcome(request.name, error, failed);
      throw failed;
    });
    if (id === undefined) throw unknownOutcome(request.name, error);
    deps.emit({
      type: 'warning',
      code: 'LOST_ANSWER',
      message: `the response was lost, but the report was found by name: ${id}`,
    });
    return id;
  }
}

interface Made {
  readonly reports: PlatformReports;
  readonly name: string;
  /** The ids that were there before; undefined when nobody could tell. */
  readonly known: ReadonlySet<string> | undefined;
  readonly signal: AbortSignal;
}

/** A list that is broken by one report is no reason to make no other. */
function unlessBroken(error: unknown): undefined {
  if (error instanceof CliError && error.code === 'REMOTE_FAILED') return undefined;
  throw error;
}

/** The reports that are new and have the name. */
async function appeared({ reports, name, known, signal }: Made): Promise<readonly ReportEntry[]> {
  if (known === undefined) return [];
  return (await reports.list(signal)).filter((entry) => entry.name === name && !known.has(entry.id));
}

async function lookFor(made: Made, { clock }: WaitDeps): Promise<string | undefined> {
  for (let look = 1; look <= LOOKS; look++) {
    const [first, ...others] = await appeared(made);
    // Two of one name: somebody else asked for the same at the same time, and nobody can tell which is ours.
    if (first !== undefined) return others.length === 0 ? first.id : undefined;
    if (look < LOOKS) await clock.sleep(NAP, made.signal);
  }
  return undefined;
}

/** What was refused for too much work is listed as RUNNING for ever. Nothing makes it, so that it can be deleted. */
async function removeRejected(made: Made): Promise<void> {
  const [first, ...others] = (await appeared(made).catch(() => [])).filter(({ status }) => status === 'RUNNING');
  if (first !== undefined && others.length === 0) await made.reports.remove(first.id, made.signal).catch(() => false);
}

function busy(cause?: CliError): CliError {
  return new CliError('UNAVAILABLE', `the report service is busy with ${MOST_AT_ONCE} reports`, {
    hints: ['try again when one of them is finished', { next: 'list-reports', by: 'running' }],
    ...(cause !== undefined && { cause, request: cause.details.request, serverSaid: cause.details.serverSaid }),
  });
}

function unknownOutcome(name: string, lost: CliError, failed?: CliError): CliError {
  const { request, serverSaid } = lost.details;
  return new CliError(
    'UNKNOWN_OUTCOME',
    `the report ${JSON.stringify(name)} was requested, but it is unknown whether it is being generated`,
    {
      cause: lost,
      request,
      serverSaid,
      lines: [
        `the response was lost: ${lost.message}`,
        ...(failed === undefined ? [] : [`the reports cannot be listed: ${failed.message}`]),
      ],
      hints: [{ next: 'list-reports', by: 'name' }, 'if it is not listed, run the same command again'],
    },
  );
}
