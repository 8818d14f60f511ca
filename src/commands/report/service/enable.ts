import { BaseCommand } from '../../../cli/base-command.js';
import { placelessFlags } from '../../../flags/connection.js';
import { consentFlags } from '../../../flags/consent.js';
import { enableFlags } from '../../../flags/reports/report-service.js';
import { runEnable } from '../../../flows/reports/service.js';
import { reportServiceView } from '../../../output/views/report/service.js';

const LONGEST_WAIT = 300_000;

export default class ReportServiceEnable extends BaseCommand {
  static override summary = 'Deploy and start the report service of the platform';
  static override description =
    'Deploys the application from the artifact that ships with the platform, starts its program and waits until it responds; completed steps are skipped. Platform 6.3 and later stop the service within seconds unless a capability file on the server lists it: the service is watched for 20 seconds, and the required file is printed, or written with --capability-file.';
  static override examples = [
    'cdapctl report service enable --dry-run',
    'cdapctl report service enable -y',
    'cdapctl report service enable --dry-run --capability-file reports.json',
  ];
  static override failures = [
    'REPORTS_OFF',
    'REPORTS_STOPPED',
    'REMOTE_FAILED',
    'STILL_RUNNING',
    'LOCKED',
    'EXISTS',
    'DECLINED',
    'CONSENT_MISSING',
    'UNKNOWN_OUTCOME',
  ] as const;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl report service status', 'cdapctl report run'];
  static override flags = { ...consentFlags, ...enableFlags, ...placelessFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(ReportServiceEnable);
    const context = await this.context(flags);
    const target = await context.platform();
    const result = await runEnable({
      session: this.session,
      context,
      target,
      dryRun: flags['dry-run'] !== undefined,
      wait: flags.wait,
      timeout: flags.timeout ?? LONGEST_WAIT,
      capabilityFile: flags['capability-file'],
    });
    await this.show(reportServiceView, result);
  }
}
