import { getWorkflowToken, type RunRecord } from '../../platform/runs.js';
import { givenTo } from '../pipelines/run-record.js';
import type { ArgumentsOf } from './arguments.js';
import type { PreferenceDeps, Values } from './place.js';
import type { Layer } from './resolve.js';

/** What the platform itself keeps there: large, and with all properties of plugins. */
const OF_PLATFORM: readonly string[] = ['field.operations', 'resolved.plugin.properties.map'];

async function tokenOf({ place }: ArgumentsOf, run: string, deps: PreferenceDeps): Promise<Values> {
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
  pipeline: ArgumentsOf,
  record: RunRecord,
  deps: PreferenceDeps,
): Promise<readonly Layer[]> {
  const place = `run ${record.runid.slice(0, 8)}`;
  return [
    { from: 'run', place, values: new Map(Object.entries(givenTo(record) ?? {})) },
    { from: 'token', place: `token of ${place}`, values: await tokenOf(pipeline, record.runid, deps) },
  ];
}
