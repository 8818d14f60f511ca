import { CliError } from '../../../core/errors.js';
import { hasClass, readJar } from '../../../core/files/jar.js';
import { readArtifactConfig } from '../../../hub/resource-config.js';
import type { Action } from '../../../hub/specification.js';
import type { ActionType } from '../action.js';
import type { StagedFiles } from './stage.js';

/** The plugin classes that a config declares; the JAR that a person brings must hold them (drivers). */
export async function declaredClasses(action: Action, stagedFiles: StagedFiles): Promise<readonly string[]> {
  const config = action.arguments.find(({ name }) => name === 'config')?.value;
  if (typeof config !== 'string') return [];
  return readArtifactConfig(await stagedFiles.resource(config), config).plugins.map(({ className }) => className);
}

/**
 * What is wrong with a JAR that a person brings, or what it is.
 * @throws BAD_JAR, LOCAL_IO
 */
export async function inspectLocalJar(
  file: string,
  type: ActionType | undefined,
  classes: readonly string[],
): Promise<string> {
  const jar = await readJar(file);
  const missing = classes.find((name) => !hasClass(jar, name));
  if (missing !== undefined)
    throw new CliError('BAD_JAR', `${file} does not contain the class ${missing}`, { target: { file } });
  return [
    `${Math.ceil(jar.bytes / 1024)} KB`,
    ...(classes.length === 0 ? [] : [`class ${classes.join(', ')} found`]),
    ...(type?.checkJar === undefined ? [] : [type.checkJar(jar)]),
    ...(jar.bundleVersion === undefined ? [] : [`manifest version ${jar.bundleVersion}`]),
  ].join(', ');
}
