import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { ACTION_TYPES } from '../../../../src/services/catalog/action-types.js';
import { actionTypeOf } from '../../../../src/services/install/actions/index.js';

it('the names of the action types are those of all that can be carried out', () => {
  const files = readdirSync('src/services/install/actions').filter((name) => name !== 'index.ts');
  expect(ACTION_TYPES.map((name) => `${name.replaceAll('_', '-')}.ts`).sort()).toEqual(files.sort());
  for (const name of ACTION_TYPES) expect(actionTypeOf(name)?.type).toBe(name);
});
