import { argument, ARTIFACT_ARGUMENTS } from '../../catalog/argument-shape.js';
import type { ActionType } from '../action.js';
import { prepareArtifact } from '../artifact-action.js';

/** Uploads a plugin of the package without asking (`hub.md` 3.4). */
export const oneStepDeployPlugin: ActionType = {
  type: 'one_step_deploy_plugin',
  arguments: [...ARTIFACT_ARGUMENTS, argument('jar', { required: true, resource: true })],
  asks: [],
  prepare: prepareArtifact,
};
