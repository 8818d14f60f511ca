import type { ActionShape } from '../../catalog/argument-shape.js';
import type { ActionType } from '../action.js';
import { createDriverArtifact } from './create-driver-artifact.js';
import { createPipeline } from './create-pipeline.js';
import { createPipelineDraft } from './create-pipeline-draft.js';
import { createPluginArtifact } from './create-plugin-artifact.js';
import { createStream } from './create-stream.js';
import { deployApp } from './deploy-app.js';
import { informational } from './informational.js';
import { loadDatapack } from './load-datapack.js';
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
  createStream,
  loadDatapack,
];

/** The action type of a name; undefined when this tool does not know it. */
export function actionTypeOf(type: string): ActionType | undefined {
  return ALL.find((known) => known.type === type);
}

/** What is known of a type's arguments. */
export function shapeOf(type: string): ActionShape | undefined {
  return actionTypeOf(type);
}
