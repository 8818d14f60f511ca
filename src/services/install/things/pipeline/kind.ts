import { getApplication } from '../../../../platform/apps.js';
import type { Thing } from '../../../../state/ledger.js';
import { applicationPart, removeApplication } from '../../platform-application.js';
import { present, type ThingState } from '../../thing-state.js';
import type { LookDeps, ThingKind } from '../../thing-kind.js';

async function look({ name }: Thing, { platform, namespace, signal }: LookDeps): Promise<ThingState> {
  const found = await platform.find(getApplication, { namespace, application: name }, signal);
  return found === undefined ? { state: 'absent' } : present(applicationPart(found));
}

/** A pipeline; it goes before what it may need. */
export const pipelineKind: ThingKind = {
  order: 1,
  look,
  applications: async ({ name }) => [name],
  remove: ({ name }, deps) => removeApplication(name, deps),
};
