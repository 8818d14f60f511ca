import { argument } from '../../catalog/argument-shape.js';
import type { ActionType } from '../action.js';
import { textsIn } from '../arguments.js';

/** Shows text; no request. The strings of the first argument count, whatever its name (`hub.md` 3.1). */
export const informational: ActionType = {
  type: 'informational',
  arguments: [argument('steps', { type: 'texts' })],
  asks: [],
  async prepare(action) {
    const [first] = action.arguments.values();
    return {
      n: action.n,
      type: action.type,
      label: action.label,
      target: { kind: 'none', name: '' },
      texts: textsIn(first),
      notices: [],
      inputs: {},
    };
  },
};
