import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { CliError } from '../../../core/errors.js';
import { parseJson } from '../../../core/json/json.js';
import type { Gap, OpenInputs } from '../../catalog/open-inputs.js';
import type { InstalledAction, InstallResult } from './install-result.js';

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

/** A reviewed plan, as `install --plan-out` wrote it. It is the document of `install --dry-run --json`. */
export type AgreedPlan = z.infer<typeof Agreed>['item'];

/**
 * Reads the document of a plan.
 * @throws USAGE for another one
 */
export function readAgreedPlan(text: string, file: string): AgreedPlan {
  const parsed = z.safeParse(Agreed, parseJson(Buffer.from(text), file));
  if (parsed.success) return parsed.data.item;
  throw new CliError('USAGE', `${file} is not an install plan`, {
    hints: [{ next: 'write-plan' }],
    target: { file },
  });
}

const asWritten = (value: unknown): unknown => parseJson(Buffer.from(JSON.stringify(value)), 'the plan');

const Jar = z.looseObject({ jar: z.string(), jarSha256: z.string() });

/** What a person gives for an action, with the content of a JAR in place of its path. */
function contentOf(inputs: unknown): { readonly rest: unknown; readonly jar?: string } {
  const found = Jar.safeParse(inputs);
  if (!found.success) return { rest: inputs };
  const rest = Object.entries(found.data).filter(([name]) => name !== 'jar');
  return { rest: Object.fromEntries(rest), jar: found.data.jarSha256 };
}

const Members = z.record(z.string(), z.unknown());
const membersOf = (value: unknown): Readonly<Record<string, unknown>> => Members.safeParse(value).data ?? {};
const inWords = (value: unknown): string =>
  value === undefined ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value);
const versus = (was: unknown, now: unknown): string => `${inWords(was)} in the plan, ${inWords(now)} now`;

/** The members that differ, with both values. */
function membersThatDiffer(was: unknown, now: unknown): readonly string[] {
  const [before, after] = [membersOf(was), membersOf(now)];
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return names.flatMap((name) =>
    isDeepStrictEqual(before[name], after[name]) ? [] : [`${name}: ${versus(before[name], after[name])}`],
  );
}

type AgreedAction = AgreedPlan['actions'][number];

function differenceOf(now: InstalledAction, was: AgreedAction | undefined, begun: boolean): string | undefined {
  const name = `action ${now.n} (${now.type})`;
  if (was === undefined) return `${name}: not in the plan`;
  if (was.type !== now.type) return `${name}: ${versus(was.type, now.type)}`;
  if (was.state !== now.state) return `${name}: ${versus(was.state, now.state)}`;
  const [inputs, agreed] = [contentOf(asWritten(now.inputs)), contentOf(was.inputs)];
  if (inputs.jar !== agreed.jar) return `${name}: not the JAR in the plan`;
  const given = membersThatDiffer(agreed.rest, inputs.rest);
  const all = given.length > 0 ? given : membersThatDiffer(was.target, asWritten(now.target));
  if (all.length > 0) return `${name}: ${all.join('; ')}`;
  if (now.writes && !begun && was.effect !== now.effect) return `${name}: ${was.effect} in the plan, ${now.effect} now`;
  return undefined;
}

/**
 * What an install would do otherwise than the plan that was agreed to, a line each. An action that is done by now, or
 * that an earlier run has begun, may have less to do: an install that stopped can go on.
 */
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
    if (was?.sha256 !== sha256) lines.push(`${name}: its content differs from the plan`);
  }
  const actions = now.actions.map((action) => {
    const was = agreed.actions.find(({ n }) => n === action.n);
    return differenceOf(action, was, begun.has(action.n));
  });
  return [...lines, ...actions.filter((line) => line !== undefined)];
}

/**
 * Refuses an install that differs from the agreed plan, before anything is written. `begun` has the numbers of the
 * actions that the journal knows.
 * @throws PLAN_CHANGED when they differ
 */
export function refuseOtherPlan(agreed: AgreedPlan, now: InstallResult, begun: ReadonlySet<number>): void {
  const lines = differencesFrom(agreed, now, begun);
  if (lines.length === 0) return;
  throw new CliError('PLAN_CHANGED', 'the install no longer matches the plan; nothing was changed', {
    lines,
    hints: [{ next: 'look-at-plan', of: 'install' }],
  });
}

/** What the line gives, with the texts of the plan where it leaves something open; and what stays open. */
export function withAgreed({ inputs, gaps }: OpenInputs, agreed: AgreedPlan): OpenInputs {
  const set = new Map([...inputs.set].map(([n, values]) => [n, new Map(values)]));
  const isClosed = (gap: Gap): boolean => {
    if (gap.kind !== 'argument') return false;
    const value = membersOf(agreed.actions.find(({ n }) => n === gap.n)?.inputs)[gap.name];
    if (typeof value !== 'string') return false;
    set.set(gap.n, (set.get(gap.n) ?? new Map<string, string>()).set(gap.name, value));
    return true;
  };
  return { gaps: gaps.filter((gap) => !isClosed(gap)), inputs: { ...inputs, set } };
}
