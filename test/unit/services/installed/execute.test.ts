import { describe, expect, it } from 'vitest';
import {
  executeUninstall,
  type UninstallOutcome,
  type UninstallDeps,
} from '../../../../src/services/installed/execute.js';
import type { Decision } from '../../../../src/services/installed/plan.js';
import type { InstallEntry } from '../../../../src/state/install-journal.js';
import { errorWith, NO_PLATFORM } from '../install/support.js';

/** What an uninstall that removes nothing comes to, with a journal that takes entries like this. */
function execute(decision: Decision, append: (entry: InstallEntry) => Promise<void>): Promise<UninstallOutcome> {
  const journal = { entries: [], append, close: async () => undefined };
  const clock = { now: () => 0, monotonic: () => 0, sleep: async () => undefined };
  const signal = new AbortController().signal;
  const looking = { platform: NO_PLATFORM, namespace: 'default', capabilities: {} as never, signal };
  return executeUninstall([decision], {
    ...looking,
    journal,
    clock,
    emit: () => undefined,
    stop: signal,
  } as unknown as UninstallDeps);
}

/** What it writes into the journal. */
async function written(decision: Decision): Promise<unknown> {
  const entries: InstallEntry[] = [];
  await execute(decision, async (entry) => void entries.push(entry));
  return entries.map((entry) => (entry.type === 'target' ? [entry.state, entry.why] : entry.type));
}

describe('an uninstall that leaves something', () => {
  it.each([
    ['left', 'live'],
    ['left', 'left'],
    // Half removed: without the mark its rest would look like something that somebody changed.
    ['removing', 'removing'],
  ] as const)('notes it as %s, with the reason, where it was %s', async (state, standing) => {
    const item = { kind: 'application', name: 'a', version: '1', actions: [1], origin: 'created', standing } as const;
    const decision = { item, action: 'leave', reason: 'used', text: 'used by b' } as const;
    expect(await written(decision)).toEqual([[state, 'used by b'], 'uninstalled']);
  });

  it.each(['target', 'uninstalled'])('tells it also where the journal cannot take the entry "%s"', async (type) => {
    const full = errorWith('DISK_FULL');
    const item = { kind: 'artifact', name: 'a', actions: [1], origin: 'created', standing: 'live' } as const;
    const decision = { item, action: 'leave', reason: 'used', text: 'used by b' } as const;
    const executed = await execute(decision, async (entry) => (entry.type === type ? Promise.reject(full) : undefined));
    expect(executed).toEqual({ outcomes: [{ decision, state: 'left', requests: [] }], unwritten: full });
  });
});
