import * as Args from '@oclif/core/args';
import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { reportConnectionFlags, waitFlags } from '../../flags/reports/report.js';
import { DELIVERY_FAILURES, deliveryFlags, partFlags } from '../../flags/reports/report-download.js';
import { deliveryOf } from '../../flows/reports/delivery.js';
import { checkPlace } from '../../flows/reports/check-place.js';
import { deliver } from '../../flows/reports/download.js';
import { tellFile } from '../../flows/reports/tell-file.js';
import { awaitReport, isMissing, patienceOf, tellDone } from '../../flows/reports/make.js';
import { findReport, knownReports } from '../../flows/reports/sources.js';
import { checkRecordColumns } from '../../output/views/report/records.js';
import { reportsEmpty } from '../../services/reports/choose-engine.js';
import { readyOf, readyReport } from '../../services/reports/download.js';

export default class ReportDownload extends BaseCommand {
  static override summary = 'Download the records of a report';
  static override description =
    'Writes all records as csv, ndjson, json or a table, to stdout or with -O to a file, which gets its final name when complete. The columns are the fields of the report. In ndjson, each record is a line {"type":"item","item":{...}}, and the last line has the type result. Missing or duplicate records are an error. To resume an interrupted csv or ndjson download, run the same command again.';
  static override examples = [
    'cdapctl report download latest -o csv -O failures.csv',
    'cdapctl report download latest -o csv --fields applicationName,status,duration',
    'cdapctl report download latest -o ndjson --limit 100',
    'cdapctl report download latest -O runs.json --clobber --wait',
  ];
  static override failures = [...DELIVERY_FAILURES, 'RUNNING'] as const;
  static override seeAlso = ['cdapctl report list', 'cdapctl report generate', 'cdapctl report run'];
  static override args = {
    report: Args.string({
      required: true,
      description: 'report ID, its first 8 or more characters, latest, or share:ID',
    }),
  };
  static override flags = {
    ...deliveryFlags,
    ...partFlags,
    wait: Flags.boolean({ summary: 'wait for a report that is still being generated', helpGroup: 'WAITING' }),
    ...waitFlags,
    ...reportConnectionFlags,
  };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ReportDownload);
    const delivery = deliveryOf(flags, this.session);
    const kept = await checkPlace(delivery);
    if (kept !== undefined) return tellFile(kept, this.session);
    const context = await this.context(flags);
    const reports = knownReports(context, this.session);
    const found = await findReport(args.report, reports, this.signal);
    const { source, ref } = found;
    if (flags.wait && flags.fields !== undefined) {
      const seen = await source.get(ref, this.signal);
      if (seen !== undefined) checkRecordColumns(seen.request.fields, delivery.options);
    }
    const ready = flags.wait
      ? readyOf(source, ref, await awaitReport(found, patienceOf(flags), reports, this.session))
      : await readyReport(source, ref, this.signal);
    if (flags.wait) tellDone(ready.detail, found, reports, this.terminal.stderr);
    if (ready.total === 0 && (await isMissing(ready.detail, reports, this.session)))
      throw reportsEmpty(ready.detail.id ?? args.report);
    const done = await deliver(ready, delivery, { session: this.session, context }, this.signal);
    if (done !== undefined) await tellFile(done.file, this.session, done.failed);
  }
}
