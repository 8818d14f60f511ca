import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { JarSource } from '../../../../../src/services/install/action.js';
import { stageRun, type StageOptions } from '../../../../../src/services/install/run/stage-run.js';
import { openInstallJournal } from '../../../../../src/state/install-journal.js';
import { clockAt } from '../../../../support/clock.js';
import { codeOf } from '../../../../support/errors.js';
import { errorWith, prepared } from '../support.js';

const IDENTITY = {
  ...{ platform: 'http://cdap.example', namespace: 'default', hub: 'https://hub.example', hubName: 'corp' },
  ...{ package: 'orders', version: '1.0.0' },
};
const JAR: JarSource = { kind: 'hub', name: 'plug.jar' };
const report = {
  name: 'plug.jar',
  bytes: 5,
  sha256: 'a',
  verdict: { state: 'valid', reason: 'good', fingerprint: 'F' },
};

/** Stages a run of one JAR; `refused` is what staging it ends with. */
async function staged(refused?: Error) {
  const stateFolder = mkdtempSync(join(tmpdir(), 'cdapctl-stage-run-'));
  const done: string[] = [];
  const action = prepared(1, 'p1');
  const warnings: string[] = ['of before'];
  const jar = async ({ name }: Extract<JarSource, { kind: 'hub' }>) => {
    if (refused !== undefined) throw refused;
    done.push(`stage ${name}`);
    warnings.push('not signed');
  };
  const options = {
    ...{ stateFolder, identity: IDENTITY, clock: clockAt(1000) },
    plan: { prepared: [{ ...action, ...(action.step && { step: { ...action.step, jar: JAR } }) }] },
    trust: { setup: { policy: 'require' }, remember: async (memory: string) => void done.push(`remember ${memory}`) },
    opened: {
      staging: { jar },
      trusted: { warnings, reports: [report], index: { sequence: 7 }, remembered: () => 'what passed' },
    },
  } as unknown as StageOptions;
  const entries = async () => (await openInstallJournal(stateFolder, IDENTITY)).entries;
  return { done, entries, run: () => stageRun(options) };
}

describe('a run that is staged', () => {
  it('has all its files, remembers what passed, and says in its journal what it is', async () => {
    const { done, entries, run } = await staged();
    const { journal, trust, warnings } = await run();
    await journal.close();
    expect(done).toEqual(['stage plug.jar', 'remember what passed']);
    expect(warnings).toEqual(['not signed']);
    expect(trust).toEqual({
      ...{ policy: 'require', verified: true, fingerprints: ['F'], indexSequence: 7 },
      files: [{ name: 'plug.jar', bytes: 5, sha256: 'a', state: 'valid' }],
    });
    expect(await entries()).toEqual([{ v: 1, type: 'install', ...IDENTITY, at: '1970-01-01T00:00:01.000Z' }]);
  });

  it('remembers and notes nothing where a file is refused', async () => {
    const { done, entries, run } = await staged(errorWith('SIG_BAD'));
    expect(await codeOf(run)).toBe('SIG_BAD');
    expect([done, await entries()]).toEqual([[], []]);
  });
});
