import { asError, CliError } from '../../core/errors.js';
import type { PipelinePlace, PipelineRef, StageFinding } from './pipeline.js';

/** The error of a pipeline that is another one than was planned. */
export function changed({ name, namespace }: PipelineRef): CliError {
  return new CliError(
    'CHANGED_MEANWHILE',
    `pipeline ${name} was changed by someone else since the plan; it was not overwritten`,
    { target: { namespace, pipeline: name } },
  );
}

/** What the pre-check found, as the error of a pipeline that is not sent. */
export function blockedBy({
  ref,
  findings,
}: {
  readonly ref: PipelinePlace;
  readonly findings: readonly StageFinding[];
}): CliError {
  const blocked = findings.filter(({ level }) => level === 'blocked');
  const lines = blocked.map(({ stage, reason }) => `stage ${JSON.stringify(stage)}: ${reason}`);
  return new CliError('BLOCKED', lines[0] ?? 'blocked by the pre-check', {
    lines: lines.slice(1),
    target: { namespace: ref.namespace, pipeline: ref.name },
  });
}

/** The error of a pipeline that is no longer there. */
export function gone({ name, namespace }: PipelinePlace, since = 'planned'): CliError {
  return new CliError('GONE', `pipeline ${name} was deleted since it was ${since}`, {
    target: { namespace, pipeline: name },
  });
}

/**
 * The error of a pipeline that someone else deployed since it was read. Found by a look at it, or from the answer of
 * the deploy.
 */
export function changedMeanwhile({ name }: PipelinePlace, cause?: CliError): CliError {
  const { request, serverSaid } = cause?.details ?? {};
  return new CliError(
    'CHANGED_MEANWHILE',
    `pipeline ${name} was changed by someone else since it was read; it was not overwritten`,
    { cause, request, serverSaid },
  );
}

/** The error of what came after a proved deploy, of which nothing is to be sent again. */
export function afterDeploy(cause: unknown): CliError {
  const { code, message, details } = asError(cause);
  return new CliError(code, message, { ...details, isDeployed: true });
}

/**
 * The error of a pipeline that was sent and of which it cannot be proved what it is now. `resume` is the command that
 * settles it.
 */
export function unproved(name: string, cause: unknown, resume: string): CliError {
  const error = asError(cause);
  if (error.code === 'UNKNOWN_OUTCOME') return error;
  const { request, serverSaid, hints = [] } = error.details;
  return new CliError('UNKNOWN_OUTCOME', `pipeline ${name} was sent, but the check was interrupted: ${error.message}`, {
    cause: error,
    request,
    serverSaid,
    hints: [resume, ...hints],
  });
}
