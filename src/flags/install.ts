import * as Flags from '@oclif/core/flags';
import { withTwins } from './environment-names.js';
import { list, several } from './values.js';

const input = {
  values: Flags.string({ char: 'f', summary: 'file with values, YAML or JSON, - for stdin', helpValue: 'FILE' }),
  set: Flags.string({ ...several, summary: 'set an argument; repeatable', helpValue: 'N.ARG=VALUE' }),
  'set-file': Flags.string({
    ...several,
    summary: 'set an argument to the content of a file',
    helpValue: 'N.ARG=FILE',
  }),
  jar: Flags.string({
    ...several,
    summary: 'JAR file for an action; repeatable',
    helpValue: 'N=PATH',
  }),
  locked: Flags.boolean({ summary: 'install only what packages.lock of this folder pins: version and files' }),
  'accept-license': Flags.boolean({ summary: 'accept the license of the package' }),
};

const selection = {
  'dry-run': Flags.option({
    summary: 'show the plan and change nothing; --dry-run=offline does not contact the platform',
    options: ['online', 'offline'] as const,
    helpValue: '[=online|offline]',
  })(),
  'plan-out': Flags.string({ summary: 'write the plan to a new file and change nothing', helpValue: 'FILE' }),
  plan: Flags.string({
    summary: 'apply this plan, written by --plan-out; fail if it no longer applies',
    helpValue: 'FILE',
    exclusive: ['plan-out'],
  }),
  skip: Flags.string({ ...list, summary: 'skip this action; repeatable', helpValue: 'N' }),
  only: Flags.string({ ...list, summary: 'run this action only; repeatable', helpValue: 'N' }),
  'stop-before': Flags.string({ summary: 'stop before this action', helpValue: 'N' }),
  again: Flags.boolean({ summary: 'ignore the journal of earlier runs' }),
};

const permission = {
  force: Flags.boolean({ summary: 'install on an incompatible platform version; overwrite conflicting objects' }),
  'force-set': Flags.boolean({ summary: 'allow --set to change arguments that the package fixes' }),
  'assume-system': Flags.boolean({ summary: 'read parents without a scope as system:' }),
  'skip-unknown': Flags.boolean({ summary: 'skip actions that cdapctl does not support' }),
  'detailed-exitcode': Flags.boolean({
    summary: 'with --dry-run or --plan-out: exit with 14 when something would change',
  }),
};

/** Flags of `install`: what the person gives, what runs, what is allowed. */
export const installFlags = {
  ...withTwins(input, 'INPUT'),
  ...withTwins(selection, 'SELECTION'),
  ...withTwins(permission, 'PERMISSION'),
};
