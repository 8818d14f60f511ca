import type { ActionShape } from '../../catalog/argument-shape.js';
import type { ActionType } from '../action.js';
import { COMING } from './coming.js';
import { createDriverArtifact } from './create-driver-artifact.js';
import { createPipeline } from './create-pipeline.js';
import { createPipelineDraft } from './create-pipeline-draft.js';
import { createPluginArtifact } from './create-plugin-artifact.js';
import { deployApp } from './deploy-app.js';
import { informational } from './informational.js';
import { oneStepDeployApp } from './one-step-deploy-app.js';
import { oneStepDeployPlugin } from './one-step-deploy-plugin.js';

const ALL: readonly ActionType[] = [
  informational,
  createDriverArtifact,
  createPluginArtifact,
  oneStepDeployPlugin,
  deployApp,
  oneStepDeployApp,
  createPipeline,
  createPipelineDraft,
];

/** The action type of a name; undefined when this tool does not know it. */
export function actionTypeOf(type: string): ActionType | undefined {
  return ALL.find((known) => known.type === type);
}

/** What is known of a type's arguments, also where an install cannot carry it out yet. */
export function shapeOf(type: string): ActionShape | undefined {
  return actionTypeOf(type) ?? COMING.get(type);
}
