import type { ActionType } from '../action.js';
import { prepareArtifact } from '../artifact-action.js';

/** Uploads a plugin of the package without asking (`hub.md` 3.4). */
export const oneStepDeployPlugin: ActionType = {
  type: 'one_step_deploy_plugin',
  required: ['name', 'jar'],
  resources: ['config', 'jar'],
  jar: 'packaged',
  prepare: prepareArtifact,
};
