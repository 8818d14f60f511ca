import type { ActionType } from '../action.js';
import { textsIn } from '../arguments.js';

/** Shows text; no request. The strings of the first argument count, whatever its name (docs/hub-format.md 3.1). */
export const informational: ActionType = {
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
