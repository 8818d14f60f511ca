import { getApplication, listApplications } from '../../../../platform/apps.js';
import type { Thing } from '../../../../state/ledger.js';
import { artifactPart, artifactUsers, findArtifact, removeArtifact } from '../artifact/kind.js';
import { applicationPart, removeApplication } from '../../platform-application.js';
import { present, type ThingState } from '../../thing-state.js';
import type { LookDeps, RemovalDeps, ThingKind } from '../../thing-kind.js';

/** The names of the applications that are made from an artifact of the namespace. */
async function madeFrom(
  { name, version }: Thing,
  { platform, namespace, signal }: LookDeps,
): Promise<readonly string[]> {
  const listed = await platform.call(listApplications, { namespace, artifact: name }, signal);
  const own = listed.filter((one) => one.artifact.scope.toUpperCase() === 'USER' && one.artifact.name === name);
  return [...new Set(own.filter((one) => one.artifact.version === version).map((one) => one.name))].sort();
}

async function look(thing: Thing, deps: LookDeps): Promise<ThingState> {
  const { platform, namespace, signal } = deps;
  const found = await findArtifact(thing, deps);
  const details: unknown[] = [];
  for (const name of await madeFrom(thing, deps)) {
    const detail = await platform.find(getApplication, { namespace, application: name }, signal);
    if (detail !== undefined) details.push(applicationPart(detail));
  }
  if (found === undefined && details.length === 0) return { state: 'absent' };
  const whole = present({ artifact: found && artifactPart(found), applications: details });
  return whole.state === 'present' && details.length === 0 ? { ...whole, bare: true } : whole;
}

async function remove(thing: Thing, deps: RemovalDeps): Promise<void> {
  for (const name of await madeFrom(thing, deps)) await removeApplication(name, deps);
  return removeArtifact(thing, deps);
}

/** An artifact with the applications that are made from it, which is what a deployed JAR becomes. */
export const applicationKind: ThingKind = {
  order: 2,
  look,
  applications: madeFrom,
  users: artifactUsers,
  remove,
};
