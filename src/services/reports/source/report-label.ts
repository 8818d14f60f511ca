import type { ReportRef } from './source.js';

/** How a report is called in messages. */
export function reportWords(ref: ReportRef): string {
  return 'id' in ref ? `the report ${ref.id}` : 'the shared report';
}

/** How a report is named on a command line. */
export function commandWord(ref: ReportRef): string {
  return 'id' in ref ? ref.id : `share:${ref.shareId}`;
}
