import * as Flags from '@oclif/core/flags';
import { connectionFlags } from './connection.js';
import { withTwins } from './environment-names.js';
import { secretFlags } from './preferences.js';
import { list, pipelineFlag, wordOf } from './values.js';

const { namespace: one } = connectionFlags;

/** Statuses of runs (docs/platform.md 8). */
export const RUN_STATUSES: readonly string[] =
  'PENDING STARTING RUNNING SUSPENDED RESUMING STOPPING COMPLETED FAILED KILLED REJECTED'.split(' ');
/** What the statuses of pipelines and their newest runs may be. */
export const PIPELINE_STATUSES: readonly string[] = ['STOPPED', ...RUN_STATUSES];

const status = Flags.string({
  ...list,
  summary: 'only runs with this status: FAILED, KILLED, ...; repeatable',
  helpValue: 'STATUS',
  parse: async (text) => wordOf(text, RUN_STATUSES, 'status'),
});

const listing = {
  namespace: Flags.string({
    ...list,
    char: 'n',
    summary: 'namespace; repeatable',
    helpValue: one.helpValue ?? 'NS',
  }),
  'all-namespaces': Flags.boolean({ char: 'A', summary: 'all namespaces you can see' }),
  pipeline: pipelineFlag({ ...list, summary: 'only matching pipelines (* and ? are wildcards)' }),
  kind: Flags.option({
    summary: 'only pipelines of this kind',
    options: ['batch', 'realtime'] as const,
    helpValue: 'batch|realtime',
  })(),
  status: Flags.string({
    ...list,
    summary: 'only pipelines with this status, or whose last run has it: RUNNING, FAILED, ...; repeatable',
    helpValue: 'STATUS',
    parse: async (text) => wordOf(text, PIPELINE_STATUSES, 'status'),
  }),
  'artifact-version': Flags.string({
    summary: 'only pipelines on this version of their artifact',
    helpValue: 'VERSION',
  }),
};

const runs = {
  status,
  start: Flags.string({ summary: 'only runs requested from this time on: yesterday, now-24h, ...', helpValue: 'TIME' }),
  end: Flags.string({ summary: 'only runs requested before this time', helpValue: 'TIME' }),
  limit: Flags.integer({ summary: 'maximum number of runs (default: 20)', min: 1, helpValue: 'N' }),
  'all-pages': Flags.boolean({ summary: 'all runs', exclusive: ['limit'] }),
};

const expectation = {
  expect: Flags.string({
    summary: 'exit with 11 unless all have this status: RUNNING, STARTING or STOPPED',
    options: ['RUNNING', 'STARTING', 'STOPPED'],
    helpValue: 'STATUS',
  }),
};

const shown = {
  config: Flags.boolean({ summary: 'print only the stored configuration' }),
};

/** Flags of `pipeline list`. */
export const pipelineListFlags = withTwins(listing, 'SELECTION');

/** Flags of `pipeline runs`. */
export const pipelineRunsFlags = { ...withTwins(runs, 'SELECTION'), ...secretFlags };

/** Flags of `pipeline status`. */
export const pipelineStatusFlags = withTwins(expectation, 'GATE');

/** Flags of `pipeline why`. */
export const pipelineWhyFlags = secretFlags;

/** Flags of `pipeline show`. */
export const pipelineShowFlags = { ...withTwins(shown, 'OUTPUT'), ...secretFlags };
