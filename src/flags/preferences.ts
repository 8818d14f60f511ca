import * as Flags from '@oclif/core/flags';
import { withTwins } from './environment-names.js';
import { list, several } from './values.js';

/** The values of `--level`, the widest first. */
export const LEVELS = ['instance', 'namespace', 'app', 'program'] as const;

const level = {
  level: Flags.option({
    summary: 'level of the preferences (default: app with a pipeline, else namespace)',
    options: LEVELS,
    helpValue: 'LEVEL',
  })(),
};

const shown = {
  'show-secrets': Flags.boolean({ summary: 'show values that look secret' }),
};

const levels = {
  resolved: Flags.boolean({ summary: 'include values of higher levels' }),
};

const input = {
  set: Flags.string({ ...several, summary: 'set a key to a value; repeatable', helpValue: 'KEY=VALUE' }),
  'set-file': Flags.string({
    ...several,
    summary: 'set a key to the content of a file, - for stdin; repeatable',
    helpValue: 'KEY=FILE',
  }),
  values: Flags.string({
    char: 'f',
    summary: 'file with keys and values, YAML or JSON, - for stdin',
    helpValue: 'FILE',
  }),
  replace: Flags.boolean({ summary: 'also remove all other keys' }),
};

const check = {
  set: input.set,
  'set-file': input['set-file'],
  values: input.values,
  ignore: Flags.string({
    ...list,
    summary: 'macro that is set while the pipeline runs; repeatable',
    helpValue: 'MACRO',
  }),
};

const keys = {
  key: Flags.string({ ...several, char: 'k', summary: 'key to remove; repeatable', helpValue: 'KEY', required: true }),
};

const preview = {
  'dry-run': Flags.option({
    summary: 'show what would change and change nothing',
    options: ['online'] as const,
    helpValue: '[=online]',
  })(),
};

/** Chooses the level of preferences. */
export const levelFlags = withTwins(level, 'SELECTION');

/** Shows or hides secrets; the one definition for all commands. */
export const secretFlags = withTwins(shown, 'OUTPUT');

/** Flags of an explanation of arguments. */
export const explainFlags = {
  ...withTwins(
    {
      run: Flags.string({
        summary: 'include arguments and workflow token of a run: ID, its first 8 or more characters, or latest',
        helpValue: 'RUN',
      }),
    },
    'SELECTION',
  ),
  ...secretFlags,
};

/** Flags of lists of values. */
export const valueListFlags = { ...withTwins(levels, 'SELECTION'), ...secretFlags };

/** Flags of commands that set values. */
export const setFlags = { ...withTwins(input, 'INPUT'), ...withTwins(preview, 'SELECTION'), ...secretFlags };

/** Flags of a check of arguments: those of the run that is thought of. */
export const checkFlags = withTwins(check, 'INPUT');

/** Flags of commands that remove values by their keys. */
export const unsetFlags = { ...withTwins(keys, 'INPUT'), ...withTwins(preview, 'SELECTION'), ...secretFlags };

/** Flags of commands that remove all values. */
export const clearFlags = { ...withTwins(preview, 'SELECTION'), ...secretFlags };

/** Errors that commands which change values are known for. */
export const CHANGE_FAILURES = [
  'NOT_FOUND',
  'CHANGED_MEANWHILE',
  'CONSENT_MISSING',
  'DECLINED',
  'UNKNOWN_OUTCOME',
] as const;
