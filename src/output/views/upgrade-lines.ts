import type { PluginChange } from '../../services/upgrade/pipeline.js';
import type { UpgradedPipeline, UpgradeResult } from '../../services/upgrade/upgrade-result.js';
import { visible } from '../escape.js';
import { paint, type Look } from '../look.js';
import { paintState } from '../states.js';
import type { OnLeftOut } from '../view-types.js';
import { cut, displayWidth, padded } from '../width.js';
import { fitColumns, GAP } from '../writers/fit-columns.js';
import { proseLines, prosePlace } from '../writers/prose.js';

const HEAD = ['PIPELINE', 'FROM', 'TO', 'PLUGINS', 'STATE'];
const PLUGINS = HEAD.indexOf('PLUGINS');
const STATE = HEAD.indexOf('STATE');
/** So many versions that stay behind are named. */
const MOST_NAMED = 5;
/** In longer tables only what is not plain has a row. */
const MOST_ROWS = 20;

/** Whether a person is told of a pipeline: not of those that need nothing, of which the counts tell. */
export const isShown = ({ state, leftOut }: UpgradedPipeline): boolean =>
  state !== 'current' && (state !== 'skipped' || leftOut === true);

/** Whether there is nothing to know of a pipeline but that it is planned or done as all the others. */
function isPlain({ state, verdict, detail, running }: UpgradedPipeline): boolean {
  if (state === 'planned' && verdict === 'unjudged') return running !== true;
  return (state === 'planned' || state === 'upgraded' || state === 'rolled-back') && detail === undefined;
}

/** The state of a pipeline as a person reads it; of one that is only planned what the pre-check says. */
export function stateText({ state, verdict }: UpgradedPipeline): string {
  if (state === 'failed' || state === 'blocked' || state === 'unknown') return state.toUpperCase();
  if (state === 'not-run') return 'not tried';
  return state === 'planned' ? (verdict ?? state) : state;
}

/** How many plugins change; undefined where nobody counted them, or the platform chooses. */
export const pluginsOf = ({ to, verdict, changes }: UpgradedPipeline): number | undefined =>
  to === undefined || (verdict === 'unjudged' && changes.length === 0) ? undefined : changes.length;

interface Row {
  readonly cells: readonly string[];
  readonly detail: string;
}

function rowOf(one: UpgradedPipeline, hasOneNamespace: boolean): Row {
  const name = hasOneNamespace ? one.name : `${one.namespace}/${one.name}`;
  // Done by an earlier run: what is there now is what it was upgraded to.
  const isEarlier = one.state === 'upgraded' && one.to === undefined;
  const versions = isEarlier ? ['-', one.from, '-'] : [one.from, one.to ?? '-', String(pluginsOf(one) ?? '-')];
  const cells = [name, ...versions, stateText(one)];
  return { cells: cells.map(visible), detail: visible(one.detail ?? '') };
}

/** What of the pipelines has a row, and a line about the others. */
function chosen(pipelines: readonly UpgradedPipeline[], isWhole: boolean): [readonly UpgradedPipeline[], string[]] {
  const isPlan = !isWhole && pipelines.some(({ state }) => state === 'planned');
  const isEarlier = ({ state }: UpgradedPipeline): boolean =>
    isPlan && (state === 'upgraded' || state === 'rolled-back');
  const [first] = pipelines.filter(isEarlier);
  if (first !== undefined) {
    // What is to be changed must not be hidden behind what was done before.
    const count = pipelines.filter(isEarlier).length;
    const [rows, lines] = chosen(
      pipelines.filter((one) => !isEarlier(one)),
      isWhole,
    );
    return [rows, [...lines, `${count} ${stateText(first)} by an earlier run; -v or -o wide lists them`]];
  }
  const shown = pipelines.filter(isShown);
  const odd = shown.filter((one) => !isPlain(one));
  const plain = shown.length - odd.length;
  if (isWhole || shown.length <= MOST_ROWS || plain === 0) return [shown, []];
  const states = new Set(shown.filter(isPlain).map(stateText));
  const more = odd.length === 0 ? '' : ' more';
  return [odd, [`${plain}${more} ${[...states].join(' or ')}; -v or -o wide lists them`]];
}

/**
 * Pipelines that were or would be changed, or could not be, as a table: details are never cut. Of many only those of
 * which there is something to know, unless it is to be whole.
 */
export function upgradeLines(
  { pipelines, target }: Pick<UpgradeResult, 'pipelines' | 'target'>,
  look: Look,
  hasHeader = true,
  isWhole = false,
  onLeftOut?: OnLeftOut,
): readonly string[] {
  const [shown, more] = chosen(pipelines, isWhole);
  const rows = shown.map((one) => rowOf(one, target.namespace !== undefined));
  if (rows.length === 0) return more;
  const head: Row = { cells: HEAD, detail: rows.some(({ detail }) => detail !== '') ? 'DETAIL' : '' };
  const all = hasHeader ? [head, ...rows] : rows;
  const widths = widthsOf(all, look);
  if (widths.includes(undefined)) onLeftOut?.(widths.filter((width) => width === undefined).length);
  const before = widths.reduce<number>((sum, width) => (width === undefined ? sum : sum + width + GAP.length), 0);
  const widest = all.reduce((most, { detail }) => Math.max(most, displayWidth(detail)), 0);
  const place = prosePlace(before, widest, look);
  const lines = all.flatMap((row) => {
    const cells = widths.flatMap((width, at) => (width === undefined ? [] : [cellText(row, at, width, look)]));
    const prose = row === head && place === 'below' ? '' : row.detail;
    const broken = proseLines(cells.map((cell) => cell + GAP).join(''), prose, { place, before, look });
    return row === head ? broken.map((line) => paint(look, 'bold', line)) : broken;
  });
  return [...lines, ...more];
}

function widthsOf(rows: readonly Row[], { terminal, columns }: Look): readonly (number | undefined)[] {
  const measured = HEAD.map((_, at) => ({
    width: rows.reduce((most, { cells }) => Math.max(most, displayWidth(cells[at] ?? '')), 0),
    ...{ whole: at > 0, wanted: at !== PLUGINS, spare: 0, constant: false },
  }));
  return fitColumns(measured, terminal ? (columns ?? Infinity) : Infinity);
}

function cellText({ cells }: Row, at: number, width: number, look: Look): string {
  const cell = cut(cells[at] ?? '', width, look.unicode ? '…' : '...');
  const text = at === STATE && cell !== HEAD[STATE] ? paintState(look, cell) : cell;
  return padded(text, width, at === PLUGINS);
}

function failedText({ state, summary: { failed }, pipelines }: UpgradeResult): readonly string[] {
  const count = (wanted: UpgradedPipeline['state']): number => pipelines.filter((one) => one.state === wanted).length;
  const [blocked, unknown] = [count('blocked'), count('unknown')];
  const named = (number: number, what: string): readonly string[] => (number === 0 ? [] : [`${number} ${what}`]);
  if (state === 'planned') return [...named(blocked, 'blocked'), ...named(failed - blocked, 'failed')];
  const kinds = [...named(blocked, 'blocked'), ...named(unknown, 'with unknown outcome')];
  return named(failed, kinds.length === 0 ? 'failed' : `failed (${kinds.join(', ')})`);
}

/** The versions that somebody named and that stay as they are, named as long as they are few. */
function behindText({ pipelines }: Pick<UpgradeResult, 'pipelines'>): string {
  const names = pipelines.flatMap(({ namespace, name, staysBehind = [] }) =>
    staysBehind.map(({ version, from }) => visible(`${namespace}/${name} ${version} (${from})`)),
  );
  if (names.length === 0) return '';
  const more = names.length - MOST_NAMED;
  const named = [...names.slice(0, MOST_NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join(', ');
  return `; ${names.length} more version${names.length === 1 ? '' : 's'} left on older artifacts: ${named}`;
}

/** The counts as one line: `60 upgraded, 1 failed, 150 current, 3 skipped`. */
export function summaryLine(result: UpgradeResult): string {
  const { command, state, summary } = result;
  const { total, planned, upgraded, current, skipped, notRun } = summary;
  const isRollback = command === 'rollback';
  const asIs = isRollback ? 'already as before the upgrade' : 'current';
  const rest = [...(current > 0 ? [`${current} ${asIs}`] : []), ...(skipped > 0 ? [`${skipped} skipped`] : [])];
  if (total === 0) return `no pipeline to ${isRollback ? 'roll back' : 'upgrade'}`;
  const leftOut = result.pipelines.some((one) => one.leftOut === true);
  const behind = behindText(result);
  if (current + skipped === total && !leftOut)
    return `nothing to ${isRollback ? 'roll back' : 'upgrade'}: ${rest.join(', ')}${behind}`;
  const done =
    state === 'planned'
      ? `${planned} to ${isRollback ? 'roll back' : 'upgrade'}`
      : `${upgraded} ${isRollback ? 'rolled back' : 'upgraded'}`;
  return `${[done, ...failedText(result), ...(notRun > 0 ? [`${notRun} not tried`] : []), ...rest].join(', ')}${behind}`;
}

const stageText = (stage: string): string => `stage ${JSON.stringify(stage)}`;

function changeText({ stage, plugin, artifact, from, to, toArtifact }: PluginChange): string {
  const none = 'no artifact';
  const now = toArtifact === undefined ? '' : `${[toArtifact.name, toArtifact.scope?.toLowerCase()].join(' ').trim()} `;
  return `${stageText(stage)}: ${plugin} (${artifact}) ${from === '' ? none : from} -> ${now}${to === '' ? none : to}`;
}

function differences({ changes, findings, notes, error, state }: UpgradedPipeline): readonly string[] {
  return [
    ...changes.map(changeText),
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
