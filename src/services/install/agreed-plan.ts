import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { CliError } from '../../core/errors.js';
import { parseJson } from '../../core/json.js';
import type { InstallResult } from './result.js';

const Agreed = z.object({
  kind: z.literal('InstallResult'),
  item: z.object({
    state: z.literal('planned'),
    package: z.object({ name: z.string(), version: z.string(), hub: z.string() }),
    target: z.object({ url: z.string(), namespace: z.string() }),
    trust: z.object({ files: z.array(z.object({ name: z.string(), sha256: z.string() })) }),
    actions: z.array(
      z.object({
        n: z.number(),
        state: z.string(),
        type: z.string(),
        target: z.unknown(),
        effect: z.string(),
        inputs: z.unknown(),
      }),
    ),
  }),
});

/** A plan that somebody looked at: what `install --plan-out` wrote, which is the document of `install --dry-run --json`. */
export type AgreedPlan = z.infer<typeof Agreed>['item'];

/** Reads the document of a plan; USAGE for another one. */
export function readAgreedPlan(text: string, file: string): AgreedPlan {
  const parsed = z.safeParse(Agreed, parseJson(Buffer.from(text), file));
  if (parsed.success) return parsed.data.item;
  throw new CliError('USAGE', `${file} holds no plan of an install`, {
    hints: ['write one with --plan-out FILE'],
    target: { file },
  });
}

const asWritten = (value: unknown): unknown => parseJson(Buffer.from(JSON.stringify(value)), 'the plan');

/** What an install would do otherwise than the plan that was agreed to, a line each. An action that is done by now, or that an earlier run has begun, may have less to do: an install that stopped can go on. */
function differencesFrom(agreed: AgreedPlan, now: InstallResult, begun: ReadonlySet<number>): readonly string[] {
  const lines: string[] = [];
  const compare = (what: string, was: string, is: string): void => {
    if (was !== is) lines.push(`${what}: ${was} in the plan, ${is} now`);
  };
  compare('package', `${agreed.package.name}@${agreed.package.version}`, `${now.package.name}@${now.package.version}`);
  compare('hub', agreed.package.hub, now.package.hub);
  compare('platform', agreed.target.url, now.target.url);
  compare('namespace', agreed.target.namespace, now.target.namespace);
  for (const { name, sha256 } of now.trust.files) {
    const was = agreed.trust.files.find((file) => file.name === name);
    if (was?.sha256 !== sha256) lines.push(`${name}: its content is not that of the plan`);
  }
  for (const action of now.actions) {
    const was = agreed.actions.find(({ n }) => n === action.n);
    const same =
      was?.state === action.state &&
      was.type === action.type &&
      isDeepStrictEqual([was.target, was.inputs], asWritten([action.target, action.inputs]));
    if (!same) lines.push(`action ${action.n} (${action.type}): not what the plan has`);
    else if (action.writes && !begun.has(action.n))
      compare(`action ${action.n} (${action.type})`, was.effect, action.effect);
  }
  return lines;
}

/** Refuses an install that would do something else than what was agreed to: PLAN_CHANGED, before anything is written. `begun` are the numbers of the actions that the journal knows. */
export function refuseOtherPlan(agreed: AgreedPlan, now: InstallResult, begun: ReadonlySet<number>): void {
  const lines = differencesFrom(agreed, now, begun);
  if (lines.length === 0) return;
  throw new CliError('PLAN_CHANGED', 'the install is no longer the one of the plan; nothing was changed', {
    lines,
    hints: ['look at a new plan: --plan-out FILE'],
  });
}
