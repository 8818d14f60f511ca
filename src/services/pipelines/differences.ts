import { lengthText } from '../../core/duration.js';
import { getApplicationVersion, type ApplicationDetail } from '../../platform/apps.js';
import type { RunRecord } from '../../platform/runs.js';
import type { FoundPipeline } from './find.js';
import { givenTo, pipelineRun, shownArguments } from './run-record.js';
import { partsOf } from './show.js';
import type { RunDeps } from './wait.js';

/** Something that was otherwise in the last run that completed. */
export interface Difference {
  readonly what: string;
  /** In the last good run; undefined where there was nothing. */
  readonly before?: string | undefined;
  readonly now?: string | undefined;
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
  const isSame = good.version === run.version;
  const [before, now] = await Promise.all(
    [good, run].map(async ({ version }) => (isSame ? new Map() : partsOfVersion(version, pipeline, deps))),
  );
  return [
    ...differing(new Map([['version', good.version]]), new Map([['version', run.version]])),
    ...differing(before, now),
    ...differingArguments(givenTo(good), givenTo(run), showSecrets),
    ...differing(lengthOf(good), lengthOf(run)),
  ];
}

/** Arguments that differ, by name; none where those of a run cannot be read. */
function differingArguments(
  old: Readonly<Record<string, string>> | undefined,
  own: Readonly<Record<string, string>> | undefined,
  showSecrets: boolean,
): readonly Difference[] {
  if (old === undefined || own === undefined) return [];
  const [before, now] = [shownArguments(old, showSecrets), shownArguments(own, showSecrets)];
  return [...new Set([...Object.keys(old), ...Object.keys(own)])]
    .sort()
    .filter((name) => old[name] !== own[name])
    .map((name) => ({ what: `argument ${name}`, before: before[name], now: now[name] }));
}

/** Facts that differ; none where one side is not known. */
function differing(before: Facts | undefined, now: Facts | undefined): readonly Difference[] {
  if (before === undefined || now === undefined) return [];
  return [...new Set([...before.keys(), ...now.keys()])]
    .map((what) => ({ what, before: before.get(what), now: now.get(what) }))
    .filter((one) => one.before !== one.now);
}

function lengthOf(record: RunRecord): Facts {
  const { durationSeconds } = pipelineRun(record);
  return new Map([['duration', durationSeconds === undefined ? undefined : lengthText(durationSeconds)]]);
}

/** Artifact and plugins of a version of a pipeline; undefined where it is not known or gone. */
async function partsOfVersion(
  version: string | undefined,
  { namespace, name, detail }: FoundPipeline,
  { platform, signal }: Pick<RunDeps, 'platform' | 'signal'>,
): Promise<Facts | undefined> {
  if (version === undefined) return undefined;
  if (version === detail.appVersion) return partsIn(detail);
  const found = await platform.find(getApplicationVersion, { namespace, application: name, version }, signal);
  return found && partsIn(found);
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
