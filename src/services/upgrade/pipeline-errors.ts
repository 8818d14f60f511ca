import { CliError } from '../../core/errors.js';
import type { PipelineRef } from './pipeline.js';
import type { PlannedPipeline } from './plan.js';

/** The error of a pipeline that is another one than was planned. */
export function changed({ name, namespace }: PipelineRef): CliError {
  return new CliError(
    'CHANGED_MEANWHILE',
    `somebody changed pipeline ${name} since it was planned; it was not overwritten`,
    { target: { namespace, pipeline: name } },
  );
}

/** What the pre-check found, as the error of a pipeline that is not sent. */
export function blockedBy({ ref, findings }: PlannedPipeline): CliError {
  const blocked = findings.filter(({ level }) => level === 'blocked');
  const lines = blocked.map(({ stage, reason }) => `stage ${JSON.stringify(stage)}: ${reason}`);
  return new CliError('BLOCKED', lines[0] ?? 'the pre-check refused it', {
    lines: lines.slice(1),
    target: { namespace: ref.namespace, pipeline: ref.name },
  });
}
