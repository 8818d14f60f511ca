import { argument } from '../../catalog/argument-shape.js';
import type { ActionType } from '../action.js';
import { checkApplicationJar, prepareApplication } from '../app-action.js';

/** Deploys an application whose JAR the person brings, unless the package has it (`hub.md` 3.7). */
export const deployApp: ActionType = {
  type: 'deploy_app',
  arguments: [argument('jar', { resource: true })],
  asks: ['jar'],
  checkJar: checkApplicationJar,
  prepare: prepareApplication,
};
