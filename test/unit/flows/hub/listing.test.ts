import { describe, expect, it } from 'vitest';
import { showsActions } from '../../../../src/flows/hub/listing.js';

describe('the types of actions', () => {
  it.each([
    [{}, false],
    [{ output: 'table' }, false],
    [{ output: 'json' }, false],
    [{ output: 'wide' }, true],
    [{ output: 'csv' }, true],
    [{ output: 'csv', fields: 'name,version' }, false],
    [{ output: 'json', fields: 'name, actions' }, true],
  ])('are read for %j: %s', (flags, expected) => {
    expect(showsActions(flags)).toBe(expected);
  });
});
