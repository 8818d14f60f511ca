import { CliError } from '../../../../core/errors.js';
import type { ApplicationRecord } from '../../../../platform/apps.js';
import type { StepContext } from '../../action.js';
import type { AppName } from './look.js';

const CLASS = /^(?:\w+\.)+[A-Z][\w$]*$/u;

/**
 * The error when the artifact exists but no application uses it (docs/conventions.md D10). The platform then refuses to
 * deploy the JAR.
 */
export function orphanedArtifact(
  { name, version }: AppName,
  other: ApplicationRecord | undefined,
  { namespace }: StepContext,
): CliError {
  const instead =
    other === undefined ? '' : `; application ${other.name} uses ${other.artifact.name} ${other.artifact.version}`;
  return new CliError('CONFLICT', `artifact ${name} ${version} already exists, but no application uses it${instead}`, {
    hints: [
      `delete the artifact, then run the same command again: DELETE /v3/namespaces/${namespace}/artifacts/${name}/versions/${version}`,
    ],
    target: { artifact: name, version, namespace },
  });
}

/**
 * Explains a failed deploy whose application needs a class that the platform lacks. The platform answers 404 with only
 * the name of the class (docs/platform.md 5).
 */
export function explainedDeploy({ name, version }: AppName, error: unknown): unknown {
  if (!(error instanceof CliError) || error.code !== 'NOT_FOUND') return error;
  const said = error.details.serverSaid ?? '';
  if (!CLASS.test(said)) return error;
  return new CliError(
    'REMOTE_FAILED',
    `application ${name} ${version} needs the class ${said}, which this platform does not have`,
    { ...error.details, lines: ['its JAR was probably built for another platform version'], cause: error },
  );
}
