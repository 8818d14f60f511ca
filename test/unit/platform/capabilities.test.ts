import { describe, expect, it } from 'vitest';
import { capabilitiesOf, hasStudio } from '../../../src/platform/capabilities.js';
import type { Platform } from '../../../src/platform/client.js';

/** A platform that has the studio, or answers 404. */
const platform = (isThere: boolean): Platform => ({
  base: 'http://platform.example',
  call: async () => Promise.reject(new Error('only a read that may find nothing is asked')),
  find: async ({ answer }) => {
    const body = (async function* () {
      yield Buffer.from('{}');
    })();
    const facts = { status: 200, headers: {}, url: '', method: 'GET', attempts: 1, discard: async () => undefined };
    return isThere ? answer({ ...facts, body }) : undefined;
  },
});

const { signal } = new AbortController();

describe('the studio of a platform', () => {
  it.for([
    ['6.11.0', true, true],
    ['6.4.1', true, true],
    ['6.3.0', true, true],
    ['6.3.0', false, false],
    ['6.1.1', false, false],
    ['4.3.5', false, false],
  ] as const)('%s, application there: %s', async ([version, isThere, expected]) => {
    expect(await hasStudio(platform(isThere), capabilitiesOf(version), signal)).toBe(expected);
  });

  it('that is missing where it must be is no reason to take the user store', async () => {
    await expect(hasStudio(platform(false), capabilitiesOf('6.11.0'), signal)).rejects.toMatchObject({
      code: 'UNAVAILABLE',
    });
  });
});
