import { BaseCommand } from '../../../cli/base-command.js';
import { placelessFlags } from '../../../flags/connection.js';
import { showService } from '../../../flows/reports/service.js';
import { reportServiceView } from '../../../output/views/report/service.js';

export default class ReportServiceStatus extends BaseCommand {
  static override summary = 'Show the status of the report service and what it has collected';
  static override description =
    'The report service of the platform is off by default. It can run without collecting anything, as on 6.11.0: its reports are then empty, and --engine runs generates them from run records instead.';
  static override examples = ['cdapctl report service status', 'cdapctl report service status --json'];
  static override seeAlso = ['cdapctl report service enable', 'cdapctl report run'];
  static override flags = { ...placelessFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(ReportServiceStatus);
    const context = await this.context(flags);
    const target = await context.platform();
    await this.show(reportServiceView, await showService(target, this.session));
  }
}
