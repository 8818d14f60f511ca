import { argument } from '../../catalog/argument-shape.js';
import type { ActionType } from '../action.js';
import { checkApplicationJar, prepareApplication } from '../app-action.js';

/** Deploys an application of the package without asking (`hub.md` 3.8). */
export const oneStepDeployApp: ActionType = {
  type: 'one_step_deploy_app',
  arguments: [argument('jar', { required: true, resource: true })],
  asks: [],
  checkJar: checkApplicationJar,
  prepare: prepareApplication,
};
