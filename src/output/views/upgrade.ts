import * as z from 'zod/mini';
import type { UpgradedPipeline, UpgradeResult } from '../../services/upgrade/upgrade-result.js';
import type { ListParts, RenderOptions, View } from '../view-types.js';
import { itemView } from './view.js';
import { renderItem } from '../writers/item.js';
import { renderList } from '../writers/list.js';
import { diffLines, isShown, pluginsOf, stateText, upgradeLines } from './upgrade-lines.js';

const PipelineSchema = z.object({
  namespace: z.string(),
  name: z.string(),
  artifact: z.string(),
  from: z.string(),
  to: z.optional(z.string()),
  state: z.enum([
    'planned',
    'upgraded',
    'rolled-back',
    'failed',
    'blocked',
    'unknown',
    'current',
    'skipped',
    'not-run',
  ]),
  verdict: z.optional(z.enum(['safe', 'risky', 'blocked', 'unjudged'])),
  detail: z.optional(z.string()),
  running: z.optional(z.literal(true)),
  leftOut: z.optional(z.literal(true)),
  staysBehind: z.optional(z.array(z.object({ version: z.string(), artifact: z.string(), from: z.string() }))),
  digest: z.optional(z.string()),
  changes: z.array(
    z.object({
      stage: z.string(),
      plugin: z.string(),
      type: z.string(),
      artifact: z.string(),
      from: z.string(),
      to: z.string(),
      toArtifact: z.optional(z.object({ name: z.string(), scope: z.optional(z.enum(['SYSTEM', 'USER'])) })),
    }),
  ),
  findings: z.array(
    z.object({
      level: z.enum(['risky', 'blocked']),
      stage: z.string(),
      plugin: z.string(),
      property: z.optional(z.string()),
      reason: z.string(),
    }),
  ),
  notes: z.array(z.object({ stage: z.optional(z.string()), message: z.string() })),
  error: z.optional(z.object({ code: z.string(), status: z.optional(z.number()), message: z.string() })),
  errorFile: z.optional(z.string()),
  durationMs: z.number(),
});
const UpgradeSchema = z.object({
  command: z.enum(['upgrade', 'rollback']),
  target: z.object({
    url: z.string(),
    namespace: z.optional(z.string()),
    namespaceFrom: z.string(),
    platformVersion: z.string(),
    context: z.optional(z.string()),
  }),
  engine: z.enum(['client', 'server']),
  state: z.enum(['planned', 'done', 'partial', 'cancelled']),
  summary: z.object({
    total: z.number(),
    planned: z.number(),
    upgraded: z.number(),
    failed: z.number(),
    current: z.number(),
    skipped: z.number(),
    notRun: z.number(),
  }),
  pipelines: z.array(PipelineSchema),
  journal: z.optional(z.string()),
  retry: z.optional(z.string()),
  undo: z.optional(z.string()),
  elsewhere: z.optional(
    z.array(
      z.object({ journal: z.string(), pipelines: z.array(z.object({ namespace: z.string(), name: z.string() })) }),
    ),
  ),
});

const KIND = 'UpgradeResult';

const whole = { kind: KIND, schema: UpgradeSchema, name: () => '', columns: [] };

/** Every pipeline for itself; programs read its state as it stands in JSON. */
function each(isForPeople: boolean): ListParts<UpgradedPipeline> {
  return {
    kind: KIND,
    schema: PipelineSchema,
    name: ({ namespace, name }) => `${namespace}/${name}`,
    columns: [
      { key: 'namespace', value: ({ namespace }) => namespace },
      { key: 'name', value: ({ name }) => name, whole: true },
      { key: 'artifact', value: ({ artifact }) => artifact, wide: true },
      { key: 'from', value: ({ from }) => from },
      { key: 'to', value: ({ to }) => to },
      { key: 'plugins', value: (one) => (isForPeople ? pluginsOf(one) : one.changes.length), align: 'right' },
      { key: 'state', value: (one) => (isForPeople ? stateText(one) : one.state), whole: true },
      { key: 'verdict', value: ({ verdict }) => verdict, wide: true },
      { key: 'running', value: ({ running }) => running, wide: true },
      { key: 'errorCode', header: 'ERROR', value: ({ error }) => error?.code, wide: true },
      { key: 'errorFile', header: 'FILE', value: ({ errorFile }) => errorFile, wide: true },
      { key: 'durationMs', header: 'MS', value: ({ durationMs }) => durationMs, wide: true, align: 'right' },
      { key: 'detail', value: ({ detail }) => detail },
    ],
  };
}

type Lines = (result: UpgradeResult, options: RenderOptions) => readonly string[];

const rows =
  (isWhole: boolean): Lines =>
  (result, { look, header, onLeftOut }) =>
    upgradeLines(result, look, header !== false, isWhole, onLeftOut);

async function* text(result: UpgradeResult, options: RenderOptions, linesOf: Lines): AsyncGenerator<string> {
  const lines = linesOf(result, options);
  if (lines.length > 0) yield `${lines.join('\n')}\n`;
}

function renderUpgrade(result: UpgradeResult, options: RenderOptions, lines = rows(false)): AsyncIterable<string> {
  const { pipelines, ...rest } = result;
  switch (options.format) {
    case 'json':
    case 'yaml':
      return renderItem(whole, result, options);
    case 'ndjson':
      return renderList(each(false), { items: pipelines, members: { item: rest } }, options);
    case 'csv':
      return renderList(each(false), { items: pipelines }, options);
    case 'name':
      return renderList(each(false), { items: pipelines.filter(isShown) }, options);
    case 'wide':
      return renderList(each(true), { items: pipelines }, options);
    case 'table':
      if (options.fields === undefined) return text(result, options, lines);
      return renderList(each(true), { items: pipelines.filter(isShown) }, options);
  }
}

/**
 * Shows the outcome of an upgrade, or its plan, per pipeline. In json and yaml it is one document; in the other
 * formats, one row, line or name per pipeline. Pipelines that need nothing are shown only in formats for programs and
 * in `wide`.
 */
export const upgradeView: View<UpgradeResult> = {
  ...itemView<typeof UpgradeSchema, UpgradeResult>(whole),
  render: (result, options) => renderUpgrade(result, options),
};

/** The same, for people with every pipeline that changes. */
export const wholeUpgradeView: View<UpgradeResult> = {
  ...upgradeView,
  render: (result, options) => renderUpgrade(result, options, rows(true)),
};

/** The same, for people what changes in every pipeline and stage. */
export const upgradeDiffView: View<UpgradeResult> = {
  ...upgradeView,
  render: (result, options) => renderUpgrade(result, options, diffLines),
};
