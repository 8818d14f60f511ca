import { looksSecret } from '../../core/secrets/redact.js';
import { shownValue } from '../../core/secrets/shown-value.js';
import { formatTime } from '../../core/time.js';
import { argumentsOf, type RunRecord } from '../../platform/runs.js';

/** Arguments that the platform itself adds (docs/platform.md 8.1). */
const OF_PLATFORM =
  /^(?:logical\.start\.time$|pluginRequirements$|appDetails$|scheduleName$|programNameInWorkflow|system\.(?:namespace\.|profile\.provisioner$))/u;

/** What it adds until a run starts, and people may set as well: the settings of a compute profile. */
const OF_PROFILE = /^system\.(?!resources\.|log\.)/u;

/** Earlier releases keep it as an argument of each run, chosen or not. */
const DEFAULT_PROFILE = 'SYSTEM:native';

/** A run of a pipeline. Times are in epoch seconds; `starting` is when it was asked for, `start` when it ran. */
export interface PipelineRun {
  readonly runid: string;
  readonly status: string;
  readonly starting?: number | undefined;
  readonly startingAt?: string | undefined;
  readonly start?: number | undefined;
  readonly startAt?: string | undefined;
  readonly end?: number | undefined;
  readonly endAt?: string | undefined;
  /** From when it was asked for to its end. */
  readonly durationSeconds?: number | undefined;
  /** Of the application that ran. */
  readonly version?: string | undefined;
  readonly scheduleName?: string | undefined;
  /** Its own arguments, those of the platform left out; undefined where they cannot be read. */
  readonly runtimeArgs?: Readonly<Record<string, string>> | undefined;
}

const at = (seconds: number | undefined): string | undefined =>
  seconds === undefined ? undefined : formatTime(seconds * 1000);

/** A run as a list of many shows it: without its arguments, which are JSON in JSON. */
export const runInBrief = ({ runid, status, starting, start, end }: RunRecord): PipelineRun => ({
  runid,
  status,
  ...{ starting, start, end },
  durationSeconds: end === undefined || starting === undefined ? undefined : Math.max(0, end - starting),
});

/** A run as commands show it. Values of arguments that look secret are masked unless they are asked for. */
export function pipelineRun(record: RunRecord, showSecrets = false): PipelineRun {
  const { starting, start, end, version } = record;
  const all = argumentsOf(record);
  return {
    ...runInBrief(record),
    ...{ startingAt: at(starting), startAt: at(start), endAt: at(end), version },
    scheduleName: all?.['scheduleName'],
    runtimeArgs: all && shownArguments(givenTo(record) ?? {}, showSecrets),
  };
}

/** The arguments that people gave a run; undefined where they cannot be read. */
export function givenTo(record: RunRecord): Readonly<Record<string, string>> | undefined {
  const all = argumentsOf(record);
  const isGiven = ([name, value]: readonly [string, string]): boolean =>
    !OF_PLATFORM.test(name) &&
    !(name === 'system.profile.name' && value === DEFAULT_PROFILE) &&
    (record.start !== undefined || !OF_PROFILE.test(name));
  return all && Object.fromEntries(Object.entries(all).filter(isGiven));
}

/** The compute profile of a run that did not start: nothing says whether a person chose it. */
export const unsureProfile = (record: RunRecord): string | undefined =>
  record.start === undefined ? argumentsOf(record)?.['system.profile.name'] : undefined;

/** Arguments with the values masked that look secret. */
export function shownArguments(
  all: Readonly<Record<string, string>>,
  showSecrets: boolean,
): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, shownValue(name, value, showSecrets)]));
}

/** The values to mask wherever they are repeated: those of secret arguments, and each line of them. */
export const secretValues = (all: Iterable<readonly [key: string, value: string]>): readonly string[] =>
  [...all].flatMap(([key, value]) => (looksSecret(key) ? [value, ...value.split(/[\r\n]+/u)] : []));

/** The values to mask of the arguments of a run. */
export const secretsOfRun = (record: RunRecord): readonly string[] =>
  secretValues(Object.entries(argumentsOf(record) ?? {}));

/** Whether a run has come to its end. */
export const isOver = (status: string): boolean => /^(?:COMPLETED|FAILED|KILLED|REJECTED)$/u.test(status);
