import type { UpgradedPipeline, UpgradeResult } from '../../services/upgrade/result.js';
import { visible } from '../escape.js';
import { paint, type Look } from '../look.js';
import { cut, displayWidth, hanging, padded } from '../width.js';

const GAP = '  ';
const HEAD = ['PIPELINE', 'FROM', 'TO', 'PLUGINS', 'STATE'];
const RIGHT = HEAD.indexOf('PLUGINS');
/** Below this many characters a detail reads badly beside its row and stands below it. */
const NARROWEST = 24;
const BELOW = '    ';
/** Tables with more rows are scanned rather than read: one line a row (`cli.md`, decision 9). */
const MOST_READ = 50;
const STYLES: ReadonlyMap<string, 'red' | 'green' | 'yellow'> = new Map([
  ['FAILED', 'red'],
  ['BLOCKED', 'red'],
  ['UNKNOWN', 'red'],
  ['risky', 'yellow'],
  ['not-run', 'yellow'],
  ['safe', 'green'],
  ['upgraded', 'green'],
  ['rolled-back', 'green'],
]);

/** Whether a person is told of a pipeline: not of those that need nothing, of which the counts tell. */
export const isShown = ({ state }: UpgradedPipeline): boolean => state !== 'current' && state !== 'skipped';

/** The state of a pipeline as a person reads it; of one that is only planned what the pre-check says. */
export function stateText({ state, verdict }: UpgradedPipeline): string {
  if (state === 'failed' || state === 'blocked' || state === 'unknown') return state.toUpperCase();
  return state === 'planned' ? (verdict ?? state) : state;
}

interface Row {
  readonly cells: readonly string[];
  readonly detail: string;
}

function rowOf(one: UpgradedPipeline, hasOneNamespace: boolean): Row {
  const name = hasOneNamespace ? one.name : `${one.namespace}/${one.name}`;
  const cells = [name, one.from, one.to ?? '-', String(one.changes.length), stateText(one)];
  return { cells: cells.map(visible), detail: visible(one.detail ?? '') };
}

function detailLines(label: string, detail: string, isLong: boolean, look: Look): readonly string[] {
  if (!isLong || !look.terminal || look.columns === undefined) return hanging(label, detail, look);
  return [cut(`${label}${detail}`, look.columns, look.unicode ? '…' : '...')];
}

/** Pipelines that were or would be changed, or could not be, as a table: on a terminal details are broken, in long tables cut, to its width. */
export function upgradeLines(
  { pipelines, target }: Pick<UpgradeResult, 'pipelines' | 'target'>,
  look: Look,
  hasHeader = true,
): readonly string[] {
  const rows = pipelines.filter(isShown).map((one) => rowOf(one, target.namespace !== undefined));
  if (rows.length === 0) return [];
  const head: Row = { cells: HEAD, detail: 'DETAIL' };
  const all = hasHeader ? [head, ...rows] : rows;
  const widths = HEAD.map((_, at) => all.reduce((most, { cells }) => Math.max(most, displayWidth(cells[at] ?? '')), 0));
  const before = widths.reduce((sum, width) => sum + width + GAP.length, 0);
  const isBeside = !look.terminal || (look.columns ?? Infinity) - before >= NARROWEST;
  const isLong = rows.length > MOST_READ;
  return all.flatMap((row) => {
    const state = row.cells.at(-1) ?? '';
    const front = widths.slice(0, -1).map((width, at) => padded(row.cells[at] ?? '', width, at === RIGHT) + GAP);
    const label = front.join('') + padded(state, widths.at(-1) ?? 0) + GAP;
    const beside = row.detail === '' || !isBeside ? [label.trimEnd()] : detailLines(label, row.detail, isLong, look);
    const below = row.detail === '' || isBeside || row === head ? [] : detailLines(BELOW, row.detail, isLong, look);
    const style = STYLES.get(state);
    if (style === undefined) return [...beside, ...below];
    const [first = '', ...more] = beside;
    const start = front.join('').length;
    const painted = first.slice(0, start) + paint(look, style, state) + first.slice(start + state.length);
    return [painted, ...more, ...below];
  });
}

function failedText({ state, summary: { failed }, pipelines }: UpgradeResult): readonly string[] {
  const count = (wanted: UpgradedPipeline['state']): number => pipelines.filter((one) => one.state === wanted).length;
  const [blocked, unknown] = [count('blocked'), count('unknown')];
  const named = (number: number, what: string): readonly string[] => (number === 0 ? [] : [`${number} ${what}`]);
  if (state === 'planned') return [...named(blocked, 'blocked'), ...named(failed - blocked, 'failed')];
  const kinds = [...named(blocked, 'blocked'), ...named(unknown, 'of unknown outcome')];
  return named(failed, kinds.length === 0 ? 'failed' : `failed (${kinds.join(', ')})`);
}

/** The counts as one line: `60 upgraded, 1 failed, 150 current, 3 skipped`. */
export function summaryLine(result: UpgradeResult): string {
  const { command, state, summary } = result;
  const { total, planned, upgraded, current, skipped, notRun } = summary;
  const isRollback = command === 'rollback';
  const rest = [...(current > 0 ? [`${current} current`] : []), ...(skipped > 0 ? [`${skipped} skipped`] : [])];
  if (total === 0) return `no pipeline to ${isRollback ? 'roll back' : 'upgrade'}`;
  if (current + skipped === total)
    return `0 of ${total} pipelines need ${isRollback ? 'a rollback' : 'an upgrade'}: ${rest.join(', ')}`;
  const done =
    state === 'planned'
      ? `${planned} to ${isRollback ? 'roll back' : 'upgrade'}`
      : `${upgraded} ${isRollback ? 'rolled back' : 'upgraded'}`;
  return [done, ...failedText(result), ...(notRun > 0 ? [`${notRun} not run`] : []), ...rest].join(', ');
}

const stageText = (stage: string): string => `stage ${JSON.stringify(stage)}`;

function differences({ changes, findings, notes, error, state }: UpgradedPipeline): readonly string[] {
  return [
    ...changes.map(
      ({ stage, plugin, artifact, from, to }) => `${stageText(stage)}: ${plugin} (${artifact}) ${from} -> ${to}`,
    ),
    ...findings.map(({ level, stage, reason }) => `${level}: ${stageText(stage)}: ${reason}`),
    ...(error === undefined || state === 'blocked' ? [] : [`${state}: ${error.message}`]),
    ...notes.map(({ stage, message }) => `note: ${stage === undefined ? '' : `${stageText(stage)}: `}${message}`),
  ];
}

/** What changes in every pipeline and stage, what the pre-check found there and what stays as it is. */
export function diffLines({ pipelines }: Pick<UpgradeResult, 'pipelines'>): readonly string[] {
  return pipelines.filter(isShown).flatMap((one) => {
    const { namespace, name, artifact, from, to } = one;
    const own = to === undefined || to === from ? `${artifact} ${from}` : `${artifact} ${from} -> ${to}`;
    return [`${namespace}/${name}: ${own}`, ...differences(one).map((line) => `  ${line}`)].map(visible);
  });
}
