import { BaseCommand } from '../../cli/base-command.js';
import { reportFields } from '../../output/views/report/results.js';
import { REPORT_FIELDS } from '../../services/reports/request/fields.js';

export default class ReportFields extends BaseCommand {
  static override summary = 'List the fields of reports and how to use them';
  static override description =
    'Filter fields with values by status=FAILED,KILLED or user!=alice, and fields with a range by duration>=60 or start=2024-05-01..2024-05-02 (the end is excluded). Sends no requests.';
  static override examples = ['cdapctl report fields', 'cdapctl report fields --json'];
  static override requests = false;
  static override seeAlso = ['cdapctl report generate'];

  async run(): Promise<void> {
    await this.parse(ReportFields);
    await this.show(reportFields, { items: REPORT_FIELDS });
  }
}
