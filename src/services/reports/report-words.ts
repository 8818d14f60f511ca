import type { ReportRef } from './source.js';

/** What works where the platform makes no reports, as a hint. */
export const FROM_RUNS = 'without the service, from the records of runs: cdapctl report run --last 24h --engine runs';

/** How a report is called in messages. */
export function reportWords(ref: ReportRef): string {
  return 'id' in ref ? `the report ${ref.id}` : 'the shared report';
}

/** How a report is named on a command line. */
export function commandWord(ref: ReportRef): string {
  return 'id' in ref ? ref.id : `share:${ref.shareId}`;
}
