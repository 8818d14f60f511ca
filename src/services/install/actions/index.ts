import type { ActionTypeName } from '../../../hub/action-types.js';
import type { ActionType } from '../action.js';
import { createPipeline } from './create-pipeline.js';
import { createPipelineDraft } from './create-pipeline-draft.js';
import { createStream } from './create-stream.js';
import { deployApp } from './deploy-app.js';
import { informational } from './informational.js';
import { loadDatapack } from './load-datapack.js';
import { uploadArtifact } from './upload-artifact.js';

const ALL = {
  informational,
  create_driver_artifact: uploadArtifact,
  create_plugin_artifact: uploadArtifact,
  one_step_deploy_plugin: uploadArtifact,
  deploy_app: deployApp,
  one_step_deploy_app: deployApp,
  create_pipeline: createPipeline,
  create_pipeline_draft: createPipelineDraft,
  create_stream: createStream,
  load_datapack: loadDatapack,
} satisfies Record<ActionTypeName, ActionType>;

const TYPES: ReadonlyMap<string, ActionType> = new Map(Object.entries(ALL));

/** What carries out the action type of a name; undefined when this tool does not know it. */
export const actionTypeOf = (type: string): ActionType | undefined => TYPES.get(type);
