import { CliError } from '../../core/errors.js';
import type { ReportEntry, ReportRef, ReportSource } from './source.js';

/** A report that was named, and where it is; `entry` when it was found in a list. */
export interface FoundReport {
  readonly source: ReportSource;
  readonly ref: ReportRef;
  readonly entry?: ReportEntry | undefined;
}

const UUID = /^(?:local-)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/u;
const PREFIX = /^(?=.{8})(?:[0-9a-f-]+|local-?[0-9a-f-]*)$/u;
const MOST_SHOWN = 5;
const LIST = 'cdapctl report list';

/**
 * Finds the report that a word stands for (`cli.md` 2.1): an id, a unique beginning of one with 8 characters or more, `latest`, or `share:ID`.
 * The first source is the platform's. A whole id that no other source has is not looked up. USAGE, NOT_FOUND; a source that is off counts only when no other has it.
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
    if (!/^[\w=-]{8,}$/u.test(shared)) throw new CliError('USAGE', `${shown(text)} has no share id behind "share:"`);
    return { source: platform, ref: { shareId: shared } };
  }
  const word = text.toLowerCase();
  if (UUID.test(word)) {
    const found = (await entriesOf(others, signal)).entries.find(({ entry }) => entry.id === word);
    // The platform knows no id of this machine.
    if (found === undefined && word.startsWith('local-')) throw notFound(text);
    return found ?? { source: platform, ref: { id: word } };
  }
  if (word !== 'latest' && !PREFIX.test(word)) throw notAReport(text);
  const { entries, failure } = await entriesOf(sources, signal);
  const matching = word === 'latest' ? newest(entries) : entries.filter(({ entry }) => entry.id.startsWith(word));
  const [first, ...more] = matching;
  if (first === undefined) throw failure ?? notFound(text);
  if (more.length > 0) throw ambiguous(text, matching);
  return first;
}

interface Listed extends FoundReport {
  readonly entry: ReportEntry;
}

/** The reports of several sources; the failure of one is kept, not thrown, so that the others still count. */
async function entriesOf(
  sources: readonly ReportSource[],
  signal: AbortSignal,
): Promise<{ readonly entries: readonly Listed[]; readonly failure?: CliError }> {
  const entries: Listed[] = [];
  let failure: CliError | undefined;
  for (const source of sources) {
    try {
      for (const entry of await source.list(signal)) entries.push({ source, ref: { id: entry.id }, entry });
    } catch (error) {
      if (!(error instanceof CliError) || error.code !== 'REPORTS_OFF') throw error;
      failure ??= error;
    }
  }
  return { entries, ...(failure !== undefined && { failure }) };
}

function newest(entries: readonly Listed[]): readonly Listed[] {
  return [...entries].sort((a, b) => b.entry.created - a.entry.created).slice(0, 1);
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 80));

function notAReport(text: string): CliError {
  return new CliError('USAGE', `${shown(text)} does not name a report`, {
    hints: ['write an id, 8 or more characters of its beginning, latest, or share:ID', LIST],
  });
}

function notFound(text: string): CliError {
  const message =
    text === 'latest' ? 'there is no report yet' : `there is no report ${shown(text)}; it may have expired`;
  return new CliError('NOT_FOUND', message, { hints: [LIST], target: { report: text } });
}

function ambiguous(text: string, matching: readonly Listed[]): CliError {
  const lines = matching.slice(0, MOST_SHOWN).map(({ entry }) => `${entry.id}  ${entry.name ?? ''}`.trimEnd());
  return new CliError('USAGE', `${shown(text)} is the beginning of ${matching.length} reports`, {
    lines,
    hints: [LIST],
  });
}
