import type { Policy } from '../../../trust/policy-decision.js';
import { hasProposal } from '../../catalog/open-inputs.js';
import type { FileReport } from '../../catalog/trusted-package.js';
import type { InstalledAction, InstallResult, InstallTrust } from './install-result.js';
import type { InstallPlan, PlannedAction } from './plan.js';

/** What was verified, in the words of the result. */
export function trustOf(
  policy: Policy,
  reports: readonly FileReport[],
  indexSequence: number | undefined,
): InstallTrust {
  const fingerprints = [
    ...new Set(reports.flatMap(({ verdict }) => (verdict.state === 'valid' ? (verdict.fingerprint ?? []) : []))),
  ];
  return {
    policy,
    verified: reports.length > 0 && reports.every(({ verdict }) => verdict.state === 'valid'),
    fingerprints,
    files: reports.map(({ name, bytes, sha256, verdict }) => ({ name, bytes, sha256, state: verdict.state })),
    ...(indexSequence !== undefined && { indexSequence }),
  };
}

const plannedAction = ({
  n,
  type,
  label,
  state,
  target,
  effect,
  writes,
  inputs,
  texts,
}: PlannedAction): InstalledAction => {
  const base = { n, type, label, state, target, effect, writes, inputs, requests: [], durationMs: 0 };
  return texts.length > 0 ? { ...base, texts } : base;
};

/** The result of a plan that was not carried out. */
export function plannedResult(plan: InstallPlan, trust: InstallTrust): InstallResult {
  const missing = plan.open.flatMap((gap) => (hasProposal(gap) ? [] : [gap.flag]));
  return {
    package: plan.package,
    target: plan.target,
    trust,
    state: 'planned',
    actions: plan.actions.map(plannedAction),
    ...(missing.length > 0 && { missing }),
  };
}
