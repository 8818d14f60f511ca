import { BaseCommand } from '../../../cli/base-command.js';
import { connectionFlags } from '../../../cli/flags/connection.js';
import { showService } from '../../../flows/reports/service.js';
import { reportServiceView } from '../../../output/views/report/service.js';

export default class ReportServiceStatus extends BaseCommand {
  static override summary =
    'Show whether the platform makes reports: application, program, health and what it has collected';
  static override description =
    'Reports of the platform come from a service that is off until it is enabled. It can run and answer and yet collect nothing, as on 6.11.0: then its reports are empty whatever ran, and --engine runs makes them from the records of runs.';
  static override examples = ['cdapctl report service status', 'cdapctl report service status --json'];
  static override seeAlso = ['cdapctl report service enable', 'cdapctl report run'];
  static override flags = { ...connectionFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(ReportServiceStatus);
    const context = await this.context(flags);
    const target = await context.platform();
    await this.show(reportServiceView, await showService(target, this.session));
  }
}
