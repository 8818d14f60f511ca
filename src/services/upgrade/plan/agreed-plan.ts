import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { CliError } from '../../../core/errors.js';
import { parseJson } from '../../../core/json/json.js';
import { plannedAs, type PlannedPipeline } from './plan.js';
import { fullName } from '../pipeline.js';

const Change = z.object({
  stage: z.string(),
  plugin: z.string(),
  type: z.string(),
  artifact: z.string(),
  from: z.string(),
  to: z.string(),
});
const Agreed = z.object({
  kind: z.literal('UpgradeResult'),
  item: z.object({
    command: z.literal('upgrade'),
    state: z.literal('planned'),
    engine: z.enum(['client', 'server']),
    target: z.object({ url: z.string() }),
    pipelines: z.array(
      z.object({
        namespace: z.string(),
        name: z.string(),
        state: z.string(),
        to: z.optional(z.string()),
        digest: z.optional(z.string()),
        changes: z.array(Change),
      }),
    ),
  }),
});

/** A reviewed plan, as `upgrade --plan-out` wrote it: the document of `upgrade --dry-run --json`. */
export type AgreedUpgrade = z.infer<typeof Agreed>['item'];

const MOST_LINES = 20;
/** What a plan says of a pipeline that it will not upgrade, although that may need it. */
const LEFT_BY_PLAN: ReadonlyMap<string, string> = new Map([
  ['failed', 'could not be planned'],
  ['blocked', 'was blocked'],
  ['not-run', 'was not to be tried'],
]);

/**
 * Reads the document of a plan.
 * @throws USAGE for another one
 */
export function readAgreedUpgrade(text: string, file: string): AgreedUpgrade {
  const parsed = z.safeParse(Agreed, parseJson(Buffer.from(text), file));
  if (parsed.success) return parsed.data.item;
  throw new CliError('USAGE', `${file} is not an upgrade plan`, {
    hints: [{ next: 'write-plan' }],
    target: { file },
  });
}

/** The open part of a plan when a run is resumed: without what was tried and is not looked at again. */
export function stillAgreed(
  agreed: AgreedUpgrade,
  planned: readonly PlannedPipeline[],
  wasTried: (namespace: string, name: string) => boolean,
): AgreedUpgrade {
  const listed = new Set(planned.flatMap(({ ref, state }) => (state === 'untried' ? [] : [fullName(ref)])));
  const isOpen = (one: AgreedUpgrade['pipelines'][number]): boolean =>
    listed.has(fullName(one)) || !wasTried(one.namespace, one.name);
  return { ...agreed, pipelines: agreed.pipelines.filter(isOpen) };
}

function differs(one: PlannedPipeline, agreed: AgreedUpgrade['pipelines'][number]): string | undefined {
  if (one.error?.code === 'GONE') return 'no longer exists';
  if (one.state === 'settle' || one.state === 'earlier') return undefined;
  if (one.state !== 'upgrade') return `is ${one.state} now`;
  if (one.digest !== agreed.digest) return 'was changed since the plan was made';
  const isSame = one.to?.version === agreed.to && isDeepStrictEqual(one.changes, agreed.changes);
  return isSame ? undefined : 'would be upgraded to other versions than in the plan';
}

/**
 * Refuses a plan with pipelines of namespaces that are not selected, as they would not be looked at.
 * @throws USAGE when the command selects one namespace and the plan has others
 */
function refuseOutside({ pipelines }: AgreedUpgrade, namespace: string | undefined): void {
  const planned = pipelines.filter(({ state }) => state === 'planned').map((one) => one.namespace);
  const others = [...new Set(planned)].filter((one) => namespace !== undefined && one !== namespace);
  if (others.length === 0) return;
  const [only] = others;
  throw new CliError('USAGE', `the plan has pipelines of namespace ${others.join(', ')}, which is not selected`, {
    hints: [{ next: 'plan-namespaces', namespace: planned.every((one) => one === only) ? only : undefined }],
  });
}

/** What becomes of a pipeline that the plan has in a state. Of what failed there, nothing was agreed to. */
function kept(one: PlannedPipeline, agreed: string | undefined): PlannedPipeline {
  if (agreed === 'planned' || ['current', 'skipped', 'untried'].includes(one.state)) return one;
  const was = agreed && LEFT_BY_PLAN.get(agreed);
  if (was === undefined) return plannedAs(one.ref, 'skipped', { reason: 'is not in the plan' });
  if (one.state === 'failed' || one.state === 'blocked') return one;
  const error = new CliError('PLAN_CHANGED', `${was} when the plan was made; make a new plan for it`);
  return plannedAs(one.ref, 'failed', { error });
}

/**
 * Leaves of a plan what was agreed to and nothing else.
 * @throws PLAN_CHANGED, before anything is written, when the platform or any pipeline of it is another one by now
 */
export function keepAgreed(
  planned: readonly PlannedPipeline[],
  agreed: AgreedUpgrade,
  now: {
    readonly url: string;
    readonly engine: string;
    readonly namespace?: string | undefined;
    /** What to say of a pipeline of the plan that was not found, or not looked for. */
    readonly missing: (pipeline: { readonly namespace: string; readonly name: string }) => string;
  },
): readonly PlannedPipeline[] {
  refuseOutside(agreed, now.namespace);
  const known = new Map(planned.map((one) => [fullName(one.ref), one]));
  const wanted = agreed.pipelines.filter(({ state }) => state === 'planned');
  const lines = wanted.flatMap((one) => {
    const found = known.get(fullName(one));
    const why = found === undefined ? now.missing(one) : differs(found, one);
    return why === undefined ? [] : [`${fullName(one)} ${why}`];
  });
  if (agreed.target.url !== now.url) lines.unshift(`the plan is for ${agreed.target.url}`);
  if (agreed.engine !== now.engine) lines.unshift(`the plan is for engine ${agreed.engine}`);
  if (lines.length > 0) {
    const more = lines.length > MOST_LINES ? [`and ${lines.length - MOST_LINES} more`] : [];
    throw new CliError('PLAN_CHANGED', 'the upgrade no longer matches the plan; nothing was changed', {
      lines: [...lines.slice(0, MOST_LINES), ...more],
      hints: [{ next: 'look-at-plan', of: 'upgrade' }],
    });
  }
  const states = new Map(agreed.pipelines.map((one) => [fullName(one), one.state]));
  return planned.map((one) => kept(one, states.get(fullName(one.ref))));
}
