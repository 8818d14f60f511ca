import { BaseCommand } from '../cli/base-command.js';
import { placelessFlags } from '../flags/connection.js';
import { doctorFlags } from '../flags/doctor.js';
import { hubFlags } from '../flags/select.js';
import { examine } from '../flows/doctor/doctor.js';
import { findingList } from '../output/views/doctor.js';

export default class Doctor extends BaseCommand {
  static override summary = 'Check this machine, the platform and the hubs, and suggest fixes';
  static override description =
    'Each check has its own time limit. Changes nothing without --fix. Exits with 11 if a check fails, and with 0 if there are only warnings.';
  static override examples = [
    'cdapctl doctor',
    'cdapctl doctor --context prod --bundle doctor.json',
    'cdapctl doctor --junit doctor.xml --json',
  ];
  static override failures = ['CHECK_FAILED', 'CONFIG', 'EXISTS'] as const;
  static override seeAlso = ['cdapctl whoami', 'cdapctl config list --show-origin', 'cdapctl version'];
  static override flags = { ...doctorFlags, ...hubFlags, ...placelessFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(Doctor);
    const context = await this.context(flags);
    const { bundle: file, junit } = flags;
    const bundle = file === undefined ? undefined : { file, overwrite: flags.clobber === true };
    await examine({ fix: flags.fix === true, bundle, junit }, context, this.session, (items) =>
      this.show(findingList, { items }),
    );
  }
}
