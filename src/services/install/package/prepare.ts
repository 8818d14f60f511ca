import { CliError } from '../../../core/errors.js';
import { readJar } from '../../../core/files/jar.js';
import type { Action } from '../../../hub/specification.js';
import type { Inputs } from '../../catalog/open-inputs.js';
import type { JarSource, PrepareContext, PreparedAction } from '../action.js';
import { actionTypeOf } from '../actions/index.js';
import { resolveArguments } from './resolve-arguments.js';
import type { StagedFiles } from './stage.js';

/** The target namespace, the flags that change actions, and where JARs are staged. */
export interface PrepareOptions {
  readonly namespace: string;
  readonly assumeSystem: boolean;
  readonly forceSet: boolean;
  readonly staging: StagedFiles;
}

/** An action that is bad after a person changed its arguments is that person's, not the package's. */
const blaming =
  (inputs: Inputs, { n }: Action) =>
  (error: unknown): never => {
    throw error instanceof CliError && error.code === 'BAD_ACTION' && inputs.set.has(n)
      ? new CliError('USAGE', error.message, error.details)
      : error;
  };

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
