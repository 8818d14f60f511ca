import * as Flags from '@oclif/core/flags';
import { withTwins } from './environment-names.js';

const hub = {
  hub: Flags.string({ summary: 'hub that the package came from, by name or URL', helpValue: 'NAME' }),
};

const shown = {
  verify: Flags.boolean({ summary: 'check on the platform whether everything is still as installed' }),
};

const removal = {
  // Not a boolean: CDAPCTL_DRY_RUN=online, which holds for an install, must not be read as "no".
  'dry-run': Flags.option({
    summary: 'show the plan and change nothing',
    options: ['online'] as const,
    helpValue: '[=online]',
  })(),
  'detailed-exitcode': Flags.boolean({ summary: 'with --dry-run: exit with 14 when something would change' }),
};

/** Flags of commands that show what is installed. */
export const installedFlags = withTwins(shown, 'SELECTION');

/** Flags of `installed uninstall`. */
export const uninstallFlags = withTwins(removal, 'SELECTION');

/** Tells installs of one name apart. */
export const originFlags = withTwins(hub, 'SELECTION');
