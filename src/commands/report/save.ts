import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { consentFlags } from '../../flags/consent.js';
import { reportConnectionFlags } from '../../flags/reports/report.js';
import { DELIVERY_FAILURES } from '../../flags/reports/report-download.js';
import { withTwins } from '../../flags/environment-names.js';
import { deliveryOf, downloadCommand } from '../../flows/reports/delivery.js';
import { checkPlace } from '../../flows/reports/check-place.js';
import { deliver } from '../../flows/reports/download.js';
import { isMissing } from '../../flows/reports/make.js';
import { withHints } from '../../cli/connection-hints.js';
import { findReport, openReports, ownId, shownReport, tellTarget } from '../../flows/reports/sources.js';
import { beginWrite } from '../../flows/writing.js';
import { CliError } from '../../core/errors.js';
import { fileLine } from '../../output/views/report/download.js';
import { reportView } from '../../output/views/report/report.js';
import { timeText } from '../../output/writers/columns.js';
import { reportsEmpty } from '../../services/reports/choose-engine.js';
import { readyOf, readyReport } from '../../services/reports/download.js';
import { refuseLocal } from '../../services/reports/runs/local-source.js';
import { expiryWarning, saveOnce } from '../../services/reports/platform/save.js';

const own = withTwins({
  name: Flags.string({ required: true, summary: 'new name of the report', helpValue: 'NAME' }),
  description: Flags.string({ summary: 'description of the report', helpValue: 'TEXT' }),
  'download-to': Flags.string({
    summary: 'also write the records to a new file; the extension sets the format',
    helpValue: 'FILE',
  }),
});

export default class ReportSave extends BaseCommand {
  static override summary = 'Save a report under a name and description';
  static override description =
    'A report can be saved once. Saving does not keep the data: a saved report still expires, and a warning says when. To keep the records, use --download-to.';
  static override examples = [
    'cdapctl report save latest --name audit-2024-05 --description "for the audit" -y',
    'cdapctl report save latest --name audit-2024-05 --download-to audit.csv -y',
  ];
  static override failures = [
    ...DELIVERY_FAILURES,
    'CONFLICT',
    'RUNNING',
    'CONSENT_MISSING',
    'DECLINED',
    'UNKNOWN_OUTCOME',
  ] as const;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl report download', 'cdapctl report list'];
  static override args = {
    report: Args.string({ required: true, description: 'report ID, its first 8 or more characters, or latest' }),
  };
  static override flags = { ...consentFlags, ...own, ...reportConnectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ReportSave);
    const { session, signal } = this;
    const delivery = deliveryOf({ 'out-file': flags['download-to'] }, session);
    await checkPlace(delivery);
    const context = await this.context(flags);
    const reports = await openReports(context, session);
    const found = await findReport(args.report, reports, signal);
    const id = ownId(found);
    refuseLocal(id, 'save');
    tellTarget(reports, session);
    if (delivery.file !== undefined) {
      const { total, detail: seen } = await readyReport(found.source, found.ref, signal);
      if (total === 0 && (await isMissing(seen, reports, session))) throw reportsEmpty(id);
    }
    await context.consent.ask({ deed: `save report ${id}`, target: reports.target });
    const as = { name: flags.name, description: flags.description };
    const write = beginWrite(session, `cdapctl report show ${id}`);
    const detail = await saveOnce(reports.platform, id, as, reports.watching, signal).finally(write.end);
    const message = expiryWarning(detail, (time) => timeText(time, session.terminal.stdout));
    context.emit({ type: 'warning', code: 'EXPIRES', message });
    if (delivery.file !== undefined) {
      const ready = readyOf(found.source, found.ref, detail);
      const goOn = downloadCommand(id, delivery, session.argv);
      const done = await deliver(ready, { ...delivery, goOn }, { session, context }, signal).catch((error: unknown) => {
        if (!(error instanceof CliError)) throw error;
        throw withHints(error, [`the report is saved; to download its records: ${goOn}`]);
      });
      if (done !== undefined) this.terminal.tell(fileLine(done.file));
    }
    await this.show(reportView, shownReport(detail));
  }
}
