import { CliError } from '../../../core/errors.js';
import { parseJson } from '../../../core/json.js';
import { parseRange } from '../../../core/version-range.js';
import { readPipelineConfig } from '../../../hub/resource-config.js';
import { PIPELINE_ARGUMENTS } from '../../catalog/argument-shape.js';
import type { ActionType, ResolvedAction } from '../action.js';
import { requiredText } from '../arguments.js';
import { pipelineStep, type PipelineArtifact } from '../pipeline-step.js';

const NAME = /^[A-Za-z0-9_-]+$/u;

function artifactOf(action: ResolvedAction): PipelineArtifact {
  const bad = (what: string): CliError =>
    new CliError('BAD_ACTION', `action ${action.n} (create_pipeline): argument "artifact" ${what}`);
  const given = action.arguments.get('artifact');
  const value = typeof given === 'string' ? parseJson(Buffer.from(given), `the artifact of action ${action.n}`) : given;
  if (typeof value !== 'object' || value === null) throw bad('is not an object');
  const { name, version, scope = 'user' } = Object.fromEntries(Object.entries(value));
  if (typeof name !== 'string' || typeof version !== 'string' || typeof scope !== 'string')
    throw bad('lacks a name, version or scope');
  const range = parseRange(version);
  if (range === undefined) throw bad(`has "${version}", which is no version and no range`);
  return { name, version, range, scope: scope.toUpperCase() === 'SYSTEM' ? 'SYSTEM' : 'USER' };
}

/** Creates a pipeline, or brings an existing one of that name to the package's configuration (`hub.md` 3.9). */
export const createPipeline: ActionType = {
  type: 'create_pipeline',
  arguments: PIPELINE_ARGUMENTS,
  asks: ['name'],
  async prepare(action, context) {
    const name = requiredText(action, 'name');
    if (!NAME.test(name)) {
      throw new CliError(
        'BAD_ACTION',
        `action ${action.n}: the platform does not take "${name}" as the name of a pipeline`,
        {
          hints: [`use letters, digits, "_" and "-": --set ${action.n}.name=NAME`],
        },
      );
    }
    const artifact = artifactOf(action);
    const configName = requiredText(action, 'config');
    const { text } = readPipelineConfig(await context.resource(configName), configName);
    const step = pipelineStep({ name, artifact, configuration: text });
    const inputs = {
      name,
      artifact: { name: artifact.name, version: artifact.version, scope: artifact.scope },
      config: configName,
    };
    return {
      n: action.n,
      type: action.type,
      label: action.label,
      target: step.target,
      texts: [],
      notices: [],
      inputs,
      step,
    };
  },
};
