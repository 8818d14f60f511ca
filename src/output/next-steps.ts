import type { Hint, NextSteps } from '../core/next-step.js';
import { shellWord } from '../core/shell-word.js';

const setFlag = (n: number, name: string, value = 'VALUE'): string => `--set ${n}.${name}=${value}`;

/** The words of each step; the commands and flags in them are held against the program by a test. */
const WORDS: { readonly [K in keyof NextSteps]: (facts: NextSteps[K]) => string } = {
  'list-hubs': () => 'cdapctl hub sources',
  'search-package': ({ package: name }) => `cdapctl hub search ${shellWord(name)}`,
  'name-hub-folder': ({ folder }) => `or the package: --hub ${folder} NAME`,
  'download-signatures': () =>
    'download the package again with its signatures: cdapctl hub download NAME@VERSION --clobber',
  'keep-files': () => '--skip-existing keeps the files that are there',
  'replace-files': () => '--clobber replaces them',
  'list-installed': () => 'cdapctl installed list',
  'list-keys': ({ whole }) => `cdapctl hub key list${whole === true ? ' -o wide' : ''}`,
  'choose-key': () => '--fingerprint FPR',

  'values-file': () => 'see `cdapctl install --help` for its shape',
  'use-namespace': ({ namespace }) => `add -n ${namespace}`,
  'set-argument': ({ n, name, what, fixed }) =>
    what === 'one'
      ? `give one: ${setFlag(n, name, name.toUpperCase())}`
      : `give another one: ${setFlag(n, name)}${fixed === true ? ' --force-set' : ''}`,
  'meant-argument': ({ n, name }) => `Did you mean ${setFlag(n, name)}?`,
  'force-argument': () => 'add --force-set to change it all the same',
  'rename-thing': ({ n, mayForce }) =>
    `choose another name with --set ${n}.name=NAME${mayForce === true ? ', or add --force to overwrite it' : ''}`,
  'give-archive': ({ n }) =>
    `${n === undefined ? 'give the file such a name' : `download the package, and add --jar ${n}=PATH with a file of such a name`}, shop-1.0.0.jar say: its artifact gets name and version from there`,
  'skip-unknown': () => 'add --skip-unknown to install the rest of the package without them',
  'skip-stream': ({ n }) => `streams ended with version 5 of the platform; --skip ${n} leaves the action out`,
  'system-parent': ({ namespace }) =>
    `a parent without a scope is looked for in namespace "${namespace}"; add --assume-system to read it as system:`,
  'force-install': () => 'add --force to install it all the same',
  'force-in-vain': ({ n }) => `--force does not help: action ${n} needs a stream, and this platform has none`,
  'force-overwrite': ({ what }) =>
    what === 'it'
      ? 'add --force to overwrite it'
      : 'add --force to overwrite its properties (the JAR of a release cannot be replaced)',
  'do-again': ({ how }) => `add --again to ${how} it once more`,
  'load-again': ({ n }) => `to load all files of action ${n} again, empty the stream and add --again`,
  'write-plan': () => 'write one with --plan-out FILE',
  'look-at-plan': ({ of }) =>
    `${of === 'install' ? 'repeat the flags that the plan was made with, or look' : 'look'} at a new plan: --plan-out FILE`,
  'plan-namespaces': ({ namespace }) =>
    namespace === undefined ? 'give -A' : `give -n ${namespace}, as the plan was made`,

  'list-upgrades': () => 'cdapctl upgrade history',

  'list-metrics': ({ pipeline }) =>
    pipeline === undefined
      ? 'user.STAGE.records.error, or one of cdapctl metrics list PIPELINE'
      : `cdapctl metrics list ${shellWord(pipeline)}`,
  'list-metric-tags': ({ namespace, pipeline }) =>
    `cdapctl metrics tags ${shellWord(`namespace=${namespace}`)} ${shellWord(`app=${pipeline}`)}`,
  'take-latest-run': () => '--run latest',
  'list-runs': ({ pipeline }) => `cdapctl dashboard -p ${shellWord(pipeline)} --last 7d --runs`,
  'tag-run': () => 'name the program and the run by tags: --tag service=NAME --tag run=ID',

  'list-reports': ({ by }) =>
    by === 'name'
      ? 'look for it by its name: cdapctl report list'
      : `cdapctl report list${by === 'running' ? ' --status RUNNING' : ''}`,
  'show-report': ({ report }) => `cdapctl report show ${report}`,
  'wait-for-report': ({ report }) => `cdapctl report wait ${report}`,
  'wait-here': () => 'add --wait',
  'download-report': ({ report, to }) =>
    `cdapctl report download ${report} -O report.csv${to === undefined ? '' : `    (${to})`}`,
  'make-report-again': ({ report, download }) =>
    `${download === true ? 'make the report again and download that one: ' : ''}cdapctl report generate --like ${report} --wait`,
  'delete-stuck-report': ({ report }) => `cdapctl report delete ${report} --force`,
  'make-from-runs': ({ like }) =>
    like === undefined
      ? 'without the service, from the records of runs: cdapctl report run --last 24h --engine runs'
      : `from the records of runs: cdapctl report run --like ${like} --engine runs`,
  'make-by-platform': ({ what }) =>
    `reports of the platform (--engine platform) also have the runs of ${what} that were deleted`,
  'leave-engine-open': () => 'the same without --engine platform, or a report for each namespace',
  'report-service': ({ after }) =>
    `${after === undefined ? '' : `wait ${after}, then look: `}cdapctl report service status`,
  'enable-report-service': ({ longer }) =>
    `cdapctl report service enable${longer === true ? ' --timeout 15m    (waits longer)' : ''}`,
  'write-capability-file': () => '--capability-file FILE writes the file',
};

const wordsOf = <K extends keyof NextSteps>(step: { readonly next: K } & NextSteps[K]): string =>
  WORDS[step.next](step);

/** A hint in words. */
export const hintText = (hint: Hint): string => (typeof hint === 'string' ? hint : wordsOf(hint));
