import * as Flags from '@oclif/core/flags';
import { withTwins } from './twins.js';
import { list, otherPipelinesFlag, pipelineFlag } from './values.js';

const selection = {
  'all-namespaces': Flags.boolean({ char: 'A', summary: 'all namespaces, whatever a context says' }),
  pipeline: pipelineFlag({ ...list, summary: 'only these pipelines; a name without NS/ needs --namespace or -A' }),
  match: Flags.string({
    ...list,
    summary: 'only pipelines that match the pattern, in any namespace of the run',
    helpValue: 'GLOB',
    hidden: true,
  }),
  exclude: otherPipelinesFlag({ ...list, summary: 'not these pipelines, as with -p: * and ? as in file names' }),
  kind: Flags.option({
    summary: 'only pipelines of this kind',
    options: ['batch', 'realtime'] as const,
    helpValue: 'batch|realtime',
  })(),
  to: Flags.string({
    summary: 'target version of the pipeline artifacts (default: the newest)',
    helpValue: 'VERSION',
  }),
  plugin: Flags.string({
    ...list,
    summary: 'change the versions of this plugin artifact only; repeatable',
    helpValue: 'NAME[@VERSION]',
  }),
  snapshots: Flags.boolean({ summary: 'upgrade to snapshot versions, too' }),
  'include-current': Flags.boolean({ summary: 'also pipelines on the newest artifact whose plugins are not' }),
  running: Flags.option({
    summary: 'what to do about a pipeline that runs, when planned and right before its write (default: warn)',
    options: ['warn', 'skip', 'fail'] as const,
    helpValue: 'warn|skip|fail',
  })(),
};

const plan = {
  check: Flags.boolean({ summary: 'judge every pipeline and change nothing; 11 when one is blocked' }),
  'dry-run': Flags.option({
    summary: 'read the platform, show the plan and change nothing',
    options: ['online'] as const,
    helpValue: '[=online]',
  })(),
  dir: Flags.string({
    char: 'D',
    summary: 'with --dry-run: write what would be sent to this folder',
    helpValue: 'DIR',
  }),
  diff: Flags.boolean({ summary: 'show every version that would change, and change nothing' }),
  'plan-out': Flags.string({ summary: 'write the plan to a new file and change nothing', helpValue: 'FILE' }),
  plan: Flags.string({
    summary: 'do what this plan of --plan-out has, or nothing',
    helpValue: 'FILE',
    exclusive: ['plan-out'],
  }),
};

const work = {
  'error-dir': Flags.string({
    char: 'e',
    summary: 'folder for the configurations of pipelines that could not be upgraded',
    helpValue: 'DIR',
  }),
  engine: Flags.option({
    summary: 'who changes the configuration; the server drops members that it does not know (default: client)',
    options: ['client', 'server'] as const,
    helpValue: 'client|server',
  })(),
  concurrency: Flags.integer({ summary: 'pipelines in parallel (default: 8)', min: 1, max: 64, helpValue: 'N' }),
  'max-failures': Flags.string({ summary: 'start no more pipelines after more failures than this', helpValue: 'N|P%' }),
  force: Flags.boolean({ summary: 'send also what the pre-check has blocked, where a version changes' }),
  junit: Flags.string({ summary: 'write a JUnit report', helpValue: 'FILE' }),
  'ignore-failures': Flags.boolean({
    summary: 'end with 0 although pipelines failed or are blocked; with 10 where some were not tried',
  }),
  'detailed-exitcode': Flags.boolean({
    summary: 'with --dry-run, --diff or --plan-out: 14 when something would change',
  }),
};

const journal = {
  resume: Flags.boolean({ summary: 'resume a run that stopped', exclusive: ['only-failed'] }),
  'only-failed': Flags.boolean({ summary: 'retry what failed in a run' }),
  journal: Flags.string({
    summary: 'journal of that run, by its path or its name in upgrade history (default: the newest of the platform)',
    helpValue: 'JOURNAL',
  }),
};

/** Flags of `upgrade`: which pipelines, what is only looked at, how it works, which run goes on. */
export const upgradeFlags = {
  ...withTwins(selection, 'SELECTION'),
  ...withTwins(plan, 'PLAN'),
  ...withTwins(work, 'WORK'),
  ...withTwins(journal, 'JOURNAL'),
};

const { concurrency, 'max-failures': maxFailures, 'error-dir': errorDir, junit, 'ignore-failures': ignore } = work;
const back = {
  pipeline: pipelineFlag({ ...list, summary: 'only these pipelines' }),
  'dry-run': plan['dry-run'],
  diff: plan.diff,
};

/** Flags of `upgrade rollback`. */
export const rollbackFlags = {
  ...withTwins(back, 'SELECTION'),
  ...withTwins(
    { concurrency, 'max-failures': maxFailures, 'error-dir': errorDir, junit, 'ignore-failures': ignore },
    'WORK',
  ),
};
