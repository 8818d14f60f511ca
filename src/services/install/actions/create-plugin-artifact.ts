import { argument, ARTIFACT_ARGUMENTS } from '../../catalog/argument-shape.js';
import type { ActionType } from '../action.js';
import { prepareArtifact } from '../artifact-action.js';

/** Uploads a plugin whose JAR the person brings, unless the package has it (`hub.md` 3.3). */
export const createPluginArtifact: ActionType = {
  type: 'create_plugin_artifact',
  arguments: [...ARTIFACT_ARGUMENTS, argument('jar', { resource: true })],
  asks: ['jar'],
  prepare: prepareArtifact,
};
