import type { Dashboard } from '../../services/dashboard/dashboard.js';
import type { DashboardItem } from '../../services/dashboard/item.js';
import type { Summary } from '../../services/dashboard/summary.js';
import { lengthText } from '../../core/duration.js';
import { dateText, hourText, momentText, spanOfTime } from '../clock-text.js';
import { htmlText } from './html.js';
import { DASHBOARD_STYLE } from './dashboard-style.js';
import { timelineHtml, type RunLink } from './timeline.js';
import type { Look } from '../look.js';
import type { DashboardTarget } from '../views/dashboard/members.js';
import { kindOf, type MarkKind } from '../timeline.js';

const ROWS_AT_ONCE = 200;
const TILES: readonly (readonly [keyof Summary, MarkKind, boolean])[] = [
  ['failed', 'failed', true],
  ['rejected', 'failed', false],
  ['missed', 'missed', false],
  ['running', 'running', true],
  ['pending', 'waiting', false],
  ['suspended', 'waiting', false],
  ['completed', 'completed', true],
  ['killed', 'killed', false],
  ['scheduled', 'scheduled', true],
];
const HEAD = ['Namespace', 'Pipeline', 'State', 'Start', 'Waited', 'Duration', 'How', 'User', 'Run'];
const RIGHT = ['Waited', 'Duration'];

const linked = (address: string | undefined, inner: string): string =>
  address === undefined ? inner : `<a href="${htmlText(address)}" rel="noreferrer">${inner}</a>`;

/** What the page of a dashboard tells besides it. */
export interface DashboardPage {
  readonly dashboard: Dashboard;
  readonly target: DashboardTarget;
  /** Name of the zone that times are in. */
  readonly zone: string;
  readonly look: Pick<Look, 'utc'>;
  /** Version of this tool. */
  readonly version: string;
  /** Address of a run in the platform's own UI, where that is known. */
  readonly link: RunLink;
}

function tiles({ summary, counted }: Dashboard): string {
  const isAsked = (name: keyof Summary, isAlways: boolean): boolean => counted?.includes(name) ?? isAlways;
  const shown = TILES.filter(([name, , isAlways]) => isAsked(name, isAlways) || summary[name] > 0);
  return shown.map(([name, kind]) => `<li class="${kind}"><b>${summary[name]}</b>${name}</li>`).join('');
}

function rowHtml(item: DashboardItem, hasDays: boolean, { look, link }: Pick<DashboardPage, 'look' | 'link'>): string {
  const { namespace, pipeline, state, start, startAt, waitedSeconds, durationSeconds, startMethod, user, run } = item;
  const length = (seconds: number | undefined): string => (seconds === undefined ? '-' : lengthText(seconds));
  const time = `<time datetime="${htmlText(startAt)}">${momentText(start, look, hasDays)}</time>`;
  return [
    `<tr><td>${htmlText(namespace)}</td><td class="name">${htmlText(pipeline)}</td>`,
    `<td class="state ${kindOf(item)}">${htmlText(state)}</td><td>${time}</td>`,
    `<td class="right">${length(waitedSeconds)}</td><td class="right">${length(durationSeconds)}</td>`,
    `<td>${htmlText(startMethod.toLowerCase())}</td><td>${htmlText(user ?? '-')}</td>`,
    `<td>${run === undefined ? '-' : linked(link(item), `<code>${htmlText(run)}</code>`)}</td></tr>\n`,
  ].join('');
}

function* tableHtml(page: DashboardPage): Generator<string> {
  const { look } = page;
  const { items, window } = page.dashboard;
  const hasDays = dateText(window.start, look) !== dateText(window.end, look);
  const heads = HEAD.map((head) => `<th scope="col"${RIGHT.includes(head) ? ' class="right"' : ''}>${head}</th>`);
  yield `<div class="scroll"><table>\n<thead><tr>${heads.join('')}</tr></thead>\n<tbody>\n`;
  for (let at = 0; at < items.length; at += ROWS_AT_ONCE)
    yield items
      .slice(at, at + ROWS_AT_ONCE)
      .map((item) => rowHtml(item, hasDays, page))
      .join('');
  yield '</tbody>\n</table></div>\n';
}

function head({ dashboard, target, zone, look, version }: DashboardPage): string {
  const { window, now, namespaces } = dashboard;
  const named = htmlText(
    `CDAP ${target.context ?? target.url}: ${spanOfTime(window.start, window.end, look).replace(' -> ', ' to ')}`,
  );
  const policy = "default-src 'none'; style-src 'unsafe-inline'";
  const where = namespaces.length > 5 ? `${namespaces.length} namespaces` : namespaces.join(', ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<title>${named}</title>
<style>${DASHBOARD_STYLE}</style>
</head>
<body>
<header>
<h1>${named}</h1>
<p>${htmlText(target.url)}, ${htmlText(where)}; generated ${dateText(now, look)} ${hourText(now, look)}; by cdapctl ${htmlText(version)}; times in ${htmlText(zone)}</p>
<ul class="counts">${tiles(dashboard)}</ul>
</header>
<main>
`;
}

/** One page with counts, timeline and table that needs no network and runs no script. In pieces, for a file. */
export function* dashboardHtml(page: DashboardPage): Generator<string> {
  const { dashboard } = page;
  yield head(page);
  if (dashboard.items.length === 0)
    yield '<h2>Timeline</h2>\n<p class="empty">No runs and no scheduled starts in this time window.</p>\n';
  else {
    yield `<h2>Timeline</h2>\n${timelineHtml(dashboard, page)}\n<h2>Runs and starts</h2>\n`;
    yield* tableHtml(page);
  }
  yield '</main>\n</body>\n</html>\n';
}
