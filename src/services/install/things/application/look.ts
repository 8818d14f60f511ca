import { getArtifact } from '../../../../platform/artifacts.js';
import { getApplication, listApplications, type ApplicationRecord } from '../../../../platform/apps.js';
import type { StepContext } from '../../action.js';

/**
 * The artifact and main class of an application to deploy. The short name of the class is usually the name of the
 * application.
 */
export interface AppName {
  readonly name: string;
  readonly version: string;
  readonly mainClass: string;
}

/** What a platform has of an application that is deployed from a JAR. */
export interface AppLook {
  /** The artifact of the JAR is there. */
  readonly artifact: boolean;
  /** Applications that are made from this very artifact. */
  readonly made: readonly ApplicationRecord[];
  /**
   * All applications that the deploy could change. They use any version of the artifact, or have the name of the class.
   */
  readonly related: readonly ApplicationRecord[];
}

const shortName = ({ mainClass }: AppName): string => mainClass.replace(/^.*[.$]/su, '');

/**
 * The application among some that a deploy writes over: that of the class's name. An application that names itself
 * otherwise is one of the artifact's.
 */
export function formerName(wanted: AppName, names: readonly string[]): string | undefined {
  return names.find((name) => name === shortName(wanted)) ?? names[0];
}

/**
 * The state of each application, to tell later whether a deploy changed it. It has the artifact and, where the platform
 * counts versions, the version.
 */
export function identitiesOf({ related }: AppLook): Record<string, string> {
  return Object.fromEntries(
    related.map(({ name, version = '', artifact }) => [name, `${artifact.name} ${artifact.version} ${version}`]),
  );
}

/** Whether one of the applications made from the artifact is another one than before. */
export function isDeployed({ made, ...look }: AppLook, before: Readonly<Record<string, string>>): boolean {
  const now = identitiesOf({ made, ...look });
  return made.some(({ name }) => now[name] !== before[name]);
}

/** Looks at the platform; writes nothing. */
export async function lookAt(wanted: AppName, context: StepContext): Promise<AppLook> {
  const { platform, namespace, signal } = context;
  const { name, version } = wanted;
  const artifact = await platform.find(getArtifact, { namespace, name, version }, signal);
  const listed = await platform.call(listApplications, { namespace, artifact: name }, signal);
  const own = listed.filter((one) => one.artifact.name === name && one.artifact.scope.toUpperCase() === 'USER');
  const related = [...own];
  if (!own.some((one) => one.name === shortName(wanted))) {
    const found = await platform.find(getApplication, { namespace, application: shortName(wanted) }, signal);
    if (found !== undefined) related.push({ name: found.name, version: found.appVersion, artifact: found.artifact });
  }
  return { artifact: artifact !== undefined, made: own.filter((one) => one.artifact.version === version), related };
}
