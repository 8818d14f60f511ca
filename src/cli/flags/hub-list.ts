import * as Flags from '@oclif/core/flags';
import type { InferredFlags } from '@oclif/core/interfaces';
import { ACTION_TYPES } from '../../hub/action-types.js';
import { withTwins } from './twins.js';
import { list } from './values.js';

const selection = {
  category: Flags.string({
    ...list,
    summary: 'only packages of this category; repeatable',
    helpValue: 'CATEGORY',
  }),
  'platform-version': Flags.string({ summary: 'judge by this version of the platform', helpValue: 'VERSION' }),
  'action-type': Flags.string({
    ...list,
    summary: 'only packages with an action of this type; repeatable',
    options: Object.keys(ACTION_TYPES),
    helpValue: 'TYPE',
  }),
  all: Flags.boolean({ summary: 'packages that are not for the platform, too' }),
  latest: Flags.boolean({ summary: 'only the highest compatible version of each package' }),
  beta: Flags.boolean({
    summary: 'list only beta and preview packages (default: all packages); --no-beta leaves them out',
    allowNo: true,
  }),
  sort: Flags.option({
    summary: 'order (default: as in the catalog)',
    options: ['name', 'label', 'created'] as const,
    helpValue: 'KEY',
  })(),
};

const common = {
  'fail-on-no-result': Flags.boolean({ summary: 'end with 5 when nothing is found' }),
  strict: Flags.boolean({ summary: 'a hub that fails or a broken entry is an error' }),
  offline: Flags.boolean({ summary: 'use the stored catalogs; no platform, no hub is contacted' }),
  refresh: Flags.boolean({ summary: 'fetch catalogs again even if the stored ones still hold' }),
};

/** Flags that narrow down a list of packages. */
export const hubListFlags = {
  ...withTwins(selection, 'SELECTION'),
  ...withTwins(common, 'COMMON'),
};

/** The values of these flags. */
export type HubListFlags = InferredFlags<typeof hubListFlags>;
