import type { Warnings } from '../../src/core/events.js';
import { withHint } from '../../src/output/progress.js';

/** Where a service warns to: the messages go into a list, as they are shown. */
export const warningsTo = (messages: string[]): Warnings => ({
  warnAs: 'TEST',
  emit: (fact) => {
    const event = withHint(fact);
    if (event.type === 'warning') messages.push(event.message);
  },
});
