import * as Flags from '@oclif/core/flags';
import { BaseCommand } from '../../cli/base-command.js';
import { reportConnectionFlags, reportConsentFlags, requestFlags, waitFlags } from '../../flags/reports/report.js';
import { withTwins } from '../../flags/environment-names.js';
import { tellNext } from '../../flows/reports/delivery.js';
import { makeReport, patienceOf } from '../../flows/reports/make.js';
import { requestOfLine } from '../../flows/reports/request.js';
import { openReports, tellTarget } from '../../flows/reports/sources.js';
import { reportRequest } from '../../output/views/report/request.js';
import { reportCreated } from '../../output/views/report/results.js';

const own = {
  wait: Flags.boolean({ summary: 'wait until the report is finished' }),
  'print-request': Flags.boolean({ summary: 'print the request without sending it' }),
};

export default class ReportGenerate extends BaseCommand {
  static override summary = 'Generate a report of pipeline runs';
  static override description =
    'A -p pattern matches the pipelines that exist now. The report is generated locally and stored in the state folder if the report service is off or collects nothing, or if -p selects different pipelines in several namespaces. The platform keeps its own reports for 48 hours.';
  static override examples = [
    'cdapctl report generate --last 24h --status FAILED,KILLED --wait',
    `cdapctl report generate --last 7d --filter "duration>=60" --wait`,
    'cdapctl report generate --last 24h --report-fields all --print-request',
    'cdapctl report generate -f request.json --wait --json',
    'cdapctl report generate --like latest --last 24h',
  ];
  static override failures = [
    'NOT_FOUND',
    'REPORTS_OFF',
    'REPORT_FAILED',
    'REPORTS_EMPTY',
    'STILL_RUNNING',
    'CONSENT_MISSING',
    'DECLINED',
    'UNKNOWN_OUTCOME',
  ] as const;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl report run', 'cdapctl report fields', 'cdapctl help times'];
  static override flags = {
    ...withTwins(own),
    ...reportConnectionFlags,
    ...requestFlags,
    ...reportConsentFlags,
    ...waitFlags,
  };

  async run(): Promise<void> {
    const { flags } = await this.parse(ReportGenerate);
    const context = await this.context(flags);
    const { session } = this;
    const request = await requestOfLine(flags, this.onLine, context, session);
    if (flags['print-request']) {
      await this.show(reportRequest, request);
      return;
    }
    const reports = await openReports(context, session);
    tellTarget(reports, session, request);
    const patience = flags.wait ? patienceOf(flags) : undefined;
    const { engine = 'auto', confirm } = flags;
    const made = await makeReport({ context, session, reports, request, engine, patience, confirm });
    const { id, detail } = made;
    const { status = 'RUNNING', summary, expiry } = detail ?? {};
    await this.show(reportCreated, {
      id,
      engine: made.engine,
      status,
      request,
      recordCount: summary?.recordCount,
      expiry,
    });
    tellNext(detail === undefined ? ['wait', id] : ['download', id, '-O', 'report.csv'], session);
  }
}
