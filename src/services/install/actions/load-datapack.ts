import { CliError } from '../../../core/errors.js';
import type { ActionType } from '../action.js';
import { faultOfName, requiredName, textsIn } from '../arguments.js';
import { dataFile } from '../things/stream/data-files.js';
import { loadStep } from '../things/stream/load-step.js';

/**
 * Loads files of the package into a stream (docs/hub-format.md 3.6). Creates the stream if it is missing. Only for
 * platforms with streams.
 */
export const loadDatapack: ActionType = {
  faultOf: faultOfName,
  async prepare(action, context) {
    const { n, type, label } = action;
    const name = requiredName(action);
    const names = textsIn(action.arguments.get('files'));
    if (names.length === 0) throw new CliError('BAD_ACTION', `action ${n} (${type}): argument "files" lists no file`);
    const files = [];
    for (const file of names) files.push(await dataFile(file, await context.file(file)));
    const step = loadStep({ n, name, files });
    return { n, type, label, target: step.target, texts: [], notices: [], inputs: { name, files: names }, step };
  },
};
