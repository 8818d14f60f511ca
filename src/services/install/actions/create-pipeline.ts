import { readPipelineConfig } from '../../../hub/resource-config.js';
import type { ActionType } from '../action.js';
import { faultOfName, requiredName, requiredText } from '../arguments.js';
import { pipelineArtifact } from '../pipeline-artifact.js';
import { pipelineStep } from '../things/pipeline/step.js';

/** Creates a pipeline, or updates the one of that name to the package's configuration. See docs/hub-format.md 3.9. */
export const createPipeline: ActionType = {
  faultOf: faultOfName,
  async prepare(action, context) {
    const name = requiredName(action);
    const artifact = pipelineArtifact(action);
    const configName = requiredText(action, 'config');
    const { text } = readPipelineConfig(await context.resource(configName), configName);
    const step = pipelineStep({ n: action.n, name, artifact, configuration: text });
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
