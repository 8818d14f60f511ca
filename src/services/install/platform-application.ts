import { deleteApplication, getApplication, type ApplicationDetail } from '../../platform/apps.js';
import { removeOnce } from './remove-once.js';
import type { RemovalDeps } from './thing-kind.js';
import { comparable } from './thing-state.js';

/** What an install determines of an application, of which a pipeline is one. */
export const applicationPart = ({ name, artifact, configuration = '' }: ApplicationDetail): unknown => ({
  name,
  artifact: `${artifact.name} ${artifact.version} ${artifact.scope.toUpperCase()}`,
  configuration: comparable(configuration),
});

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
