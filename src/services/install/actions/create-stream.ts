import { withMember } from '../../../core/json/members.js';
import { readPipelineConfig } from '../../../hub/resource-config.js';
import type { ActionType } from '../action.js';
import { faultOfName, optionalText, requiredName } from '../arguments.js';
import { streamStep } from '../things/stream/step.js';

/** Creates a stream, on platforms that have streams (docs/hub-format.md 3.5). */
export const createStream: ActionType = {
  faultOf: faultOfName,
  async prepare(action, context) {
    const { n, type, label } = action;
    const name = requiredName(action);
    const description = optionalText(action, 'description');
    const resource = optionalText(action, 'properties');
    const given = resource === undefined ? '{}' : readPipelineConfig(await context.resource(resource), resource).text;
    const properties =
      description === undefined ? given : withMember(given, ['description'], JSON.stringify(description));
    const step = streamStep({ n, name, properties });
    const inputs = {
      name,
      ...(description !== undefined && { description }),
      ...(resource !== undefined && { properties: resource }),
    };
    return { n, type, label, target: step.target, texts: [], notices: [], inputs, step };
  },
};
