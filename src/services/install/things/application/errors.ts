import { CliError } from '../../../../core/errors.js';
import type { ApplicationRecord } from '../../../../platform/apps.js';
import type { StepContext } from '../../action.js';
import type { AppName } from './look.js';

const CLASS = /^(?:\w+\.)+[A-Z][\w$]*$/u;

/**
 * The refusal where the artifact stands in the way of a deploy and no application is made from it (docs/conventions.md
 * D10).
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
 * A failed deploy in better words: the platform's 404 with nothing but the name of a class means that the application
 * needs it (docs/platform.md 5).
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
