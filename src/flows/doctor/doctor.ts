import type { CommandContext } from '../../cli/context-types.js';
import { formatOf } from '../../cli/line/argv.js';
import type { Session } from '../../cli/session.js';
import { CliError } from '../../core/errors.js';
import { isMachineFormat } from '../../output/format.js';
import { findingsXml } from '../../output/junit.js';
import { hintText } from '../../output/next-steps.js';
import { writeAtomically } from '../../state/atomic-write.js';
import { runChecks, type Finding } from '../../services/doctor/run-checks.js';
import { writeBundle } from './bundle.js';
import { localChecks } from './local-checks.js';
import { remoteChecks } from './remote-checks.js';

/** What the line of doctor asks for. */
export interface DoctorFlags {
  readonly fix: boolean;
  readonly bundle: { readonly file: string; readonly overwrite: boolean } | undefined;
  readonly junit: string | undefined;
}

type Deps = Pick<CommandContext, 'bare' | 'found' | 'hubs' | 'platform' | 'trust'>;

function summaryOf(findings: readonly Finding[]): string {
  const count = (state: Finding['state']): number => findings.filter((finding) => finding.state === state).length;
  const [warnings, failures] = [count('warn'), count('fail')];
  const word = (n: number, one: string): string => `${n} ${one}${n === 1 ? '' : 's'}`;
  return `${count('ok')} ok, ${word(warnings, 'warning')}, ${word(failures, 'failure')}`;
}

/**
 * Checks this machine, the platform and the hubs, and shows what was found. Changes nothing unless it is told to fix.
 * @throws CHECK_FAILED when a check failed
 */
export async function examine(
  { fix, bundle, junit }: DoctorFlags,
  context: Deps,
  session: Pick<Session, 'argv' | 'build' | 'clock' | 'env' | 'signal' | 'terminal'>,
  show: (findings: readonly Finding[]) => Promise<void>,
): Promise<void> {
  const { found } = context;
  const { terminal } = session;
  const here = localChecks(found, session, fix);
  const checks = [...here, ...remoteChecks(found.settings.url?.value, context, session)];
  const findings = (await runChecks(checks, session)).map(({ message, fix: step, ...others }) => ({
    ...others,
    message: terminal.hide(message),
    ...(step !== undefined && { fix: terminal.hide(hintText(step)) }),
  }));
  const isOneDocument = isMachineFormat(formatOf(session.argv, session.env));
  const isBad = findings.some(({ state }) => state === 'fail');
  if (!isBad || !isOneDocument) await show(findings);
  if (junit !== undefined) await writeAtomically(junit, findingsXml(findings), { overwrite: true });
  if (bundle !== undefined) terminal.tell(`bundle written to ${await writeBundle(bundle, findings, found, session)}`);
  if (!isOneDocument)
    for (const { id, state, fix: step } of findings)
      if (step !== undefined) terminal.tell(`${state === 'ok' ? 'optional, for' : 'to fix'} ${id} above: ${step}`);
  if (isBad)
    throw new CliError('CHECK_FAILED', summaryOf(findings), isOneDocument ? { item: { items: findings } } : {});
  terminal.tell(summaryOf(findings));
}
