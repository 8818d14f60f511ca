import * as Flags from '@oclif/core/flags';
import { withTwins } from './twins.js';

const hub = {
  hub: Flags.string({ summary: 'name or address of the hub that the package came from', helpValue: 'NAME' }),
};

const shown = {
  verify: Flags.boolean({ summary: 'read from the platform whether everything is still as it was installed' }),
};

const removal = {
  // Not a boolean: CDAPCTL_DRY_RUN=online, which holds for an install, must not be read as "no".
  'dry-run': Flags.option({
    summary: 'read the platform, show the plan and change nothing',
    options: ['online'] as const,
    helpValue: '[=online]',
  })(),
  'detailed-exitcode': Flags.boolean({ summary: 'with --dry-run: 14 when something would change' }),
};

/** Flags of commands that show what is installed. */
export const installedFlags = withTwins(shown, 'SELECTION');

/** Flags of `installed uninstall`. */
export const uninstallFlags = withTwins(removal, 'SELECTION');

/** Tells installs of one name apart. */
export const originFlags = withTwins(hub, 'SELECTION');
