import { readPipelineConfig } from '../../../hub/resource-config.js';
import { PIPELINE_ARGUMENTS } from '../../catalog/argument-shape.js';
import type { ActionType } from '../action.js';
import { requiredText } from '../arguments.js';
import { draftStep } from '../draft-step.js';
import { draftArtifact } from '../drafts.js';
import { pipelineArtifact } from '../pipeline-artifact.js';

/** Creates the draft of a pipeline, for a person to finish in the studio (`hub.md` 3.10). */
export const createPipelineDraft: ActionType = {
  type: 'create_pipeline_draft',
  arguments: PIPELINE_ARGUMENTS,
  asks: ['name'],
  async prepare(action, context) {
    const name = requiredText(action, 'name');
    const config = requiredText(action, 'config');
    const { text: configuration } = readPipelineConfig(await context.resource(config), config);
    const wanted = { n: action.n, name, artifact: pipelineArtifact(action), configuration };
    const step = draftStep(wanted);
    const { n, type, label } = action;
    const inputs = { name, artifact: draftArtifact(wanted), config };
    return { n, type, label, target: step.target, texts: [], notices: [], inputs, step };
  },
};
