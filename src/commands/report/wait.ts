import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { reportConnectionFlags, waitFlags } from '../../flags/reports/report.js';
import { tellNext } from '../../flows/reports/delivery.js';
import { awaitReport, isMissing, patienceOf } from '../../flows/reports/make.js';
import { findReport, knownReports, shownReport } from '../../flows/reports/sources.js';
import { reportView } from '../../output/views/report/report.js';
import { reportsEmpty } from '../../services/reports/choose-engine.js';
import { commandWord } from '../../services/reports/source/report-label.js';

export default class ReportWait extends BaseCommand {
  static override summary = 'Wait until a report is finished';
  static override description =
    'Exits with 0 when the report is COMPLETED, with 11 when it FAILED or is empty although there were runs, and with 8 on timeout, while the platform continues.';
  static override examples = ['cdapctl report wait latest', 'cdapctl report wait latest --timeout 1h --interval 10s'];
  static override failures = ['NOT_FOUND', 'REPORTS_OFF', 'REPORT_FAILED', 'REPORTS_EMPTY', 'STILL_RUNNING'] as const;
  static override seeAlso = ['cdapctl report generate', 'cdapctl report download'];
  static override args = {
    report: Args.string({
      required: true,
      description: 'report ID, its first 8 or more characters, latest, or share:ID',
    }),
  };
  static override flags = { ...waitFlags, ...reportConnectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ReportWait);
    const reports = knownReports(await this.context(flags), this.session);
    const found = await findReport(args.report, reports, this.signal);
    const detail = await awaitReport(found, patienceOf(flags), reports, this.session);
    if (await isMissing(detail, reports, this.session)) throw reportsEmpty(detail.id);
    await this.show(reportView, shownReport(detail));
    tellNext(['download', commandWord(found.ref), '-O', 'report.csv'], this.session);
  }
}
