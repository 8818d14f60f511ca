import * as z from 'zod/mini';
import { counted } from '../../core/counted.js';
import type { PlannedAction } from '../../services/install/plan/plan.js';
import type { InstalledAction, InstallResult } from '../../services/install/plan/install-result.js';
import { visible } from '../escape.js';
import { paint, type Look } from '../look.js';
import type { ItemParts, Schema } from '../view-types.js';
import { itemView, view } from './view.js';
import { shortTable } from '../writers/short-table.js';

const KINDS = {
  none: 'none',
  artifact: 'artifact',
  application: 'application',
  pipeline: 'pipeline',
  draft: 'draft',
  stream: 'stream',
} as const satisfies { readonly [K in PlannedAction['target']['kind']]: K };
const Target = z.object({
  kind: z.enum(KINDS),
  name: z.string(),
  version: z.optional(z.string()),
});
const Request = z.object({ method: z.string(), path: z.string(), status: z.number(), ms: z.number() });
const Action = z.object({
  n: z.number(),
  type: z.string(),
  label: z.string(),
  state: z.enum(['planned', 'done', 'already-present', 'skipped', 'failed', 'not-run']),
  target: Target,
  effect: z.string(),
  writes: z.boolean(),
  inputs: z.record(z.string(), z.unknown()),
  requests: z.array(Request),
  durationMs: z.number(),
  message: z.optional(z.string()),
  texts: z.optional(z.array(z.string())),
});
const InstallSchema = z.object({
  package: z.object({ name: z.string(), version: z.string(), hub: z.string(), label: z.string() }),
  target: z.object({
    context: z.optional(z.string()),
    url: z.string(),
    namespace: z.string(),
    namespaceFrom: z.string(),
    platformVersion: z.optional(z.string()),
  }),
  trust: z.object({
    policy: z.enum(['require', 'warn', 'off']),
    verified: z.boolean(),
    fingerprints: z.array(z.string()),
    files: z.array(z.object({ name: z.string(), bytes: z.number(), sha256: z.string(), state: z.string() })),
    indexSequence: z.optional(z.number()),
  }),
  state: z.enum(['planned', 'installed', 'already-present', 'skipped', 'partial', 'failed', 'cancelled']),
  actions: z.array(Action),
  missing: z.optional(z.array(z.string())),
  retry: z.optional(z.string()),
});

const targetText = ({ target }: Pick<PlannedAction, 'target'>): string =>
  target.kind === 'none'
    ? '-'
    : `${target.kind} ${target.name}${target.version === undefined ? '' : ` ${target.version}`}`;

/** What an informational action tells a person. */
export function textLines(label: string, n: number, texts: readonly string[]): readonly string[] {
  if (texts.length === 0) return [];
  return ['', `Action ${n}: ${visible(label)}`, ...texts.map((text, at) => `  ${at + 1}. ${visible(text)}`), ''];
}

/** The plan as lines: what each action will touch and do. */
export async function planLines(
  actions: readonly Pick<PlannedAction, 'n' | 'type' | 'target' | 'effect' | 'notices'>[],
  look: Look,
): Promise<readonly string[]> {
  const rows = actions.map((action) => [String(action.n), action.type, targetText(action), action.effect]);
  const table = await shortTable(['#', 'ACTION', 'TARGET', 'EFFECT'], rows, look);
  const notices = actions.flatMap(({ n, notices: notes }) =>
    notes.map((note) => `note: action ${n}: ${visible(note)}`),
  );
  return [...table, ...notices];
}

function seconds(actions: readonly InstalledAction[]): string {
  return `${(actions.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000).toFixed(1)} s`;
}

async function* lines(result: InstallResult, look: Look): AsyncGenerator<string> {
  const name = visible(`${result.package.name} ${result.package.version}`);
  const where = visible(result.target.namespace);
  const ran = result.actions.filter(({ state }) => state === 'done' || state === 'already-present');
  if (result.state === 'planned') {
    yield* await planLines(
      result.actions.map((action) => ({ ...action, notices: [] })),
      look,
    );
    if (result.missing !== undefined) yield `Missing input: ${visible(result.missing.join(' '))}`;
    yield `Planned ${name} for ${where}; nothing was changed`;
    return;
  }
  if (result.actions.length === 0) {
    yield `Nothing to do: ${name} has no actions`;
    return;
  }
  if (result.state === 'skipped') {
    yield `Nothing to install in ${where}: all actions of ${name} were skipped (${result.actions.length})`;
    return;
  }
  if (result.state === 'already-present') {
    yield `${name} is already installed in ${where} (${counted(ran.length, 'action')}, nothing to do)`;
    return;
  }
  yield `${paint(look, 'green', 'Installed')} ${name} in ${where} (${counted(ran.length, 'action')}, ${seconds(ran)})`;
}

const parts: Pick<ItemParts<InstallResult>, 'name' | 'columns'> & Schema<typeof InstallSchema, InstallResult> = {
  schema: InstallSchema,
  name: (result) => `${result.package.name}@${result.package.version}`,
  columns: [
    { key: 'package', value: (result) => `${result.package.name}@${result.package.version}` },
    { key: 'namespace', value: (result) => result.target.namespace },
    { key: 'state', value: (result) => result.state },
    { key: 'verified', value: (result) => result.trust.verified },
    { key: 'actions', value: (result) => result.actions.map(({ n, state }) => `${n} ${state}`) },
  ],
};

/** Shows what an install did, or in a dry run would do. */
export const installView = itemView<typeof InstallSchema, InstallResult>({
  ...parts,
  kind: 'InstallResult',
  text: lines,
});

/** Shows the installs of several packages, for programs. */
export const installsView = view<typeof InstallSchema, InstallResult>({
  ...parts,
  kind: 'InstallResultList',
  none: 'nothing was installed',
});
