import { expect, it } from 'vitest';
import { actionWithoutStreams } from '../../../../src/services/catalog/compatibility.js';
import { action } from '../install/support.js';

it.each([
  ['6.1.1', ['create_pipeline', 'load_datapack', 'create_stream'], 2],
  ['6.1.1', ['create_pipeline'], undefined],
  ['4.3.5', ['create_stream'], undefined],
])('on %s, of %j number %s is the first that no permission makes possible', (version, types, n) => {
  const actions = types.map((type, at) => action(at + 1, type));
  expect(actionWithoutStreams(actions, version)).toBe(n);
});
