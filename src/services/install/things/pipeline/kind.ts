import { deleteApplication, getApplication, type ApplicationDetail } from '../../../../platform/apps.js';
import type { Thing } from '../../../../state/ledger.js';
import { removeOnce } from '../remove-once.js';
import { comparable, present, type ThingState } from '../thing-state.js';
import type { LookDeps, RemovalDeps, ThingKind } from '../thing-kind.js';

/** What an install determines of an application, of which a pipeline is one. */
export const applicationPart = ({ name, artifact, configuration = '' }: ApplicationDetail): unknown => ({
  name,
  artifact: `${artifact.name} ${artifact.version} ${artifact.scope.toUpperCase()}`,
  configuration: comparable(configuration),
});

async function look({ name }: Thing, { platform, namespace, signal }: LookDeps): Promise<ThingState> {
  const found = await platform.find(getApplication, { namespace, application: name }, signal);
  return found === undefined ? { state: 'absent' } : present(applicationPart(found));
}

/** Removes an application with its programs, schedules and records of runs. */
export async function removeApplication(application: string, deps: RemovalDeps): Promise<void> {
  const { platform, namespace, signal } = deps;
  await removeOnce(
    application,
    () => platform.call(deleteApplication, { namespace, application }, signal),
    async () => (await platform.find(getApplication, { namespace, application }, signal)) === undefined,
    deps,
  );
}

/** A pipeline; it goes before what it may need. */
export const pipelineKind: ThingKind = {
  order: 1,
  isArtifact: false,
  look,
  applications: async ({ name }) => [name],
  remove: ({ name }, deps) => removeApplication(name, deps),
};
