import * as Flags from '@oclif/core/flags';
import { closest, didYouMean } from '../../core/closest.js';
import { CliError } from '../../core/errors.js';
import { GROUPINGS } from '../../services/dashboard/groups.js';
import { STATES } from '../../services/dashboard/item.js';
import { withTwins } from './twins.js';
import { durationFlag, list, pipelineFlag, several } from './values.js';

const TYPES = ['WORKFLOW', 'SPARK', 'MAPREDUCE', 'SERVICE', 'WORKER', 'FLOW'];

/** One of the words that a platform knows, in any case of letters. */
function wordOf(text: string, words: readonly string[], what: string): string {
  const found = words.find((word) => word.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found;
  const near = closest(text, words);
  throw new CliError('USAGE', `${JSON.stringify(text.slice(0, 40))} is no ${what}`, {
    lines: [`known: ${words.join(', ')}`],
    hints: didYouMean(near),
  });
}

const selection = {
  namespace: Flags.string({ ...list, char: 'n', summary: 'namespace; repeatable', helpValue: 'NS' }),
  'all-namespaces': Flags.boolean({ char: 'A', summary: 'all namespaces that can be seen' }),
  pipeline: pipelineFlag({ ...list, summary: 'only matching pipelines' }),
  status: Flags.string({
    ...list,
    summary: 'only runs of this status, or "scheduled" or "missed"; repeatable',
    helpValue: 'STATUS',
    parse: async (text) => wordOf(text, STATES, 'status'),
  }),
  type: Flags.string({
    ...list,
    summary: 'runs of programs of this type, also those inside a pipeline (default: runs of pipelines); repeatable',
    helpValue: 'TYPE',
    parse: async (text) => wordOf(text, TYPES, 'type of program'),
  }),
};

const window = {
  start: Flags.string({
    summary: 'begin of the window: yesterday, now-3h, ...',
    helpValue: 'TIME',
  }),
  duration: durationFlag({ summary: 'length of the window (default: until now)' }),
  last: durationFlag({ summary: 'the time before now (default, without --next: 12h)' }),
  next: durationFlag({ summary: 'the time after now (default, without --last: 12h)' }),
};

const shown = {
  'group-by': Flags.option({ summary: 'count instead of listing', options: GROUPINGS, helpValue: 'WHAT' })(),
  runs: Flags.boolean({ summary: 'only the rows, all of them', exclusive: ['timeline'] }),
  timeline: Flags.boolean({ summary: 'only the timeline, with all pipelines' }),
  html: Flags.string({ summary: 'write a page to a file, - for stdout', helpValue: 'FILE' }),
  'ui-url': Flags.string({
    summary: "address of the platform's own UI, which the runs of the page link to (default: that of the context)",
    helpValue: 'URL',
  }),
  clobber: Flags.boolean({ summary: 'overwrite the file of --html' }),
};

const watch = {
  watch: Flags.boolean({ summary: 'refresh until stopped: redrawn on a terminal, elsewhere what has changed' }),
  interval: durationFlag({ summary: 'time between refreshes (default: 30s)' }),
  'fail-if': Flags.string({
    ...several,
    summary: 'exit 11 when the condition holds, as in "failed>0"; with --watch as soon as it does; repeatable',
    helpValue: 'CONDITION',
  }),
};

/** Flags of `dashboard`: what is looked at, when, how it is shown, and whether it goes on. */
export const dashboardFlags = {
  ...withTwins(selection, 'SELECTION'),
  ...withTwins(window, 'FLAGS'),
  ...withTwins(shown, 'FLAGS'),
  ...withTwins(watch, 'WAITING'),
};
