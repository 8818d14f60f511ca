import * as Flags from '@oclif/core/flags';
import type { InferredFlags } from '@oclif/core/interfaces';
import { ACTION_TYPES } from '../hub/action-types.js';
import { withTwins } from './environment-names.js';
import { list } from './values.js';

const selection = {
  category: Flags.string({
    ...list,
    summary: 'only packages in this category; repeatable',
    helpValue: 'CATEGORY',
  }),
  'platform-version': Flags.string({ summary: 'check compatibility with this platform version', helpValue: 'VERSION' }),
  'action-type': Flags.string({
    ...list,
    summary: 'only packages with an action of this type; repeatable',
    options: Object.keys(ACTION_TYPES),
    helpValue: 'TYPE',
  }),
  all: Flags.boolean({ summary: 'include packages that are not compatible' }),
  latest: Flags.boolean({ summary: 'only the highest compatible version of each package' }),
  beta: Flags.boolean({
    summary: 'only packages marked beta or preview; --no-beta: only the others (default: all)',
    allowNo: true,
  }),
  sort: Flags.option({
    summary: 'sort by this key (default: catalog order)',
    options: ['name', 'label', 'created'] as const,
    helpValue: 'KEY',
  })(),
};

const common = {
  'fail-on-no-result': Flags.boolean({ summary: 'exit with 5 when no package is found' }),
  strict: Flags.boolean({ summary: 'fail when a hub cannot be read or an entry is invalid' }),
  offline: Flags.boolean({ summary: 'use cached catalogs; send no requests' }),
  refresh: Flags.boolean({ summary: 'fetch catalogs again, even if the cached ones are fresh' }),
};

/** Flags that narrow down a list of packages. */
export const hubListFlags = {
  ...withTwins(selection, 'SELECTION'),
  ...withTwins(common, 'COMMON'),
};

/** The values of these flags. */
export type HubListFlags = InferredFlags<typeof hubListFlags>;
