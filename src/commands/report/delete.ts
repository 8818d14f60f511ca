import * as Args from '@oclif/core/args';
import { BaseCommand } from '../../cli/base-command.js';
import { consentFlags } from '../../flags/consent.js';
import { reportConnectionFlags, reportDeleteFlags } from '../../flags/reports/report.js';
import { consentToDelete, reportsToDelete } from '../../flows/reports/delete.js';
import { knownReports } from '../../flows/reports/sources.js';
import { beginWrite } from '../../flows/writing.js';
import { CliError } from '../../core/errors.js';
import { reportDeletions } from '../../output/views/report/results.js';
import { deleteReports, failureOfDeletions } from '../../services/reports/delete.js';

export default class ReportDelete extends BaseCommand {
  static override summary = 'Delete reports';
  static override description =
    "Deletes reports by ID, or all reports of a status or age, after one confirmation. Local reports are removed from this machine only. A report that is still being generated is not deleted, because that would break the platform's list of reports.";
  static override examples = [
    'cdapctl report delete latest -y',
    'cdapctl report delete --status FAILED --older-than 7d -y',
    'cdapctl report delete --older-than 30d -y --json',
  ];
  static override failures = [
    'NOT_FOUND',
    'RUNNING',
    'REPORTS_OFF',
    'PARTIAL',
    'CONSENT_MISSING',
    'DECLINED',
    'UNKNOWN_OUTCOME',
  ] as const;
  static override changes = 'platform' as const;
  static override seeAlso = ['cdapctl report list'];
  static override args = {
    report: Args.string({ multiple: true, description: 'report IDs, their first 8 or more characters, or latest' }),
  };
  static override flags = { ...consentFlags, ...reportDeleteFlags, ...reportConnectionFlags };

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ReportDelete);
    const { session, signal } = this;
    const { force } = flags;
    const selection = { statuses: flags.status, olderThan: flags['older-than'], force };
    const words = args.report ?? [];
    const selects = flags.status !== undefined || flags['older-than'] !== undefined;
    if (words.length > 0 === selects)
      throw new CliError('USAGE', 'specify reports, or select them with --status or --older-than', {
        hints: ['cdapctl report list'],
      });
    const context = await this.context(flags);
    const reports = knownReports(context, session);
    const found = await reportsToDelete(words, selection, reports, session);
    await consentToDelete(found, reports, context, session);
    const write = beginWrite(session, 'cdapctl report list');
    const deletions = await deleteReports(found, { force, now: session.clock.now() }, signal).finally(write.end);
    const failure = failureOfDeletions(deletions, { wanted: found.length, stopped: signal.reason });
    if (failure === undefined) await this.show(reportDeletions, { items: deletions });
    else throw new CliError(failure.code, failure.message, { ...failure.details, item: deletions.map(itemOf) });
  }
}

const itemOf = ({ id, name, state, message }: Awaited<ReturnType<typeof deleteReports>>[number]): object => ({
  id,
  name,
  state,
  message,
});
