import type { ActionType } from '../action.js';
import { prepareArtifact } from '../artifact-action.js';

/** Uploads a plugin whose JAR the person brings, unless the package has it (`hub.md` 3.3). */
export const createPluginArtifact: ActionType = {
  type: 'create_plugin_artifact',
  required: ['name'],
  resources: ['config', 'jar'],
  jar: 'asked',
  prepare: prepareArtifact,
};
