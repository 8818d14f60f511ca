import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { reportConnectionFlags } from '../../flags/reports/report.js';
import { withTwins } from '../../flags/environment-names.js';
import { isMissing } from '../../flows/reports/make.js';
import { findReport, knownReports, shownReport } from '../../flows/reports/sources.js';
import { reportView } from '../../output/views/report/report.js';
import { reportsEmpty } from '../../services/reports/choose-engine.js';
import { goneReport } from '../../services/reports/platform/wait.js';

const own = { summary: Flags.boolean({ summary: 'show only the summary, not the request' }) };

export default class ReportShow extends BaseCommand {
  static override summary = 'Show a report: its request and a summary of its runs';
  static override examples = [
    'cdapctl report show latest',
    'cdapctl report show latest --summary',
    'cdapctl report show latest --json',
  ];
  static override failures = ['NOT_FOUND', 'REPORTS_OFF'] as const;
  static override seeAlso = ['cdapctl report download', 'cdapctl report list'];
  static override args = {
    report: Args.string({
      required: true,
      description: 'report ID, its first 8 or more characters, latest, or share:ID',
    }),
  };
  static override flags = { ...withTwins(own), ...reportConnectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ReportShow);
    const context = await this.context(flags);
    const reports = knownReports(context, this.session);
    const { source, ref } = await findReport(args.report, reports, this.signal);
    const detail = await source.get(ref, this.signal);
    if (detail === undefined) throw goneReport(ref);
    if (await isMissing(detail, reports, this.session)) {
      const { code, message } = reportsEmpty(detail.id);
      context.emit({ type: 'warning', code, message });
    }
    await this.show(reportView, shownReport(detail, flags.summary));
  }
}
