import type { ActionType } from '../action.js';
import { checkApplicationJar, prepareApplication } from '../things/application/action.js';

/** Deploys an application. Where its JAR comes from is a matter of the type (docs/hub-format.md 3.7, 3.8). */
export const deployApp: ActionType = { checkJar: checkApplicationJar, prepare: prepareApplication };
