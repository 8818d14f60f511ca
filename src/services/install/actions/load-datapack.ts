import { argument } from '../../catalog/argument-shape.js';
import type { ActionType } from '../action.js';
import { textsIn } from '../arguments.js';
import { loadStep, type DataFile } from '../load-step.js';
import { countEvents, streamName } from '../streams.js';

/** Loads the lines of files into a stream as events; platforms up to 5.x have streams (`hub.md` 3.6). */
export const loadDatapack: ActionType = {
  type: 'load_datapack',
  arguments: [
    argument('name', { required: true }),
    argument('files', { type: 'texts', required: true, resource: true }),
  ],
  asks: ['name'],
  async prepare(action, context) {
    const stream = streamName(action);
    const names = textsIn(action.arguments.get('files'));
    const files: DataFile[] = [];
    for (const name of names) {
      const staged = await context.file(name);
      files.push({ ...staged, name, events: await countEvents(staged.file) });
    }
    const step = loadStep({ stream, files });
    const { n, type, label } = action;
    const inputs = { name: stream, files: names };
    return { n, type, label, target: step.target, texts: [], notices: [], inputs, step };
  },
};
