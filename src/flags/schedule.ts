import * as Flags from '@oclif/core/flags';
import { withTwins } from './environment-names.js';
import { list, otherPipelinesFlag, pipelineFlag } from './values.js';

const match = otherPipelinesFlag({ ...list, summary: 'same as --pipeline', hidden: true });

const everywhere = {
  pipeline: pipelineFlag({ ...list, summary: 'only matching pipelines (* and ? are wildcards)' }),
  match,
  'all-namespaces': Flags.boolean({ char: 'A', summary: 'all namespaces you can see, or only that of -n' }),
  status: Flags.option({
    summary: 'only schedules with this status',
    options: ['active', 'suspended'] as const,
    helpValue: 'active|suspended',
  })(),
};

const starts = {
  count: Flags.integer({
    summary: 'number of starts to show (default: 5)',
    min: 1,
    max: 100,
    default: 5,
    helpValue: 'N',
  }),
};

const chosen = {
  pipeline: pipelineFlag({ ...list, summary: 'matching pipelines (* and ? are wildcards)' }),
  match,
  'all-namespaces': Flags.boolean({
    char: 'A',
    summary: 'all pipelines of all namespaces, or only of that of -n',
  }),
  'dry-run': Flags.option({
    summary: 'show what would change and change nothing',
    options: ['online'] as const,
    helpValue: '[=online]',
  })(),
};

const record = {
  record: Flags.string({
    summary: 'write the active schedules to a file for schedule resume --from; adds to a file with schedules to resume',
    helpValue: 'FILE',
  }),
  reason: Flags.string({ summary: 'reason, stored in the --record file', helpValue: 'TEXT', dependsOn: ['record'] }),
  clobber: Flags.boolean({
    summary: 'overwrite a --record file that has no schedules to resume',
    dependsOn: ['record'],
  }),
};

const window = {
  from: Flags.string({
    summary: 'resume exactly the schedules in a file of schedule suspend --record',
    helpValue: 'FILE',
  }),
};

/** Flags of a list of schedules. */
export const scheduleListFlags = withTwins(everywhere, 'SELECTION');

/** Flags of the next starts. */
export const nextStartFlags = withTwins(starts, 'FLAGS');

/** Flags of `schedule suspend`. */
export const suspendFlags = { ...withTwins(chosen, 'SELECTION'), ...withTwins(record, 'FILES') };

/** Flags of `schedule resume`. */
export const resumeFlags = { ...withTwins({ ...chosen }, 'SELECTION'), ...withTwins(window, 'FILES') };

/** The patterns of a line, also those of `--match`, as `--pipeline` was called. */
export function patternsOf(flags: {
  readonly pipeline?: readonly string[] | undefined;
  readonly match?: readonly string[] | undefined;
}): readonly string[] {
  return [...(flags.pipeline ?? []), ...(flags.match ?? [])];
}

/** Errors that commands which switch schedules are known for. */
export const SWITCH_FAILURES = [
  'NOT_FOUND',
  'LOCKED',
  'PARTIAL',
  'REMOTE_FAILED',
  'CONSENT_MISSING',
  'DECLINED',
  'UNKNOWN_OUTCOME',
] as const;
