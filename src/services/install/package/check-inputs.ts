import { isAbsolute, resolve } from 'node:path';
import { CliError } from '../../../core/errors.js';
import type { Action } from '../../../hub/specification.js';
import type { Inputs } from '../../catalog/open-inputs.js';
import { actionTypeOf } from '../actions/index.js';
import { declaredClasses, inspectLocalJar } from './local-jar.js';
import { resolveArguments } from './resolve-arguments.js';
import type { StagedFiles } from './stage.js';

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
  { forceSet, staging }: { readonly forceSet: boolean; readonly staging: StagedFiles },
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
