import * as z from 'zod/mini';
import { CliError } from '../../core/errors.js';
import { parseJson } from '../../core/json/json.js';
import { looksSecret } from '../../core/secrets/redact.js';
import { shownValue } from '../../core/secrets/shown-value.js';
import type { ApplicationDetail } from '../../platform/apps.js';
import type { Platform } from '../../platform/client.js';
import { listRuns } from '../../platform/runs.js';
import { listSchedules, type Schedule } from '../../platform/schedules.js';
import type { FoundPipeline } from './find.js';
import type { PipelineSummary } from './list.js';
import { pipelineRun } from './run-record.js';
import { statusOf } from './status.js';

const Plugin = z.looseObject({
  name: z.optional(z.string()),
  type: z.optional(z.string()),
  properties: z.optional(z.record(z.string(), z.unknown())),
  artifact: z.optional(z.looseObject({ name: z.optional(z.string()), version: z.optional(z.string()) })),
});
const Part = z.looseObject({ name: z.string(), plugin: z.optional(Plugin) });
const Configuration = z.looseObject({
  stages: z.catch(z.array(Part), []),
  postActions: z.catch(z.array(Part), []),
});

/** A stage as its configuration has it. */
export interface ShownStage {
  readonly name: string;
  readonly plugin?: string | undefined;
  readonly type?: string | undefined;
  /** Name and version of the artifact of its plugin. */
  readonly artifact?: string | undefined;
}

/** What is done after a run: an email, a query, a call. */
export interface PostAction {
  readonly name: string;
  readonly plugin?: string | undefined;
  /** `completion`, `success` or `failure`. */
  readonly runCondition?: string | undefined;
}

/** A pipeline as `pipeline show` has it. */
export interface ShownPipeline extends PipelineSummary {
  readonly version?: string | undefined;
  readonly description?: string | undefined;
  readonly schedules: readonly ShownSchedule[];
  readonly stages: readonly ShownStage[];
  readonly postActions: readonly PostAction[];
}

/** A schedule of a pipeline: `cron` of one with a time trigger, else the type of its trigger. */
export interface ShownSchedule {
  readonly name: string;
  readonly status?: string | undefined;
  readonly cron?: string | undefined;
  readonly trigger?: string | undefined;
}

/** Reads what a pipeline is made of, what it does and when it runs. */
export async function showPipeline(
  pipeline: FoundPipeline,
  showSecrets: boolean,
  platform: Platform,
  signal: AbortSignal,
): Promise<ShownPipeline> {
  const { namespace, name, kind, detail, place } = pipeline;
  const [status, [latest], schedules = []] = await Promise.all([
    statusOf(pipeline, platform, signal),
    platform.call(listRuns, { ...place, limit: 1 }, signal),
    platform.find(listSchedules, { namespace, application: name }, signal),
  ]);
  const { stages, postActions } = partsOf(detail);
  return {
    ...{ namespace, name, kind: kind.kind },
    artifact: { name: detail.artifact.name, version: detail.artifact.version, scope: detail.artifact.scope },
    program: { type: kind.programType, name: kind.program },
    status,
    lastRun: latest && pipelineRun(latest, showSecrets),
    version: detail.appVersion,
    description: detail.description,
    schedules: schedules.map(shownSchedule),
    stages,
    postActions,
  };
}

function shownSchedule({ name, status, trigger }: Schedule): ShownSchedule {
  const type = trigger?.['type'];
  return { name, status, cron: trigger?.cronExpression, trigger: typeof type === 'string' ? type : undefined };
}

/** The stages and post-run actions of a pipeline; none where its configuration cannot be read. */
export function partsOf(detail: Pick<ApplicationDetail, 'configuration'>): {
  readonly stages: readonly ShownStage[];
  readonly postActions: readonly PostAction[];
} {
  const { stages = [], postActions = [] } = z.safeParse(Configuration, parsed(detail.configuration ?? '')).data ?? {};
  return {
    stages: stages.map(({ name, plugin }) => ({
      name,
      plugin: plugin?.name,
      type: plugin?.type,
      artifact: plugin?.artifact && `${plugin.artifact.name ?? ''} ${plugin.artifact.version ?? ''}`.trim(),
    })),
    postActions: postActions.map(({ name, plugin }) => {
      const condition = plugin?.properties?.['runCondition'];
      return { name, plugin: plugin?.name, runCondition: typeof condition === 'string' ? condition : undefined };
    }),
  };
}

/** The properties of each stage that are texts. */
export function propertiesOfStages(
  detail: Pick<ApplicationDetail, 'configuration'>,
): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const { stages = [] } = z.safeParse(Configuration, parsed(detail.configuration ?? '')).data ?? {};
  const texts = (all: object): Record<string, string> =>
    Object.fromEntries(Object.entries(all).flatMap(([key, one]) => (typeof one === 'string' ? [[key, one]] : [])));
  return new Map(stages.map(({ name, plugin }) => [name, texts(plugin?.properties ?? {})]));
}

function parsed(text: string): unknown {
  try {
    return parseJson(Buffer.from(text), 'the configuration');
  } catch (error) {
    if (error instanceof CliError) return undefined;
    throw error;
  }
}

/**
 * The configuration of a pipeline as it is stored, and how many values in it are masked. Macros are shown, as they are
 * no values.
 */
export function storedConfiguration(
  { detail }: Pick<FoundPipeline, 'detail'>,
  showSecrets: boolean,
): { readonly text: string; readonly masked: number } {
  const text = detail.configuration ?? '';
  if (showSecrets) return { text, masked: 0 };
  const whole = parsed(text);
  let masked = 0;
  const mask = (name: string, value: string): string => {
    const shown = /^\$\{.*\}$/su.test(value) ? value : shownValue(name, value, false);
    if (value === '' || shown === value) return value;
    masked += 1;
    return shown;
  };
  if (whole === undefined) return { text: mask('', text), masked };
  const shown = masking(whole, '', mask);
  return { text: masked === 0 ? text : JSON.stringify(shown, undefined, 2), masked };
}

function masking(value: unknown, name: string, mask: (name: string, value: string) => string): unknown {
  if (typeof value === 'string') return mask(name, value);
  if (Array.isArray(value)) return value.map((one) => masking(one, name, mask));
  if (typeof value !== 'object' || value === null) return value;
  const members = new Map<string, unknown>(Object.entries(value));
  // A list of names and values, as widgets keep them.
  const called = [members.get('name'), members.get('key')].find((one) => typeof one === 'string' && looksSecret(one));
  const nameOf = (member: string): string => (member === 'value' && typeof called === 'string' ? called : member);
  return Object.fromEntries([...members].map(([member, one]) => [member, masking(one, nameOf(member), mask)]));
}
