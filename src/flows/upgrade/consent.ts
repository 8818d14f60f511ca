import type { Session } from '../../cli/session.js';
import { summaryLine, upgradeLines } from '../../output/views/upgrade-lines.js';
import type { UpgradeResult } from '../../services/upgrade/upgrade-result.js';
import { leftOutText } from '../../output/writers/fit-columns.js';
import { targetLine } from '../target-line.js';
import type { UpgradeDeps } from './upgrade-deps.js';

const UNATTENDED = 'note: no terminal: upgrading without confirmation; to only show the plan: --dry-run';

/**
 * Asks whether to go on. An upgrade does so without a question where there is no terminal at all, unless something
 * newer was run.
 */
async function ask({ context, command, target }: UpgradeDeps, plan: UpgradeResult, newer?: string): Promise<void> {
  const namespaces = new Map<string, number>();
  for (const { namespace, state } of plan.pipelines)
    if (state === 'planned') namespaces.set(namespace, (namespaces.get(namespace) ?? 0) + 1);
  const { planned } = plan.summary;
  const deed = `${command === 'upgrade' ? 'upgrade' : 'roll back'} ${planned} pipeline${planned === 1 ? '' : 's'}`;
  const running = plan.pipelines.filter((one) => one.state === 'planned' && one.running === true).length;
  const remarks = [
    ...(running === 0 ? [] : [`${running} ${running === 1 ? 'is' : 'are'} running`]),
    ...(newer === undefined ? [] : [newer]),
    ...(plan.engine === 'server' ? ['the platform chooses the plugin artifacts'] : []),
  ];
  await context.consent.ask({
    deed,
    namespaces,
    target,
    remarks,
    ...(command === 'upgrade' && newer === undefined && { unattended: UNATTENDED }),
  });
}

/** Which platform, and which namespaces of it, an upgrade or a preview of one is about. */
export function tellTarget({ target, command }: UpgradeResult, { terminal }: Pick<Session, 'terminal'>): void {
  const { namespace, namespaceFrom, platformVersion: version } = target;
  // A rollback has the namespaces of its journal.
  const all = command === 'rollback' ? undefined : namespaceFrom;
  terminal.tell(targetLine({ ...target, where: namespace === undefined ? all : `namespace ${namespace}`, version }));
}

/** Shows a plan on stderr. */
function show({ session: { terminal }, isWhole }: UpgradeDeps, plan: UpgradeResult): void {
  const { summary, engine } = plan;
  tellTarget(plan, { terminal });
  if (summary.planned === 0) return;
  if (engine === 'server')
    terminal.tell('engine: server; the platform chooses the plugin artifacts, so nothing is checked in advance');
  terminal.tell(summaryLine(plan));
  if (!terminal.interactive) return;
  const left: number[] = [];
  const lines = upgradeLines(plan, terminal.stderr, true, isWhole, (columns) => left.push(columns));
  for (const line of [...lines, ...left.map(leftOutText)]) terminal.tell(line);
}

/**
 * Shows a plan and asks for the yes to it, before anything is written. Something newer that was run is said in the
 * question.
 */
export async function agreeTo(base: UpgradeDeps, plan: UpgradeResult, newer?: string): Promise<void> {
  const isNothing = plan.summary.planned === 0;
  // Where nobody looks at the plan before an answer, it is said first that nobody is asked.
  const isFirst = base.command === 'upgrade' && !base.session.terminal.attended;
  if (isFirst && !isNothing) await ask(base, plan, newer);
  show(base, plan);
  if (!isFirst && !isNothing) await ask(base, plan, newer);
}
