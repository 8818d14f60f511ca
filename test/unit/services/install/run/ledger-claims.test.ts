import { expect, it } from 'vitest';
import { getApplication } from '../../../../../src/platform/apps.js';
import type { Platform } from '../../../../../src/platform/client.js';
import { claimsOf } from '../../../../../src/services/install/run/ledger-claims.js';
import { systemClock } from '../../../../../src/cli/clock.js';
import { InstallEntry } from '../../../../../src/state/install-journal.js';
import { contextWith, observed, prepared, request } from '../support.js';

const platform: Platform = {
  base: 'http://platform.example',
  call: async () => Promise.reject(new Error('not asked for')),
  find: async (endpoint) => {
    expect(endpoint).toBe(getApplication);
    return {
      name: 'copy',
      artifact: { name: 'batch', version: '6.11.0', scope: 'SYSTEM' },
      configuration: '{}',
    } as never;
  },
};

/** What the ledger says after a step that made a pipeline where none was, and saw it there afterwards. */
async function statesAfter(statuses: readonly number[]): Promise<readonly string[]> {
  const entries: InstallEntry[] = [];
  const journal = {
    file: '/x',
    entries,
    append: async (entry: InstallEntry) => void entries.push(InstallEntry.parse(entry)),
    close: async () => undefined,
  };
  const requests = statuses.map((status) => request(status));
  const claims = claimsOf(prepared(1, 'copy'), { ...contextWith({ platform }), journal, clock: systemClock, requests });
  await claims.begin(observed('absent'));
  await claims.settle(true);
  return entries.flatMap((entry) => (entry.type === 'target' ? entry.state : []));
}

it.each([
  ['was answered', [200], 'created'],
  ['got no answer', [0], 'created'],
  ['was answered 400, but applied', [400], 'created'],
  ['was answered 500, but applied', [500], 'created'],
  ['met what somebody else had made', [409], 'found'],
  ['was not needed, because somebody else was faster', [], 'found'],
])('a deploy that %s: %j is %s', async (_, statuses, state) => {
  expect(await statesAfter(statuses)).toEqual(['creating', state]);
});
