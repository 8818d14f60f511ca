import * as Flags from '@oclif/core/flags';
import { withTwins } from './twins.js';
import { list, several } from './values.js';

const input = {
  values: Flags.string({ char: 'f', summary: 'file with values, YAML or JSON, - for stdin', helpValue: 'FILE' }),
  set: Flags.string({ ...several, summary: 'value of an argument; repeatable', helpValue: 'N.ARG=VALUE' }),
  'set-file': Flags.string({
    ...several,
    summary: 'value of an argument, read from a file',
    helpValue: 'N.ARG=FILE',
  }),
  jar: Flags.string({
    ...several,
    summary: 'JAR for an action, relative to the current folder; repeatable',
    helpValue: 'N=PATH',
  }),
  'accept-license': Flags.boolean({ summary: 'accept the license of the package' }),
};

const selection = {
  'dry-run': Flags.option({
    summary: 'show the plan and change nothing; alone it reads the platform, --dry-run=offline does not contact it',
    options: ['online', 'offline'] as const,
    helpValue: '[=online|offline]',
  })(),
  'plan-out': Flags.string({ summary: 'write the plan to a new file and change nothing', helpValue: 'FILE' }),
  plan: Flags.string({
    summary: 'do what this plan of --plan-out has, with its values, or nothing',
    helpValue: 'FILE',
    exclusive: ['plan-out'],
  }),
  skip: Flags.string({ ...list, summary: 'leave an action out; repeatable', helpValue: 'N' }),
  only: Flags.string({ ...list, summary: 'run this action only; repeatable', helpValue: 'N' }),
  'stop-before': Flags.string({ summary: 'run the actions before this one', helpValue: 'N' }),
  again: Flags.boolean({ summary: 'ignore what the journal has of earlier runs' }),
};

const permission = {
  force: Flags.boolean({ summary: 'install on another platform version, overwrite what is in the way' }),
  'force-set': Flags.boolean({ summary: 'let --set change arguments that the package fixes' }),
  'assume-system': Flags.boolean({ summary: 'read parents without a scope as system:' }),
  'skip-unknown': Flags.boolean({ summary: 'leave out actions that this tool cannot carry out' }),
  'detailed-exitcode': Flags.boolean({ summary: 'with --dry-run or --plan-out: 14 when something would change' }),
};

/** Flags of `install`: what the person gives, what runs, what is allowed. */
export const installFlags = {
  ...withTwins(input, 'INPUT'),
  ...withTwins(selection, 'SELECTION'),
  ...withTwins(permission, 'PERMISSION'),
};
