/** The names of the action types that this tool can carry out, without what carries them out. */
export const ACTION_TYPES = [
  'informational',
  'create_driver_artifact',
  'create_plugin_artifact',
  'one_step_deploy_plugin',
  'deploy_app',
  'one_step_deploy_app',
  'create_pipeline',
  'create_pipeline_draft',
  'create_stream',
  'load_datapack',
] as const;
