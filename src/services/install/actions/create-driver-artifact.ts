import type { ActionType } from '../action.js';
import { prepareArtifact } from '../artifact-action.js';

/** Uploads a JDBC driver; real packages have no JAR for it, the person brings it (`hub.md` 3.2). */
export const createDriverArtifact: ActionType = {
  type: 'create_driver_artifact',
  required: ['name'],
  resources: ['config', 'jar'],
  jar: 'asked',
  prepare: prepareArtifact,
};
