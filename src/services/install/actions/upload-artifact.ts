import type { ActionType } from '../action.js';
import { prepareArtifact } from '../things/artifact/action.js';

/**
 * Uploads a JDBC driver or a plugin. Where its JAR comes from is a matter of the type (docs/hub-format.md 3.2 to 3.4).
 */
export const uploadArtifact: ActionType = { prepare: prepareArtifact };
