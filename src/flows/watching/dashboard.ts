import type { Condition } from '../../core/condition.js';
import { CliError } from '../../core/errors.js';
import { visible } from '../../output/escape.js';
import { formatOf } from '../../cli/line/argv.js';
import { isMachineFormat } from '../../output/format.js';
import { dashboardDocument } from '../../output/views/dashboard/dashboard.js';
import type { ShownDashboard } from '../../output/views/dashboard/text.js';
import type { Dashboard, DashboardLook } from '../../services/dashboard/dashboard.js';
import type { DashboardItem } from '../../services/dashboard/item.js';
import { groupItems, type Grouping } from '../../services/dashboard/groups.js';
import { holdingConditions } from '../../services/dashboard/summary.js';
import { commandLine } from '../../cli/line/command-line.js';
import { isTable, tellFailedRun, whyCommand, type FailedRun } from '../failed-run.js';
import { writePage, type PageFile } from './dashboard-page.js';
import type { Session } from '../../cli/session.js';

/** What the dashboard shows, of which platform, and how. */
export interface DashboardOptions {
  readonly session: Pick<Session, 'argv' | 'clock' | 'env' | 'signal' | 'terminal'>;
  readonly look: DashboardLook;
  readonly url: string;
  /** Name of the context, where that has this address. */
  readonly context?: string | undefined;
  /** Where the platform's own UI shows a run, if it is known. */
  readonly link: (item: DashboardItem) => string | undefined;
  readonly parts: ShownDashboard['parts'];
  readonly groupBy: Grouping | undefined;
  readonly conditions: readonly Condition[];
  readonly page: PageFile | undefined;
  /** Whether a line about the namespaces stands above. */
  readonly isScopeTold?: boolean;
  readonly show: (shown: ShownDashboard) => Promise<void>;
}

/** A dashboard with what is needed to show it. */
export function shownDashboard(
  { url, context, parts, groupBy }: DashboardOptions,
  dashboard: Dashboard,
): ShownDashboard {
  const grouping =
    groupBy === undefined ? undefined : { by: groupBy, groups: groupItems(dashboard.items, groupBy, dashboard.window) };
  return { dashboard, target: { url, context }, parts, grouping };
}

const asksForMissed = ({ conditions }: DashboardOptions): readonly Condition[] =>
  conditions.filter(({ name }) => name === 'missed');

/**
 * The error of the conditions in `--fail-if`, if any. GATE when one holds. INCOMPATIBLE when one can never hold, as
 * no active schedule can be judged. `item` is the dashboard if it has not been shown.
 */
export function gateOf(run: DashboardOptions, { summary, notJudged }: Dashboard, item?: object): CliError | undefined {
  const [blind] = notJudged === undefined ? asksForMissed(run) : [];
  if (blind !== undefined)
    return new CliError(
      'INCOMPATIBLE',
      `--fail-if ${blind.text.trim()}: missed starts are unknown, as no active schedule can be judged on this platform`,
      { hints: ['remove this condition'], item },
    );
  const holding = holdingConditions(run.conditions, summary);
  if (holding.length === 0) return undefined;
  return new CliError('GATE', `condition met: ${holding.join(', ')}`, { item });
}

/** Says so where a gate asks for what schedules missed and some of them cannot be judged. */
export function warnOfUnknown(run: DashboardOptions, { notJudged = 0 }: Dashboard): void {
  if (notJudged === 0 || asksForMissed(run).length === 0) return;
  run.session.terminal.warn(
    'MISSED_UNKNOWN',
    `cannot tell whether ${notJudged} active schedules missed a start; "missed" does not include them`,
  );
}

/** The first failed run of these. */
const firstFailed = (items: readonly DashboardItem[]): DashboardItem | undefined =>
  items.find(({ state, run }) => state === 'FAILED' && run !== undefined);

const failedRun = ({ namespace, pipeline, run = '' }: DashboardItem): FailedRun => ({ namespace, pipeline, run });

/** Says after a list with a failed run what to ask next. */
export function tellFailedOf(items: readonly DashboardItem[], session: DashboardOptions['session']): void {
  const failed = firstFailed(items);
  tellFailedRun(failed && failedRun(failed), session);
}

/** What to ask about the first failed run of a list, whose id is short for a narrow terminal. */
export function failedLine(items: readonly DashboardItem[], { session }: DashboardOptions): string | undefined {
  const failed = firstFailed(items);
  if (failed === undefined) return undefined;
  const run = (failed.run ?? '').slice(0, 8);
  return session.terminal.hide(`next: ${whyCommand(failedRun({ ...failed, run }), session)}`);
}

/** On a terminal a dashboard is as high as the screen, and ends with what may be asked next. */
function fitting(run: DashboardOptions, dashboard: Dashboard): Pick<ShownDashboard, 'rows' | 'footer'> {
  const { items } = dashboard;
  const { terminal, argv } = run.session;
  const size = terminal.size();
  if (size === undefined || run.parts !== 'auto' || !isTable(run.session)) return {};
  const failed = firstFailed(items);
  const link = failed && run.link(failed);
  const next = [
    failedLine(items, run) ?? terminal.hide(`next: ${commandLine([...argv, '--runs'])}`),
    ...(link === undefined ? [] : [terminal.hide(`next: ${link}`)]),
  ];
  const isTold = items.length > 0 && run.groupBy === undefined;
  // The line of the shell that comes next has room, too, and one before it that counts the columns left out.
  return {
    rows: size.rows - (run.isScopeTold ? 3 : 2),
    footer: isTold ? next : [],
  };
}

/**
 * Shows the dashboard once and checks the conditions of `--fail-if`. With json, a failed check prints a single
 * document: the error, which includes the dashboard.
 * @throws GATE when a condition holds
 * @throws INCOMPATIBLE when a condition can never hold
 */
export async function runDashboard(run: DashboardOptions): Promise<void> {
  const { session, page, show } = run;
  const { terminal, signal } = session;
  const dashboard = await run.look(signal);
  const shown = shownDashboard(run, dashboard);
  warnOfUnknown(run, dashboard);
  const isOneDocument = isMachineFormat(formatOf(session.argv, session.env));
  const gate = gateOf(run, dashboard, isOneDocument ? dashboardDocument(shown) : undefined);
  if (page !== undefined) await writePage(page, shown, terminal);
  // Who asks for a page does not read the same on the terminal; a program does.
  const isShown = page === undefined || (page.file !== '-' && !isTable(session));
  const fitted = fitting(run, dashboard);
  if (isShown && !(isOneDocument && gate !== undefined)) await show({ ...shown, ...fitted });
  if (isShown && (fitted.footer ?? []).length === 0) tellFailedOf(dashboard.items, session);
  if (page !== undefined && page.file !== '-') terminal.tell(`wrote ${visible(page.file)}`);
  if (gate !== undefined) throw gate;
}
