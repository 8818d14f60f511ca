import { readPipelineConfig } from '../../../hub/resource-config.js';
import type { ActionType } from '../action.js';
import { requiredText } from '../arguments.js';
import { draftStep } from '../things/draft/step.js';
import { draftArtifact } from '../things/draft/drafts.js';
import { pipelineArtifact } from '../pipeline-artifact.js';

/** Creates the draft of a pipeline, for a person to finish in the studio (docs/hub-format.md 3.10). */
export const createPipelineDraft: ActionType = {
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
