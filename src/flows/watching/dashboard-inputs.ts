import { parseCondition, type Condition } from '../../core/condition.js';
import { CliError } from '../../core/errors.js';
import type { Format } from '../../output/format.js';
import type { DashboardRequest } from '../../services/dashboard/dashboard.js';
import { checkConditions, refuseUncounted } from './dashboard-conditions.js';
import { windowOf, type WindowFlags } from './dashboard-window.js';

const WATCHABLE: readonly Format[] = ['table', 'wide', 'ndjson'];
const SHORTEST_INTERVAL = 1000;
const DAY = 24 * 3600 * 1000;

/** The flags of `dashboard` that have to fit together. */
export interface DashboardFlags extends WindowFlags {
  readonly namespace?: readonly string[] | undefined;
  readonly 'all-namespaces': boolean;
  readonly pipeline?: readonly string[] | undefined;
  readonly status?: readonly string[] | undefined;
  readonly type?: readonly string[] | undefined;
  readonly 'group-by'?: 'hour' | 'pipeline' | 'status' | undefined;
  readonly runs?: boolean;
  readonly timeline?: boolean;
  readonly html?: string | undefined;
  readonly clobber: boolean;
  readonly watch: boolean;
  readonly interval?: number | undefined;
  readonly 'fail-if'?: readonly string[] | undefined;
}

/**
 * Refuses, before anything is sent, what contradicts itself or cannot be. Gives the conditions of `--fail-if`.
 * @throws USAGE
 */
export function checkDashboard(
  flags: DashboardFlags,
  onLine: ReadonlySet<string>,
  format: Format,
  now: number,
): readonly Condition[] {
  const refuse = (message: string, ...hints: readonly string[]): never => {
    throw new CliError('USAGE', message, { hints });
  };
  const { watch, html, interval } = flags;
  if (onLine.has('all-namespaces') && onLine.has('namespace'))
    refuse('--all-namespaces and --namespace cannot be used together');
  if (watch && !WATCHABLE.includes(format)) refuse(`--watch cannot write ${format}`, '--watch -o ndjson');
  if (html === '-' && format !== 'table' && format !== 'wide')
    refuse(`--html - writes the page to stdout and cannot be combined with ${format}`, '--html FILE');
  if (watch && html === '-') refuse('--watch needs a file for --html');
  if (onLine.has('interval') && !watch) refuse('--interval needs --watch');
  if (interval !== undefined && interval < SHORTEST_INTERVAL) refuse('--interval must be at least 1s');
  if (flags['group-by'] !== undefined && (flags.runs === true || flags.timeline === true))
    refuse(`--group-by and --${flags.runs === true ? 'runs' : 'timeline'} cannot be used together`, 'use one of them');
  if (onLine.has('ui-url') && html === undefined) refuse('--ui-url needs --html');
  if (onLine.has('clobber') && html === undefined) refuse('--clobber needs --html');
  const conditions = (flags['fail-if'] ?? []).map((text) => parseCondition(text, 'failed>0'));
  checkConditions(conditions);
  const isAhead = (at: number): boolean => windowOf(flags, at).start >= Math.floor(at / 1000);
  refuseUncounted(conditions, {
    statuses: flags.status ?? [],
    types: flags.type ?? [],
    // A window that is watched may move with the time, or be reached by it.
    isAhead: isAhead(now) && (!watch || isAhead(now + DAY)),
  });
  return conditions;
}

/** What is looked at, once the namespaces are known. */
export function dashboardRequest(flags: DashboardFlags, namespaces: readonly string[]): DashboardRequest {
  const { status, type, pipeline } = flags;
  return {
    namespaces,
    window: (now) => windowOf(flags, now),
    statuses: status ?? [],
    types: type ?? [],
    pipelines: pipeline ?? [],
    gate: flags['fail-if'] === undefined ? undefined : '--fail-if',
  };
}
