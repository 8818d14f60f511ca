import { mapConcurrent } from '../../core/concurrency.js';
import { fitsAny } from '../../core/pipeline-pattern.js';
import { applicationPages, type ApplicationRecord } from '../../platform/apps.js';
import type { Platform } from '../../platform/client.js';
import { kindOfArtifact, PIPELINE_KINDS, type PipelineKind } from '../../platform/pipeline-kinds.js';
import { getLatestRuns, getStatuses, type ProgramItem } from '../../platform/programs.js';
import { getNextStarts } from '../../platform/time-schedules.js';
import { formatTime } from '../../core/time.js';
import type { RunRecord } from '../../platform/runs.js';
import { pipelineRun, runInBrief, type PipelineRun } from './run-record.js';

/** Namespaces whose whole lists are in memory at once; a slow one lets no more of the others be read. */
const NAMESPACES_AT_ONCE = 4;
/** Pipelines that are asked about in one call. Of a long list their answers and all names are kept. */
const AT_ONCE = 1000;
const PAGES_AT_ONCE = 2;

/** Which pipelines to list. */
export interface PipelineSelection {
  readonly namespaces: readonly string[];
  /** `[NS/]GLOB`; none: all. */
  readonly patterns: readonly string[];
  readonly kind: PipelineKind['kind'] | undefined;
  readonly version: string | undefined;
  /** Statuses of a pipeline or of its newest run; all, if empty. */
  readonly statuses: readonly string[];
  /** Whether the newest runs are wanted with all their members. */
  readonly withRuns: boolean;
}

/** A pipeline, what it does, and how it ended last. */
export interface PipelineSummary {
  readonly namespace: string;
  readonly name: string;
  readonly kind: PipelineKind['kind'];
  readonly artifact: { readonly name: string; readonly version: string; readonly scope: string };
  readonly program: { readonly type: string; readonly name: string };
  /** STOPPED, STARTING or RUNNING; undefined where the platform does not say. */
  readonly status?: string | undefined;
  readonly lastRun?: PipelineRun | undefined;
}

/** A pipeline in a list. */
export interface ListedPipeline extends PipelineSummary {
  /** When an active schedule starts it next. Undefined without one, and where the platform has no such list. */
  readonly schedule?: NextRun | undefined;
}

/** The next start by a schedule, in milliseconds since the epoch. */
export interface NextRun {
  readonly name: string;
  readonly nextRun: number;
  readonly nextRunAt: string;
}

type Listed = Pick<ApplicationRecord, 'name' | 'artifact' | 'version'>;

interface Chunk {
  readonly namespace: string;
  readonly records: readonly Listed[];
}

/**
 * Lists pipelines by name with what they do, a thousand at a time. Their applications, statuses, newest runs and
 * next starts are each one call.
 */
export async function* listPipelines(
  wanted: PipelineSelection,
  platform: Platform,
  signal: AbortSignal,
): AsyncGenerator<ListedPipeline> {
  const ask = detailsFrom(platform, wanted.withRuns ? pipelineRun : runInBrief);
  for await (const listed of mapConcurrent(chunksOf(wanted, platform, signal), PAGES_AT_ONCE, ask, signal))
    for (const pipeline of listed) if (hasStatus(pipeline, wanted.statuses)) yield pipeline;
}

function hasStatus({ status, lastRun }: ListedPipeline, statuses: readonly string[]): boolean {
  return (
    statuses.length === 0 || [status, lastRun?.status].some((word) => word !== undefined && statuses.includes(word))
  );
}

async function* chunksOf(wanted: PipelineSelection, platform: Platform, signal: AbortSignal): AsyncGenerator<Chunk> {
  const artifacts = PIPELINE_KINDS.flatMap(({ kind, artifact }) =>
    wanted.kind === undefined || wanted.kind === kind ? [artifact] : [],
  );
  const open = async (namespace: string, each: AbortSignal) => {
    const records: Listed[] = [];
    for await (const page of applicationPages({ namespace, artifacts, pageSize: AT_ONCE }, platform, each))
      for (const { name, artifact, version } of page)
        if (fitsAny(wanted.patterns, { namespace, name })) records.push({ name, artifact, version });
    const isOfVersion = ({ artifact: { version } }: Listed): boolean => (wanted.version ?? version) === version;
    return { namespace, records: newest(records).filter(isOfVersion) };
  };
  for await (const { namespace, records } of mapConcurrent(wanted.namespaces, NAMESPACES_AT_ONCE, open, signal, 1))
    for (let at = 0; at < records.length; at += AT_ONCE) yield { namespace, records: records.slice(at, at + AT_ONCE) };
}

/** One record for each application, by name. Up to 6.8 lists have all its versions, of which the unnamed one runs. */
function newest(records: readonly Listed[]): readonly Listed[] {
  const found = new Map<string, Listed>();
  for (const record of records) if (found.get(record.name)?.version !== '-SNAPSHOT') found.set(record.name, record);
  return [...found.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

function detailsFrom(
  platform: Platform,
  shown: (run: RunRecord) => PipelineRun,
): (chunk: Chunk, signal: AbortSignal) => Promise<readonly ListedPipeline[]> {
  let knowsNext = true;
  return async ({ namespace, records }, signal) => {
    const items = records.flatMap(({ name, artifact }) => itemOf(name, artifact.name));
    const asked = { namespace, items };
    const [statuses, runs, next] = await Promise.all([
      platform.call(getStatuses, asked, signal),
      platform.call(getLatestRuns, asked, signal),
      knowsNext ? platform.find(getNextStarts, asked, signal) : undefined,
    ]);
    knowsNext &&= next !== undefined;
    const statusOf = new Map(statuses.map(({ appId, status }) => [appId, status]));
    const runOf = new Map(runs.map(({ appId, runs: [run] = [] }) => [appId, run]));
    const nextOf = new Map((next ?? []).flatMap((one) => (one === undefined ? [] : [[one.appId, one.schedules]])));
    return records.flatMap(({ name, artifact }) => {
      const kind = kindOfArtifact(artifact.name);
      if (kind === undefined) return [];
      const run = runOf.get(name);
      return [
        {
          ...{ namespace, name, kind: kind.kind },
          artifact: { name: artifact.name, version: artifact.version, scope: artifact.scope },
          program: { type: kind.programType, name: kind.program },
          status: statusOf.get(name),
          lastRun: run && shown(run),
          schedule: soonest(nextOf.get(name) ?? []),
        },
      ];
    });
  };
}

function itemOf(appId: string, artifact: string): readonly ProgramItem[] {
  const kind = kindOfArtifact(artifact);
  return kind === undefined ? [] : [{ appId, programType: kind.programType, programId: kind.program }];
}

/** The first of the starts to come; the id of one ends with the name of its schedule. */
function soonest(starts: readonly ({ readonly id: string; readonly time: number } | undefined)[]): NextRun | undefined {
  const known = starts.flatMap((start) => start ?? []).sort((a, b) => a.time - b.time);
  const [first] = known;
  if (first === undefined) return undefined;
  const name = first.id.slice(first.id.lastIndexOf(':') + 1);
  return { name, nextRun: first.time, nextRunAt: formatTime(first.time) };
}
