import { argument, ARTIFACT_ARGUMENTS } from '../../catalog/argument-shape.js';
import type { ActionType } from '../action.js';
import { prepareArtifact } from '../artifact-action.js';

/** Uploads a JDBC driver; real packages have no JAR for it, the person brings it (`hub.md` 3.2). */
export const createDriverArtifact: ActionType = {
  type: 'create_driver_artifact',
  arguments: [...ARTIFACT_ARGUMENTS, argument('jar', { resource: true })],
  asks: ['jar'],
  prepare: prepareArtifact,
};
