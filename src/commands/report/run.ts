import { BaseCommand } from '../../cli/base-command.js';
import { reportConnectionFlags, reportConsentFlags, requestFlags, waitFlags } from '../../flags/reports/report.js';
import { DELIVERY_FAILURES, deliveryFlags } from '../../flags/reports/report-download.js';
import { deliveryOf, downloadCommand } from '../../flows/reports/delivery.js';
import { checkPlace } from '../../flows/reports/check-place.js';
import { deliver } from '../../flows/reports/download.js';
import { tellFile } from '../../flows/reports/tell-file.js';
import { awaitReport, makeReport, patienceOf, tellDone } from '../../flows/reports/make.js';
import { requestOfLine } from '../../flows/reports/request.js';
import { openReports, tellTarget } from '../../flows/reports/sources.js';
import { withHints } from '../../cli/connection-hints.js';
import { CliError } from '../../core/errors.js';
import { checkRecordColumns } from '../../output/views/report/records.js';
import { readyOf } from '../../services/reports/download.js';

export default class ReportRun extends BaseCommand {
  static override summary = 'Generate a report, wait for it and download its records';
  static override description =
    'Combines `report generate --wait` and `report download`: records go to stdout, or with -O to a file, which gets its final name when complete. The report is kept: `report list` shows it, `report download` writes it again.\nLocal reports are sorted by newest start, namespace, application and run, after --sort; reports of the platform have no fixed order. In ndjson, each record is a line {"type":"item","item":{...}}, and the last line has the type result. In csv, each time has a second column such as startUtc that spreadsheets can read. On a protected context, --engine auto generates locally unless --confirm names the context. On a narrow terminal, tables show fewer columns; -o wide shows all, including those of the artifact.';
  static override examples = [
    'cdapctl report run --last 24h --status FAILED -o csv -O failures.csv',
    'cdapctl report run --last 24h -n default --report-fields applicationName,status,duration --sort duration:desc',
    'cdapctl report run --last 7d --engine runs -o ndjson',
  ];
  static override failures = [...DELIVERY_FAILURES, 'CONSENT_MISSING', 'DECLINED', 'UNKNOWN_OUTCOME'] as const;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl report generate', 'cdapctl report download', 'cdapctl report fields'];
  static override flags = {
    ...requestFlags,
    ...reportConsentFlags,
    ...deliveryFlags,
    ...waitFlags,
    ...reportConnectionFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(ReportRun);
    const { session, signal } = this;
    const delivery = deliveryOf(flags, session);
    const kept = await checkPlace(delivery);
    if (kept !== undefined) return tellFile(kept, session);
    const context = await this.context(flags);
    const request = await requestOfLine(flags, this.onLine, context, session);
    checkRecordColumns(request.fields, delivery.options);
    const reports = await openReports(context, session);
    tellTarget(reports, session, request);
    const patience = patienceOf(flags);
    const { engine = 'auto', confirm } = flags;
    const made = await makeReport({ context, session, reports, request, engine, patience, confirm });
    const { source, ref } = made.found;
    const detail = made.detail ?? (await awaitReport(made.found, patience, reports, session));
    tellDone(detail, made.found, reports, this.terminal.stderr);
    const goOn = downloadCommand(made.id, delivery, session.argv);
    const ready = readyOf(source, ref, detail);
    const done = await deliver(ready, { ...delivery, goOn }, { session, context }, signal).catch((error: unknown) => {
      if (!(error instanceof CliError)) throw error;
      throw withHints(error, [`to download the report: ${goOn}`]);
    });
    if (done !== undefined) await tellFile(done.file, session, done.failed);
  }
}
