import * as Flags from '@oclif/core/flags';
import { GROUPINGS } from '../services/dashboard/groups.js';
import { STATES } from '../services/dashboard/item.js';
import { withTwins } from './environment-names.js';
import { durationFlag, list, pipelineFlag, several, wordOf } from './values.js';

const TYPES = ['WORKFLOW', 'SPARK', 'MAPREDUCE', 'SERVICE', 'WORKER', 'FLOW'];

const selection = {
  namespace: Flags.string({ ...list, char: 'n', summary: 'namespace; repeatable', helpValue: 'NS' }),
  'all-namespaces': Flags.boolean({ char: 'A', summary: 'all namespaces you can see' }),
  pipeline: pipelineFlag({ ...list, summary: 'only matching pipelines' }),
  status: Flags.string({
    ...list,
    summary: 'only runs with this status, including "scheduled" and "missed"; repeatable',
    helpValue: 'STATUS',
    parse: async (text) => wordOf(text, STATES, 'status'),
  }),
  type: Flags.string({
    ...list,
    summary: 'only programs of this type, including programs inside a pipeline (default: pipelines); repeatable',
    helpValue: 'TYPE',
    parse: async (text) => wordOf(text, TYPES, 'program type'),
  }),
};

const window = {
  start: Flags.string({
    summary: 'start of the time window: yesterday, now-3h, ...',
    helpValue: 'TIME',
  }),
  duration: durationFlag({ summary: 'length of the time window (default: until now)' }),
  last: durationFlag({ summary: 'time before now to show, for example 6h' }),
  next: durationFlag({ summary: 'time after now to show, for example 2h' }),
};

const shown = {
  'group-by': Flags.option({
    summary: 'show counts instead of a list',
    options: GROUPINGS,
    helpValue: 'WHAT',
  })(),
  runs: Flags.boolean({ summary: 'only the list of runs, in full', exclusive: ['timeline'] }),
  timeline: Flags.boolean({ summary: 'only the timeline, for all pipelines' }),
  html: Flags.string({ summary: 'write an HTML page to a file, - for stdout', helpValue: 'FILE' }),
  'ui-url': Flags.string({
    summary: "URL of the platform's web UI, for links in the page (default: from the context)",
    helpValue: 'URL',
  }),
  clobber: Flags.boolean({ summary: 'overwrite an existing --html file' }),
};

const watch = {
  watch: Flags.boolean({ summary: 'refresh until stopped (prints changes if not a terminal)' }),
  interval: durationFlag({ summary: 'time between refreshes (default: 30s)' }),
  'fail-if': Flags.string({
    ...several,
    summary:
      'exit with 11 when the condition is met, for example "failed>0"; with --watch as soon as it is met; repeatable',
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
