import { CliError } from '../../core/errors.js';
import { getWorkflowToken, type RunRecord } from '../../platform/runs.js';
import { givenTo } from '../pipelines/run-record.js';
import type { ArgumentsOf } from './arguments.js';
import type { PreferenceDeps, Values } from './place.js';
import { readLayers, resolveOver, type Layer, type ResolvedValue } from './resolve.js';

/** What the platform itself keeps there: large, and with all properties of plugins. */
const OF_PLATFORM: readonly string[] = ['field.operations', 'resolved.plugin.properties.map'];

/** What the nodes of a run have put into its workflow token, without what the platform keeps there. */
export async function workflowToken(
  { place }: Pick<ArgumentsOf, 'place'>,
  run: string,
  deps: PreferenceDeps,
): Promise<Values> {
  if (place.type !== 'workflows') return new Map();
  const { namespace, app, program } = place;
  const token = (await deps.platform.find(getWorkflowToken, { namespace, app, program, run }, deps.signal)) ?? {};
  return new Map(
    Object.entries(token).flatMap(([key, values]) => {
      const last = values.at(-1);
      return last === undefined || OF_PLATFORM.includes(key) ? [] : [[key, last.value]];
    }),
  );
}

/** The arguments of a run and its workflow token, to be laid over what is stored. */
export async function runLayers(
  pipeline: Pick<ArgumentsOf, 'place'>,
  record: RunRecord,
  deps: PreferenceDeps,
): Promise<readonly Layer[]> {
  const place = `run ${record.runid.slice(0, 8)}`;
  return [
    { from: 'run', place, values: new Map(Object.entries(givenTo(record) ?? {})) },
    { from: 'token', place: `token of ${place}`, values: await workflowToken(pipeline, record.runid, deps) },
  ];
}

/**
 * The arguments that a run had, with where each came from; what was stored since is none of them. All are its own where
 * preferences cannot be read.
 */
export async function argumentsOfRun(
  pipeline: Pick<ArgumentsOf, 'place'>,
  record: RunRecord,
  deps: PreferenceDeps,
): Promise<readonly ResolvedValue[]> {
  const { namespace, app: application, type, program } = pipeline.place;
  const [own, stored] = await Promise.all([
    runLayers(pipeline, record, deps),
    readLayers({ level: 'program', namespace, application, type, program }, deps).catch((error: unknown) => {
      if (error instanceof CliError && error.code === 'FORBIDDEN') return [];
      throw error;
    }),
  ]);
  const had = new Set(own.flatMap(({ values }) => [...values.keys()]));
  return resolveOver(stored, own).filter(({ key }) => had.has(key));
}
