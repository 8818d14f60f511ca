import type { InferredFlags } from '@oclif/core/interfaces';
import * as Flags from '@oclif/core/flags';
import { withTwins } from './environment-names.js';
import { list, otherPipelinesFlag, pipelineFlag } from './values.js';

const selection = {
  'all-namespaces': Flags.boolean({ char: 'A', summary: 'all namespaces, even if the context sets one' }),
  pipeline: pipelineFlag({ ...list, summary: 'only matching pipelines; without NS/ it needs --namespace or -A' }),
  match: Flags.string({
    ...list,
    summary: 'only pipelines that match the pattern, in any namespace of the run',
    helpValue: 'GLOB',
    hidden: true,
  }),
  exclude: otherPipelinesFlag({ ...list, summary: 'skip matching pipelines (* and ? are wildcards)' }),
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
  snapshots: Flags.boolean({ summary: 'also upgrade to snapshot versions' }),
  'include-current': Flags.boolean({
    summary: 'include pipelines whose artifact is current but whose plugins are not',
  }),
  running: Flags.option({
    summary:
      'what to do with running pipelines, checked for the plan and before each write: upgrade with a note, skip, or count as failed (default: warn)',
    options: ['warn', 'skip', 'fail'] as const,
    helpValue: 'warn|skip|fail',
  })(),
};

const plan = {
  check: Flags.boolean({ summary: 'check every pipeline and change nothing; exit with 11 when one is blocked' }),
  'dry-run': Flags.option({
    summary: 'show the plan and change nothing',
    options: ['online'] as const,
    helpValue: '[=online]',
  })(),
  dir: Flags.string({
    char: 'D',
    summary: 'with --dry-run: write the requests to this folder',
    helpValue: 'DIR',
  }),
  diff: Flags.boolean({ summary: 'show each version change and change nothing' }),
  'plan-out': Flags.string({ summary: 'write the plan to a new file and change nothing', helpValue: 'FILE' }),
  plan: Flags.string({
    summary: 'apply this plan, written by --plan-out; fail if it no longer applies',
    helpValue: 'FILE',
    exclusive: ['plan-out'],
  }),
};

const work = {
  'error-dir': Flags.string({
    char: 'e',
    summary: 'write the configurations of failed pipelines to this folder',
    helpValue: 'DIR',
  }),
  engine: Flags.option({
    summary: 'who changes the configuration (default: client); the server drops unknown members',
    options: ['client', 'server'] as const,
    helpValue: 'client|server',
  })(),
  concurrency: Flags.integer({ summary: 'pipelines in parallel (default: 8)', min: 1, max: 64, helpValue: 'N' }),
  'max-failures': Flags.string({ summary: 'stop after more failures than this', helpValue: 'N|P%' }),
  force: Flags.boolean({ summary: 'also upgrade pipelines that the pre-check blocked, where a version changes' }),
  junit: Flags.string({ summary: 'write a JUnit report', helpValue: 'FILE' }),
  'ignore-failures': Flags.boolean({
    summary: 'exit with 0 even if pipelines failed or are blocked (10 if some were not tried)',
  }),
  'detailed-exitcode': Flags.boolean({
    summary: 'with --dry-run, --diff or --plan-out: exit with 14 when something would change',
  }),
};

const journal = {
  resume: Flags.boolean({
    summary: 'resume a run that stopped; start one if the selected pipelines have no journal',
    exclusive: ['only-failed'],
  }),
  'only-failed': Flags.boolean({ summary: 'retry the failed pipelines of a run' }),
  journal: Flags.string({
    summary: 'journal of that run, by path or name in upgrade history (default: the newest of the platform)',
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

/** The flags of `upgrade` as they are read. */
export type UpgradeFlags = InferredFlags<typeof upgradeFlags>;
