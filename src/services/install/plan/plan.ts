import type { Action } from '../../../hub/specification.js';
import { hasProposal, type FlaggedGap } from '../../catalog/open-inputs.js';
import type { Observation, PreparedAction, Target } from '../action.js';

/** The package that is installed, and where from. */
export interface InstallPackage {
  readonly name: string;
  readonly version: string;
  readonly hub: string;
  readonly label: string;
}

/** The place that is installed into. */
export interface InstallTarget {
  readonly context?: string;
  readonly url: string;
  readonly namespace: string;
  /** The source of the namespace: a flag, the environment, a context or the default. See docs/conventions.md D13. */
  readonly namespaceFrom: string;
  readonly platformVersion?: string;
}

/** One line of a plan. */
export interface PlannedAction {
  readonly n: number;
  readonly type: string;
  readonly label: string;
  readonly state: 'planned' | 'skipped';
  readonly target: Target;
  readonly effect: string;
  /** Whether it writes on the platform. */
  readonly writes: boolean;
  readonly texts: readonly string[];
  readonly notices: readonly string[];
  readonly inputs: Readonly<Record<string, unknown>>;
}

/** What an install will do, and what has to be agreed to first. */
export interface InstallPlan {
  readonly package: InstallPackage;
  readonly target: InstallTarget;
  readonly actions: readonly PlannedAction[];
  /** Questions that need a yes (or `-y`): overwriting, nothing verified. */
  readonly consents: readonly string[];
  /** Numbers of the actions that overwrite, which the consents cover; only these may. */
  readonly overwriting: ReadonlySet<number>;
  readonly prepared: readonly PreparedAction[];
  /** What a preview did not ask for, and an install would. */
  readonly open: readonly FlaggedGap[];
}

/** What a preview leaves open of an action: proposals that may be changed, and flags that it needs. */
function openText(
  n: number,
  open: readonly FlaggedGap[],
): { readonly proposals: string; readonly needs: readonly string[] } {
  const own = open.flatMap((gap) => (gap.kind !== 'license' && gap.n === n ? [gap] : []));
  const named = own.flatMap((gap) =>
    gap.kind === 'argument' && gap.proposal !== undefined ? [`${gap.name}: ${gap.proposal}`] : [],
  );
  return {
    proposals: named.length === 0 ? '' : ` (${named.join(', ')})`,
    needs: own.flatMap((gap) => (hasProposal(gap) ? [] : [gap.flag])),
  };
}

const NOTHING: Target = { kind: 'none', name: '' };

function planned(
  action: Action,
  prepared: PreparedAction | undefined,
  observation: Observation | undefined,
  open: readonly FlaggedGap[],
): PlannedAction {
  const { n, type } = action;
  const label = action.label ?? type;
  const { proposals, needs } = openText(n, open);
  if (prepared === undefined) {
    return {
      n,
      type,
      label,
      state: needs.length > 0 ? 'planned' : 'skipped',
      target: NOTHING,
      effect: needs.length > 0 ? `needs ${needs.join(' ')}` : 'skipped',
      writes: needs.length > 0,
      texts: [],
      notices: [],
      inputs: {},
    };
  }
  const { target, texts, notices, inputs } = prepared;
  const effect =
    observation?.effect ?? (prepared.step === undefined ? 'shows text, no request' : 'not checked (offline)');
  const writes = observation !== undefined && observation.state !== 'done';
  return { n, type, label, state: 'planned', target, effect: `${effect}${proposals}`, writes, texts, notices, inputs };
}

/**
 * Computes the plan; pure. `unverified` says that no trusted signature of the specification was found and that this was
 * not switched off; `open` is what a preview did not ask for. A refused observation is the error of the whole install,
 * before anything is written.
 */
export function planInstall(
  identity: { readonly package: InstallPackage; readonly target: InstallTarget },
  actions: readonly Action[],
  prepared: readonly PreparedAction[],
  observations: ReadonlyMap<number, Observation>,
  unverified: boolean,
  open: readonly FlaggedGap[] = [],
): InstallPlan {
  // What is missing may be what the refused action waits for.
  if (open.every((gap) => hasProposal(gap) || gap.kind === 'license'))
    for (const observation of observations.values()) if (observation.state === 'refused') throw observation.error;
  const overwrites = [...observations].flatMap(([n, observation]) =>
    observation.state === 'differs' ? [{ n, consent: observation.consent }] : [],
  );
  const { name, version } = identity.package;
  const blind = unverified ? [`install ${name} ${version} without a trusted signature`] : [];
  const consents = [...blind, ...overwrites.map(({ consent }) => consent)];
  const overwriting = new Set(overwrites.map(({ n }) => n));
  const lines = actions.map((action) =>
    planned(
      action,
      prepared.find(({ n }) => n === action.n),
      observations.get(action.n),
      open,
    ),
  );
  return { ...identity, actions: lines, consents, overwriting, prepared, open };
}
