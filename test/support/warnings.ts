import type { Warnings } from '../../src/core/events.js';

/** Where a service warns to: the messages go into a list. */
export const warningsTo = (messages: string[]): Warnings => ({
  warnAs: 'TEST',
  emit: (event) => {
    if (event.type === 'warning') messages.push(event.message);
  },
});
