import { writeFileSync } from 'node:fs';
import { runEntry, sealed, type UpgradeEntry } from '../../../../../src/state/upgrade-journal.js';
import { createUpgradeFile } from '../../../../../src/state/upgrade-folder.js';
import { SELECTION } from '../in-memory.js';

export const URL = 'http://platform:11015';
const MAY = Date.UTC(2026, 4, 1);

const artifact = (version: string) => ({ name: 'cdap-data-pipeline', version, scope: 'SYSTEM' }) as const;
const common = { v: 1, at: '2026-05-01T00:00:00.000Z', namespace: 'etl' } as const;
export const FINISHED: UpgradeEntry = { v: 1, at: common.at, type: 'finished' };

/** A pipeline that was sent and ended. */
export function ended(pipeline: string, state: 'done' | 'failed', from = '6.9.0', to = '6.10.0') {
  const made = (version: string) => ({ artifact: artifact(version), configuration: `{"of":"${version}"}` });
  return [
    { ...common, type: 'sending', pipeline, before: made(from), sent: made(to), schedules: [] },
    { ...common, type: 'ended', pipeline, state, after: { artifact: artifact(to) } },
  ] as const satisfies readonly UpgradeEntry[];
}

/** A pipeline that was sent and done. */
export const done = (pipeline: string, from?: string, to?: string): readonly UpgradeEntry[] =>
  ended(pipeline, 'done', from, to);

interface Begun {
  readonly platform?: string;
  readonly selection?: object;
  readonly platformVersion?: string;
  readonly command?: 'upgrade' | 'rollback';
  readonly of?: string;
  readonly also?: string[];
}

/** Writes journals of runs, each begun a second after the one before, and gives their paths. */
export function journalsIn(state: string) {
  let at = MAY;
  return async (entries: readonly UpgradeEntry[], more: Begun = {}): Promise<string> => {
    at += 1000;
    const file = await createUpgradeFile(state, at);
    const { selection = {}, ...rest } = more;
    const run = runEntry(at, {
      command: 'upgrade',
      platform: URL,
      platformVersion: '6.11.0',
      selection: { ...SELECTION, ...selection },
      ...rest,
    });
    const lines = [run, ...entries].map((entry, at) => `${JSON.stringify(sealed(entry, at + 1))}\n`);
    writeFileSync(file, lines.join(''));
    return file;
  };
}
