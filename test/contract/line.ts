import { contractTarget } from '../support/target.js';

interface Artifact {
  readonly name: string;
  readonly version: string;
}

/** The release line that the suite stands before, and what it can be asked to deploy. */
export interface Line {
  readonly version: string;
  /** Versions of cdap-data-pipeline and of core-plugins that the platform has, the oldest and the newest. */
  readonly pipeline: Pair;
  readonly plugins: Pair;
  /** Whether the plugin File finds the format that it needs. */
  readonly hasFormats: boolean;
}

interface Pair {
  readonly old: string;
  readonly new: string;
}

const SYSTEM = '/v3/namespaces/default/artifacts';

function pair(artifacts: readonly Artifact[], name: string): Pair {
  const found = artifacts.filter((artifact) => artifact.name === name).map(({ version }) => version);
  found.sort((one, other) => one.localeCompare(other, 'en', { numeric: true }));
  const [old] = found;
  if (old === undefined || found.length < 2)
    throw new Error(`the suite needs two versions of ${name}: ${found.join()}`);
  return { old, new: found[found.length - 1] ?? old };
}

async function askLine(): Promise<Line> {
  const target = await contractTarget();
  try {
    const get = async <T>(path: string): Promise<T> => (await (await fetch(target.url + path)).json()) as T;
    const { version } = await get<{ version: string }>('/v3/version');
    const artifacts = await get<Artifact[]>(`${SYSTEM}?scope=system`);
    const pipeline = pair(artifacts, 'cdap-data-pipeline');
    const formats = `${SYSTEM}/cdap-data-pipeline/versions/${pipeline.old}/extensions/validatingInputFormat?scope=system`;
    const hasFormats = (await get<{ name: string }[]>(formats)).some(({ name }) => name === 'csv');
    return { version, pipeline, plugins: pair(artifacts, 'core-plugins'), hasFormats };
  } finally {
    await target.close();
  }
}

/** What the platform of the suite says about itself; asked once by each worker. */
export const LINE = await askLine();

/** Whether the platform is of the line `major.minor` or of a later one. */
export const since = (line: string): boolean => LINE.version.localeCompare(line, 'en', { numeric: true }) >= 0;

/** What lines do differently, named after what they do; each from the first line on that was seen to do it. */
export const DOES = {
  /** Answers a deploy with a record; before with two words. */
  tellRecords: since('6.8'),
  /** Makes a version of an application by each deploy, and suspends its schedules; before there is one, `-SNAPSHOT`. */
  makeVersions: since('6.9'),
  /** Lists applications in pages, as a stream. */
  page: since('6.7'),
  /** Tells of applications and programs without a version when they are not there. */
  nameWithoutVersion: since('6.8'),
  /** Shows a run as soon as it has its id; before a run is invisible for up to two seconds, and its application can be deleted. */
  showRunsAtOnce: since('6.11'),
  /** Keeps the description when it upgrades a pipeline by itself. */
  keepDescriptions: since('6.10'),
  /** Upgrades post-actions, too, and a pipeline whose own artifact is none of those that may change; 6.4 does not. */
  upgradeParts: since('6.5'),
  /** Refuses all of a batch that starts programs when one application is unknown; before only that item. */
  refuseBatches: since('6.8'),
  /** Reads a request closely: null for properties, an unknown namespace of drafts, a window that ends before it starts. */
  readClosely: since('6.7'),
} as const;

/** The text of a 404 for an application. */
export const noApplication = (space: string, name: string): string =>
  DOES.nameWithoutVersion
    ? `'applicationreference:${space}.${name}' was not found.`
    : `'application:${space}.${name}.-SNAPSHOT' was not found.`;

/** The text of a 404 for a program, in answers about several or about runs. */
export const noProgram = (space: string, app: string, program: string): string =>
  DOES.nameWithoutVersion
    ? `'programreference:${space}.${app}.${program}' was not found.`
    : `'program:${space}.${app}.-SNAPSHOT.${program}' was not found.`;

/** The text for a plugin that is not there, as the stage that wants it tells it. */
export const noPlugin = (stage: string, name: string, type: string): string => {
  const advice = since('6.11')
    ? 'Please make sure plugin is deployed in the namespace and try again'
    : `Make sure plugin '${name}' of type '${type}' is already deployed.`;
  return `Failed to configure pipeline: Stage '${stage}' encountered : Plugin named '${name}' of type '${type}' not found. ${advice}`;
};
