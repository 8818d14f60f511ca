import { expect, it } from 'vitest';
import { executePlan, type Execution } from '../../../../src/services/install/execute.js';
import type { InstallEntry } from '../../../../src/state/install-journal.js';
import { COMMANDS, errorOf, NO_PLATFORM, prepared } from './support.js';

it.each([
  ['the end of it all', 'finished', false],
  ['the end of what was done once more', 'ended', true],
])('an install tells what it did also where the journal cannot take %s', async (_, refused, again) => {
  const full = errorOf('DISK_FULL');
  const entries: InstallEntry[] = [];
  const append = async (entry: InstallEntry): Promise<void> => {
    if (entry.type === refused || (entry.type === 'again' && entry.state === refused)) throw full;
    entries.push(entry);
  };
  const { signal } = new AbortController();
  const executed = await executePlan([prepared(1, 'copy')], {
    platform: NO_PLATFORM,
    namespace: 'default',
    capabilities: {} as never,
    staging: {} as never,
    journal: { file: '', entries, append, close: async () => undefined },
    leftOut: [],
    again,
    force: false,
    verified: true,
    agreed: new Set(),
    commands: COMMANDS,
    clock: { now: () => 0, monotonic: () => 0, sleep: async () => undefined },
    emit: () => undefined,
    signal,
    stop: signal,
  } satisfies Execution);
  expect(executed).toMatchObject({ outcomes: [{ n: 1, state: 'done' }], unwritten: full });
});
