import { formatTime } from '../../core/time.js';
import { formatOf } from '../../cli/line/argv.js';
import { dashboardView } from '../../output/views/dashboard/dashboard.js';
import { changeLines } from '../../output/views/dashboard/changes.js';
import { shownCounts } from '../../output/views/dashboard/members.js';
import type { OnLeftOut } from '../../output/view-types.js';
import { jsonDocument } from '../../output/writers/json.js';
import { changesBetween } from '../../services/dashboard/changes.js';
import type { Dashboard } from '../../services/dashboard/dashboard.js';
import { failedLine, gateOf, shownDashboard, tellFailedOf, warnOfUnknown, type DashboardOptions } from './dashboard.js';
import { writePage } from './dashboard-page.js';
import { absence, frameOf, redrawer, watchUntilStopped, type Absence } from './watch.js';

type ShowDashboard = (dashboard: Dashboard, before: Dashboard | undefined) => Promise<void>;

/** Redraws the whole in place. */
function redrawing(run: DashboardOptions, interval: number): ShowDashboard {
  const { terminal, clock } = run.session;
  const draw = redrawer(terminal);
  return (dashboard) =>
    draw((look, lines) => {
      // One is for the line below.
      const next = failedLine(dashboard.items, run);
      // A frame cuts long lines, and a part of a command is none.
      const footer = next === undefined || next.length > (look.columns ?? Infinity) ? [] : [next];
      const shown = { ...shownDashboard(run, dashboard), rows: lines && lines - 1, footer };
      const render = (onLeftOut: OnLeftOut): AsyncIterable<string> =>
        dashboardView.render(shown, { format: 'table', look, onLeftOut });
      return frameOf(render, { now: clock.now(), interval }, look);
    });
}

/** The whole once, then a line for each change. */
function appending(run: DashboardOptions): ShowDashboard {
  const { terminal } = run.session;
  return async (dashboard, before) => {
    if (before === undefined) {
      await run.show(shownDashboard(run, dashboard));
      tellFailedOf(dashboard.items, run.session);
      return;
    }
    const changes = changesBetween(before.items, dashboard.items, dashboard.window.start);
    for (const line of changeLines(changes, dashboard, terminal.stdout)) await terminal.write(`${line}\n`);
    const changed = changes.map(({ item }) => item);
    tellFailedOf(changed, run.session);
  };
}

/** Each item once as new, then each change, and after them the counts, as a line of JSON. */
function events(run: DashboardOptions): ShowDashboard {
  const { terminal } = run.session;
  return async (dashboard, before) => {
    const { items, window, now } = dashboard;
    const summary = shownCounts(dashboard.summary, dashboard);
    const changes = changesBetween(before?.items ?? [], items, window.start);
    for (const { change, item } of changes) await terminal.write(jsonDocument({ type: 'item', change, item }, false));
    if (before === undefined || changes.length > 0)
      await terminal.write(jsonDocument({ type: 'summary', at: formatTime(now * 1000), summary }, false));
  };
}

function showingOf(run: DashboardOptions, interval: number): ShowDashboard {
  const { argv, env, terminal } = run.session;
  if (formatOf(argv, env) === 'ndjson') return events(run);
  return terminal.stdout.terminal ? redrawing(run, interval) : appending(run);
}

/** One more look; undefined when the platform cannot be reached now, which is told. */
async function lookAgain(
  { look }: DashboardOptions,
  away: Absence,
  signal: AbortSignal,
): Promise<Dashboard | undefined> {
  try {
    const dashboard = await look(signal);
    away.seen();
    return dashboard;
  } catch (error) {
    signal.throwIfAborted();
    away.failed(error);
    return undefined;
  }
}

/**
 * Watches the dashboard until it is stopped or a condition of `--fail-if` decides. `interval` is in milliseconds. A
 * platform that is away for a while does not end the watch. On a terminal, q ends it without an error.
 * @throws INTERRUPTED when a signal stops it
 * @throws GATE when a condition holds
 * @throws INCOMPATIBLE when a condition can never hold
 */
export function watchDashboard(run: DashboardOptions, interval: number): Promise<void> {
  const { terminal, signal } = run.session;
  return watchUntilStopped(terminal, signal, (stop) => lookOn(run, interval, stop));
}

async function lookOn(run: DashboardOptions, interval: number, signal: AbortSignal): Promise<void> {
  const { session, page } = run;
  const { terminal, clock } = session;
  const show = showingOf(run, interval);
  const away = absence(terminal);
  let before: Dashboard | undefined;
  for (;;) {
    const dashboard = before === undefined ? await run.look(signal) : await lookAgain(run, away, signal);
    if (dashboard !== undefined) {
      if (before === undefined) warnOfUnknown(run, dashboard);
      await show(dashboard, before);
      // The first look has proved that the file is ours to write.
      const clobber = before !== undefined || page?.clobber === true;
      if (page !== undefined) await writePage({ ...page, clobber }, shownDashboard(run, dashboard), terminal);
      const gate = gateOf(run, dashboard);
      if (gate !== undefined) throw gate;
      before = dashboard;
    }
    if (terminal.closed) return;
    await clock.sleep(interval, signal);
  }
}
