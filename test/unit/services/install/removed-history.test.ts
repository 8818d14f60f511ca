import { describe, expect, it } from 'vitest';
import { historyOf } from '../../../../src/services/install/journal/step-history.js';
import type { InstallEntry } from '../../../../src/state/install-journal.js';

const KEY = 'a'.repeat(64);
const at = '2025-01-01T00:00:00.000Z';
const step = (n: number): InstallEntry => ({ v: 1, type: 'step', n, key: KEY, state: 'done', at });
const removing = (n: number): InstallEntry => ({
  ...{ v: 1, type: 'target', n, kind: 'stream', name: 's', state: 'removing', at },
});

describe('historyOf after an uninstall', () => {
  it('does not take for done what was removed since, and nothing else', () => {
    const entries = [step(1), step(2), removing(1)];
    expect(historyOf(entries, 1, KEY)).toMatchObject({ begun: false, done: false });
    expect(historyOf(entries, 2, KEY)).toMatchObject({ done: true });
    expect(historyOf([...entries, step(1)], 1, KEY)).toMatchObject({ done: true });
  });
});
