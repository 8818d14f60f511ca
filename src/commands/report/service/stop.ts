import { BaseCommand } from '../../../cli/base-command.js';
import { placelessFlags } from '../../../flags/connection.js';
import { consentFlags } from '../../../flags/consent.js';
import { stopFlags } from '../../../flags/reports/report-service.js';
import { runStop } from '../../../flows/reports/service.js';
import { reportServiceView } from '../../../output/views/report/service.js';

const LONGEST_WAIT = 60_000;

export default class ReportServiceStop extends BaseCommand {
  static override summary = 'Stop the report service of the platform';
  static override description =
    'Its reports are kept and can be read when it runs again; reports in progress fail. A stopped service collects nothing and catches up later. If a capability file lists it, the platform starts it again.';
  static override examples = ['cdapctl report service stop --dry-run', 'cdapctl report service stop -y'];
  static override failures = ['STILL_RUNNING', 'REMOTE_FAILED', 'LOCKED', 'DECLINED', 'CONSENT_MISSING'] as const;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl report service status', 'cdapctl report service enable'];
  static override flags = { ...consentFlags, ...stopFlags, ...placelessFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(ReportServiceStop);
    const context = await this.context(flags);
    const target = await context.platform();
    const dryRun = flags['dry-run'] !== undefined;
    const timeout = flags.timeout ?? LONGEST_WAIT;
    const result = await runStop({ session: this.session, context, target, dryRun, timeout });
    await this.show(reportServiceView, result);
  }
}
