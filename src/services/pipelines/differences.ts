import { lengthText } from '../../core/duration.js';
import type { ApplicationDetail } from '../../platform/apps.js';
import type { RunRecord } from '../../platform/runs.js';
import { detailOfRun } from './detail-of-run.js';
import type { FoundPipeline } from './find.js';
import { givenTo, pipelineRun, shownArguments } from './run-record.js';
import { partsOf, propertiesOfStages } from './show.js';
import type { RunDeps } from './wait.js';

/** Something that was otherwise in the last run that completed. */
export interface Difference {
  readonly what: string;
  /** In the last good run; undefined where there was nothing. */
  readonly before?: string | undefined;
  readonly now?: string | undefined;
  /** Of a property of a stage. */
  readonly stage?: string | undefined;
  readonly property?: string | undefined;
}

type Facts = ReadonlyMap<string, string | undefined>;

/** What differs between a run and the last good one. Platforms up to 6.7 do not tell which version a run was of. */
export async function differencesOf(
  good: RunRecord,
  run: RunRecord,
  pipeline: FoundPipeline,
  showSecrets: boolean,
  deps: Pick<RunDeps, 'platform' | 'signal'>,
): Promise<readonly Difference[]> {
  const isOther = good.version !== undefined && run.version !== undefined && good.version !== run.version;
  const [before, now] = isOther
    ? await Promise.all([good, run].map(async (one) => detailOfRun(one, pipeline, deps)))
    : [];
  return [
    ...differing(new Map([['version', good.version]]), new Map([['version', run.version]])),
    ...(before && now
      ? [...differing(partsIn(before), partsIn(now)), ...stageProperties(before, now, showSecrets)]
      : []),
    ...differingArguments(givenTo(good), givenTo(run), showSecrets),
    ...differing(lengthOf(good), lengthOf(run)),
  ];
}

/** Arguments that differ, by name; none where those of a run cannot be read. */
function differingArguments(
  old: Values | undefined,
  own: Values | undefined,
  showSecrets: boolean,
): readonly Difference[] {
  if (old === undefined || own === undefined) return [];
  return differingValues(old, own, showSecrets).map(({ name, ...values }) => ({ what: `argument ${name}`, ...values }));
}

/** Properties that differ of the stages that both have. */
function stageProperties(
  before: ApplicationDetail,
  now: ApplicationDetail,
  showSecrets: boolean,
): readonly Difference[] {
  const old = propertiesOfStages(before);
  return [...propertiesOfStages(now)].flatMap(([stage, own]) =>
    differingValues(old.get(stage) ?? own, own, showSecrets).map(({ name, ...values }) => ({
      ...{ what: `stage ${stage} property ${name}`, stage, property: name },
      ...values,
    })),
  );
}

type Values = Readonly<Record<string, string>>;

/** Values that differ, by name, as they may be shown. */
function differingValues(old: Values, own: Values, showSecrets: boolean) {
  const [before, now] = [shownArguments(old, showSecrets), shownArguments(own, showSecrets)];
  return [...new Set([...Object.keys(old), ...Object.keys(own)])]
    .sort()
    .filter((name) => old[name] !== own[name])
    .map((name) => ({ name, before: before[name], now: now[name] }));
}

function differing(before: Facts, now: Facts): readonly Difference[] {
  return [...new Set([...before.keys(), ...now.keys()])]
    .map((what) => ({ what, before: before.get(what), now: now.get(what) }))
    .filter((one) => one.before !== one.now);
}

function lengthOf(record: RunRecord): Facts {
  const { durationSeconds } = pipelineRun(record);
  return new Map([['duration', durationSeconds === undefined ? undefined : lengthText(durationSeconds)]]);
}

function partsIn(detail: ApplicationDetail): Facts {
  const { stages, postActions } = partsOf(detail);
  const { artifact } = detail;
  return new Map([
    ['artifact', `${artifact.name} ${artifact.version}`],
    ...stages.map((stage) => [`stage ${stage.name}`, `${stage.plugin ?? ''} (${stage.artifact ?? ''})`] as const),
    ...postActions.map((action) => [`post-run action ${action.name}`, action.plugin ?? ''] as const),
  ]);
}
