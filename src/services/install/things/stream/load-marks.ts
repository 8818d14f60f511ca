import * as z from 'zod/mini';
import { addedLines, NO_LINES, sameLines, type LineBag } from '../../../../core/line-digest.js';
import { readLines } from '../../../../platform/streams.js';
import type { FactValue, StepContext } from '../../action.js';
import type { DataFile } from './data-files.js';
import { lastEventTime } from './streams.js';

/**
 * A point in a stream and the events since then, to tell later what was added. `since` is in milliseconds of the
 * platform's own time.
 */
export interface Mark {
  readonly since: number;
  /** Undefined where an older version noted it in another way: what has come since then cannot be told. */
  readonly before: LineBag | undefined;
}

/** How far a file got, as the journal has it. */
export type Progress = { readonly state: 'open' | 'applied' } | ({ readonly state: 'sent' } & Mark);

/**
 * How far before the newest event comparing starts, in milliseconds. The machines of a platform may have different
 * clocks.
 */
const MARGIN = 10 * 60 * 1000;
const SUM = /^[0-9a-f]{1,32}$/u;
const Noted = z.record(z.string(), z.string());

const factOf = (at: number): string => `file ${at + 1}`;

const placeOf = (stream: string, { namespace }: StepContext) => ({ namespace, stream });

function lines(name: string, start: number, limit: number | undefined, context: StepContext): Promise<LineBag> {
  const question = { ...placeOf(name, context), start, ...(limit !== undefined && { limit }) };
  return context.platform.call(readLines, question, context.signal);
}

/** Whether a stream has events. */
export async function hasEvents(name: string, context: StepContext): Promise<boolean> {
  return (await lines(name, 0, 1, context)).lines > 0;
}

/** Marks the end of a stream by its newest event. The clock of the platform may differ from ours. */
export async function markEnd(name: string, context: StepContext): Promise<Mark> {
  const last = await lastEventTime(placeOf(name, context), context);
  if (last === undefined) return { since: 0, before: NO_LINES };
  const since = Math.max(0, last - MARGIN);
  return { since, before: await lines(name, since, undefined, context) };
}

/**
 * What of a file has reached a stream since a mark: nothing, exactly the file, or anything else. See
 * docs/decisions/009-loads-are-judged-by-their-lines.md.
 */
export async function arrivalOf(
  { content }: DataFile,
  name: string,
  { since, before }: Mark,
  context: StepContext,
): Promise<'none' | 'all' | 'other'> {
  if (before === undefined) return 'other';
  const now = await lines(name, since, before.lines + content.lines + 1, context);
  const added = addedLines(before, now);
  if (sameLines(added, NO_LINES)) return 'none';
  return sameLines(added, content) ? 'all' : 'other';
}

/** How far the file at a place in the list got in this attempt or an earlier one that was cut off. */
export function progressOf(at: number, { history }: StepContext): Progress {
  const noted = z.safeParse(Noted, history.facts.get(factOf(at)));
  const { state, since = '', lines: count = '', sum = '' } = noted.success ? noted.data : {};
  if (state === 'applied') return { state };
  if (state !== 'sent') return { state: 'open' };
  return { state, since: Number(since), before: bagOf(count, sum) };
}

function bagOf(lines: string, sum: string): LineBag | undefined {
  return SUM.test(sum) ? { lines: Number(lines), sum: BigInt(`0x${sum}`) } : undefined;
}

/** Writes into the journal how far a file got. */
export function noteProgress(at: number, progress: Progress, context: StepContext): Promise<void> {
  const { state } = progress;
  const value: FactValue =
    progress.state === 'sent'
      ? {
          state,
          since: String(progress.since),
          ...(progress.before && {
            lines: String(progress.before.lines),
            sum: progress.before.sum.toString(16),
          }),
        }
      : { state };
  return context.note(factOf(at), value);
}
