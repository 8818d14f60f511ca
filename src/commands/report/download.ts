import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { connectionFlags } from '../../cli/flags/connection.js';
import { deliveryFlags, downloadWaitFlags } from '../../cli/flags/report-download.js';
import { checkDelivery, checkPlace, deliver, deliveryOf, wantsDocument } from '../../cli/report-download.js';
import { fileLine, reportDownload, type ReportFile } from '../../output/views/report-download.js';
import { readyOf, readyReport } from '../../services/reports/download.js';
import { platformReports } from '../../services/reports/platform.js';
import { resolveReport } from '../../services/reports/resolve.js';
import { PATIENCE, waitForReport } from '../../services/reports/wait.js';

export default class ReportDownload extends BaseCommand {
  static override summary = 'Download the records of a report';
  static override description =
    'Writes all records, page by page: as csv, ndjson, json or a table, to stdout or with -O to a file, which gets its name when it is whole. The columns are the fields of the report. Missing or doubled records are an error, never a shorter file. When the network fails or the run is stopped, what has come of csv and ndjson stays hidden beside the file, and the same command goes on from there when it is still the same report.';
  static override examples = [
    'cdapctl report download latest -o csv -O failures.csv',
    'cdapctl report download latest -o csv --fields applicationName,status,duration',
    'cdapctl report download latest -o ndjson --limit 100',
    'cdapctl report download latest -O runs.json --clobber --wait',
  ];
  static override failures = [
    'NOT_FOUND',
    'RUNNING',
    'EXISTS',
    'REPORTS_OFF',
    'STILL_RUNNING',
    'REPORT_FAILED',
    'PAGING',
    'SHORT',
    'LOCAL_IO',
    'DISK_FULL',
    'SYMLINK',
  ] as const;
  static override seeAlso = ['cdapctl report list', 'cdapctl report generate', 'cdapctl report run'];
  static override args = {
    report: Args.string({ required: true, description: 'id, the beginning of one, latest, or share:ID' }),
  };
  static override flags = { ...deliveryFlags, ...downloadWaitFlags, ...connectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ReportDownload);
    const delivery = deliveryOf(flags, this.session);
    checkDelivery(delivery, flags);
    const kept = await checkPlace(delivery);
    if (kept !== undefined) return this.tellFile(kept);
    const context = await this.context(flags);
    const { platform } = await context.platform();
    const watching = { clock: this.session.clock, emit: context.emit };
    const found = await resolveReport(args.report, [platformReports(platform, watching)], this.signal);
    const { source, ref } = found;
    const patience = { ...PATIENCE, timeout: flags.timeout ?? PATIENCE.timeout };
    const ready = flags.wait
      ? readyOf(source, ref, await waitForReport(found, patience, watching, this.signal))
      : await readyReport(source, ref, this.signal);
    const delivering = { session: this.session, emit: context.emit, scratch: () => context.scratch() };
    const file = await deliver(ready, delivery, delivering, this.signal);
    if (file !== undefined) await this.tellFile(file);
  }

  private async tellFile(file: ReportFile): Promise<void> {
    if (wantsDocument(this.session)) await this.show(reportDownload, file);
    else this.terminal.tell(fileLine(file));
  }
}
