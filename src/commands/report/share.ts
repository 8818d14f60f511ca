import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { consentFlags } from '../../flags/consent.js';
import { reportConnectionFlags } from '../../flags/reports/report.js';
import { commandLine } from '../../cli/line/command-line.js';
import { findReport, openReports, ownId } from '../../flows/reports/sources.js';
import { reportShare } from '../../output/views/report/results.js';
import { refuseLocal } from '../../services/reports/runs/local-source.js';
import { shareIdOf } from '../../services/reports/platform/share.js';

export default class ReportShare extends BaseCommand {
  static override summary = 'Share a report: get an ID that lets everyone on the platform read it';
  static override description =
    'Prints the share ID on stdout and the command for the recipient on stderr. Anyone with the ID can read the report until it expires; sharing cannot be revoked.';
  static override examples = ['cdapctl report share latest -y', 'cdapctl report share latest -y --json'];
  static override failures = ['NOT_FOUND', 'CONFLICT', 'REPORTS_OFF', 'CONSENT_MISSING', 'DECLINED'] as const;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl report show', 'cdapctl report download'];
  static override args = {
    report: Args.string({ required: true, description: 'report ID, its first 8 or more characters, or latest' }),
  };
  static override flags = { ...consentFlags, ...reportConnectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ReportShare);
    const context = await this.context(flags);
    const reports = await openReports(context, this.session);
    const id = ownId(await findReport(args.report, reports, this.signal));
    refuseLocal(id, 'share');
    await context.consent.ask({ deed: `share report ${id}`, target: reports.target });
    const shareId = await shareIdOf(reports.platform, id, this.signal);
    await this.show(reportShare, { id, shareId });
    const place = ['--url', reports.target.url];
    this.terminal.tell(`the recipient runs: ${commandLine(['report', 'show', `share:${shareId}`, ...place])}`);
    this.terminal.tell(
      `            or: ${commandLine(['report', 'download', `share:${shareId}`, '-O', 'report.csv', ...place])}`,
    );
  }
}
