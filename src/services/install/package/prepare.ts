import { isAbsolute, resolve } from 'node:path';
import { CliError } from '../../../core/errors.js';
import { hasClass, readJar } from '../../../core/files/jar.js';
import { readArtifactConfig } from '../../../hub/resource-config.js';
import type { Action } from '../../../hub/specification.js';
import type { Inputs } from '../../catalog/open-inputs.js';
import type { ActionType, JarSource, PrepareContext, PreparedAction } from '../action.js';
import { actionTypeOf } from '../actions/index.js';
import { resolveArguments } from './resolve-arguments.js';
import type { StagedFiles } from './stage.js';

/** What preparing needs besides the actions. */
export interface PrepareOptions {
  readonly namespace: string;
  readonly assumeSystem: boolean;
  readonly forceSet: boolean;
  readonly staging: StagedFiles;
}

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

/** An action that is bad after a person changed its arguments is that person's, not the package's. */
const blaming =
  (inputs: Inputs, { n }: Action) =>
  (error: unknown): never => {
    throw error instanceof CliError && error.code === 'BAD_ACTION' && inputs.set.has(n)
      ? new CliError('USAGE', error.message, error.details)
      : error;
  };

const IN_FOLDER = 'paths are relative to the current folder, including those in a values file';

/** A JAR of a person that cannot be used is told with its action and the place where it was looked for. */
const asGiven =
  (n: number, file: string) =>
  (error: unknown): never => {
    if (!(error instanceof CliError)) throw error;
    const place = isAbsolute(file) ? [] : [`path: ${resolve(file)}`];
    const { lines = [], hints = [], ...details } = error.details;
    throw new CliError(error.code, `action ${n}: ${error.message}`, {
      ...details,
      lines: [...lines, ...place],
      hints: [...hints, ...(place.length > 0 && error.code === 'LOCAL_IO' ? [IN_FOLDER] : [])],
    });
  };

/**
 * Refuses wrong inputs before the user is asked for missing ones.
 * @throws USAGE when an argument is not valid
 * @throws BAD_JAR when a JAR of the user does not fit its action
 * @throws LOCAL_IO when a JAR of the user cannot be read
 */
export async function refuseWrongInputs(
  actions: readonly Action[],
  inputs: Inputs,
  { forceSet, staging }: Pick<PrepareOptions, 'forceSet' | 'staging'>,
): Promise<void> {
  for (const action of actions) {
    const type = actionTypeOf(action.type);
    if (type === undefined) continue;
    const { n, jar } = resolveArguments(action, inputs, forceSet);
    for (const [name, text] of inputs.set.get(n) ?? []) {
      const fault = type.faultOf?.(name, text);
      if (fault !== undefined)
        throw new CliError('USAGE', `action ${n}: ${fault}`, {
          hints: [{ next: 'set-argument', n, name, what: 'another' }],
        });
    }
    if (jar?.kind === 'local')
      await inspectLocalJar(jar.file, type, await declaredClasses(action, staging)).catch(asGiven(n, jar.file));
  }
}

/** Adds size and digest of a JAR that the user provides. A plan holds nothing else of it. */
async function withDigest(
  prepared: PreparedAction,
  jar: JarSource | undefined,
  { jar: stage }: StagedFiles,
): Promise<PreparedAction> {
  if (jar?.kind !== 'local') return prepared;
  const { bytes, sha256 } = await stage(jar);
  return { ...prepared, inputs: { ...prepared.inputs, jarBytes: bytes, jarSha256: sha256 } };
}

/** Prepares the actions in order: arguments, configs, versions. Reads only files that were verified. */
export async function prepareActions(
  actions: readonly Action[],
  inputs: Inputs,
  options: PrepareOptions,
): Promise<readonly PreparedAction[]> {
  const { staging, namespace, assumeSystem } = options;
  const inspect: PrepareContext['inspect'] = async (jar) => readJar((await staging.jar(jar)).file);
  const prepared: PreparedAction[] = [];
  for (const action of actions) {
    const type = actionTypeOf(action.type);
    if (type === undefined) continue;
    const resolved = resolveArguments(action, inputs, options.forceSet);
    const context = { namespace, assumeSystem, resource: staging.resource, file: staging.file, inspect };
    const ready = await type.prepare(resolved, context).catch(blaming(inputs, action));
    prepared.push(await withDigest(ready, resolved.jar, staging));
  }
  return prepared;
}
