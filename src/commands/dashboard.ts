import { BaseCommand } from '../cli/base-command.js';
import { checkDashboard, dashboardRequest } from '../flows/watching/dashboard-inputs.js';
import { runDashboard, type DashboardOptions } from '../flows/watching/dashboard.js';
import { probePage } from '../flows/watching/dashboard-page.js';
import { watchDashboard } from '../flows/watching/dashboard-watch.js';
import { runLink } from '../flows/watching/ui-link.js';
import { tellScope } from '../flows/target-line.js';
import { connectionFlags } from '../flags/connection.js';
import { dashboardFlags } from '../flags/dashboard.js';
import { namespacesOfPatterns } from '../core/pipeline-pattern.js';
import { formatOf } from '../cli/line/argv.js';
import { dashboardView } from '../output/views/dashboard/dashboard.js';
import { dashboardNamespaces, openDashboard } from '../services/dashboard/dashboard.js';

const HALF_MINUTE = 30_000;

export default class Dashboard extends BaseCommand {
  static override summary = 'Show what ran, what is running and what is scheduled';
  static override description =
    'Shows pipeline runs and scheduled starts in a time window (default: 12 hours before and after now, in the current namespace). "missed" is a past start of an active, unchanged schedule that did not happen. Only certain cases count: not the last five minutes, not ambiguous cron expressions, not starts held back by an earlier run. If no active schedule can be judged, as on platform 6.1, which does not report since when one is active, nothing is "missed", and --fail-if with "missed" exits with 6. Counts for --fail-if: total, active, pending, running, suspended, completed, failed, killed, rejected, scheduled, missed.';
  static override examples = [
    'cdapctl dashboard',
    'cdapctl dashboard -A --last 6h --next 2h',
    'cdapctl dashboard -n etl --last 7d --group-by pipeline',
    'cdapctl dashboard -n etl --last 1d --status FAILED,KILLED -o csv',
    "cdapctl dashboard -A --last 1h --fail-if 'failed>100' --json",
    'cdapctl dashboard -A --start yesterday --duration 1d --html day.html',
  ];
  static override failures = ['NOT_FOUND', 'GATE', 'INCOMPATIBLE', 'EXISTS', 'LOCAL_IO', 'DISK_FULL'] as const;
  static override seeAlso = ['cdapctl help times', 'cdapctl help exit-codes'];
  static override flags = { ...connectionFlags, ...dashboardFlags };

  async run(): Promise<void> {
    const { flags } = await this.parse(Dashboard);
    const { session } = this;
    const { utc } = this.terminal.stdout;
    const format = formatOf(session.argv, session.env);
    const conditions = checkDashboard({ ...flags, utc }, this.onLine, format, session.clock.now());
    const context = await this.context(flags);
    const { html: file, clobber } = flags;
    const link = runLink(context.found.settings.uiUrl);
    const page = file === undefined ? undefined : { file, clobber, version: session.build.version, link };
    if (page !== undefined) await probePage(page);
    const { platform, url, context: name } = await context.platform();
    const named = this.onLine.has('namespace')
      ? flags.namespace
      : flags['all-namespaces']
        ? undefined
        : namespacesOfPatterns(flags.pipeline ?? [], context.found.settings.namespaces?.value ?? ['default']);
    const namespaces = await dashboardNamespaces(named, platform, this.signal);
    const { onLine } = this;
    const isScopeTold = !flags.watch && tellScope({ onLine, flags, patterns: flags.pipeline }, namespaces, session);
    const run: DashboardOptions = {
      session,
      look: openDashboard(dashboardRequest({ ...flags, utc }, namespaces), platform, session.clock),
      url,
      context: name,
      link,
      parts: flags.runs ? 'runs' : flags.timeline ? 'timeline' : 'auto',
      groupBy: flags['group-by'],
      conditions,
      page,
      isScopeTold,
      show: (shown) => this.show(dashboardView, shown),
    };
    await (flags.watch ? watchDashboard(run, flags.interval ?? HALF_MINUTE) : runDashboard(run));
  }
}
