import { BaseCommand } from '../../cli/base-command.js';
import { reportConnectionFlags, reportListFlags } from '../../flags/reports/report.js';
import { listAll, listed, knownReports } from '../../flows/reports/sources.js';
import { matchesGlob } from '../../core/glob.js';
import { reportList } from '../../output/views/report/list.js';

export default class ReportListing extends BaseCommand {
  static override summary = 'List reports, newest first';
  static override description =
    'Lists the reports on the platform and the local reports of this machine (their IDs start with local-). If the report service of the platform is off, lists only local reports and prints a warning.';
  static override examples = [
    'cdapctl report list',
    'cdapctl report list --status COMPLETED --name "nightly*"',
    'cdapctl report list --limit 5 --json',
  ];
  static override seeAlso = ['cdapctl report show', 'cdapctl report generate'];
  static override flags = { ...reportListFlags, ...reportConnectionFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(ReportListing);
    const { status: statuses, name: pattern, limit, offset = 0 } = flags;
    const reports = knownReports(await this.context(flags), this.session);
    const all = (await listAll(reports, this.signal, true)).filter(
      ({ status, name = '' }) =>
        (statuses === undefined || statuses.includes(status)) && (pattern === undefined || matchesGlob(pattern, name)),
    );
    const items = all.slice(offset, limit === undefined ? undefined : offset + limit);
    const end = offset + items.length;
    const page = { offset, returned: items.length, total: all.length, next: end < all.length ? end : null };
    await this.show(reportList, { items: items.map((entry) => listed(entry, this.session)), page });
  }
}
