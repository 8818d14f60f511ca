import { CliError } from '../../core/errors.js';
import type { NextStep } from '../../core/next-step.js';
import { SeveralMeant } from '../../core/several-meant.js';
import { newestFirst } from './source/newest-first.js';
import type { ReportEntry, ReportRef, ReportSource } from './source/source.js';

/** A report that was named, and where it is; `entry` when it was found in a list. */
export interface FoundReport {
  readonly source: ReportSource;
  readonly ref: ReportRef;
  readonly entry?: ReportEntry | undefined;
  /** Why another place, which is off, was not looked at: its report may have been meant. */
  readonly off?: CliError | undefined;
}

/**
 * Whether a source says itself that it is off: the reports of the others count all the same. Of one that cannot be
 * reached nobody knows what it has.
 */
export function isOff(error: unknown): error is CliError {
  return error instanceof CliError && error.code === 'REPORTS_OFF';
}

const UUID = /^(?:local-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;
const PREFIX = /^(?=.{8})(?:[0-9a-f-]+|local-?[0-9a-f-]*)$/u;
const LIST: NextStep = { next: 'list-reports' };

/**
 * Finds the report that a word stands for (docs/conventions.md 2.1). The word is an id, a unique prefix of one with 8
 * characters or more, `latest`, or `share:ID`. The first source is the platform's, which has the ids that do not begin
 * with `local-`; a complete one is not looked up.
 * @throws USAGE, NOT_FOUND, SeveralMeant; the error of a source that is off, if no other has the report (else: `off`)
 */
export async function resolveReport(
  text: string,
  sources: readonly ReportSource[],
  signal: AbortSignal,
): Promise<FoundReport> {
  const [platform, ...others] = sources;
  if (platform === undefined) throw notFound(text);
  const shared = /^share:(.*)$/su.exec(text)?.[1];
  if (shared !== undefined) {
    if (!/^[\w=-]{8,}$/u.test(shared)) throw notShared(text, shared);
    return { source: platform, ref: { shareId: shared } };
  }
  const word = text.toLowerCase();
  if (UUID.test(word)) {
    if (!word.startsWith('local-')) return { source: platform, ref: { id: word } };
    for (const source of others) {
      const detail = await source.get({ id: word }, signal);
      if (detail !== undefined) return { source, ref: { id: word }, entry: { ...detail, id: word } };
    }
    throw notFound(text);
  }
  if (word !== 'latest' && !PREFIX.test(word)) throw notAReport(text);
  const own = word.startsWith('local') ? others : [platform];
  const { entries, failure } = await entriesOf(word === 'latest' ? sources : own, signal);
  const sorted = [...entries].sort((a, b) => newestFirst(a.entry, b.entry));
  const matching = word === 'latest' ? sorted.slice(0, 1) : sorted.filter(({ entry }) => entry.id.startsWith(word));
  const [first, ...more] = matching;
  if (first === undefined) throw failure ?? notFound(text);
  if (more.length > 0) {
    const all = matching.map(({ entry: { id, status, created: at, name } }) => ({ id, status, at, name }));
    throw new SeveralMeant(`${shown(text)} matches ${all.length} reports`, all);
  }
  return failure === undefined ? first : { ...first, off: failure };
}

/** A report of a list. */
export interface ListedReport extends FoundReport {
  readonly entry: ReportEntry;
}

/** The reports of several sources. The failure of one is kept, not thrown, so that the others still count. */
export async function entriesOf(
  sources: readonly ReportSource[],
  signal: AbortSignal,
): Promise<{ readonly entries: readonly ListedReport[]; readonly failure?: CliError }> {
  const entries: ListedReport[] = [];
  let failure: CliError | undefined;
  for (const source of sources) {
    try {
      for (const entry of await source.list(signal)) entries.push({ source, ref: { id: entry.id }, entry });
    } catch (error) {
      if (!isOff(error)) throw error;
      failure ??= error;
    }
  }
  return { entries, ...(failure !== undefined && { failure }) };
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 80));

function notAReport(text: string): CliError {
  return new CliError('USAGE', `${shown(text)} is not a report`, {
    hints: ['use a report ID, its first 8 or more characters, latest, or share:ID', LIST],
  });
}

function notShared(text: string, id: string): CliError {
  const what = id === '' ? 'no share ID after "share:"' : 'a malformed share ID';
  return new CliError('USAGE', `${shown(text)} has ${what}`, {
    hints: [
      'a share ID has 8 or more letters, digits, _, - and =; use the whole one that was printed when it was shared',
    ],
  });
}

function notFound(text: string): CliError {
  const message =
    text === 'latest' ? 'there are no reports yet' : `report ${shown(text)} not found; it may have expired`;
  return new CliError('NOT_FOUND', message, { hints: [LIST], target: { report: text } });
}
