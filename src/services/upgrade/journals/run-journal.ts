import { CliError } from '../../../core/errors.js';
import { readUpgrade, recordKey, type ReadUpgrade, type UpgradeRecord } from '../../../state/read-upgrade-journal.js';
import { createUpgradeFile } from '../../../state/upgrade-folder.js';
import { runEntry, UpgradeJournal, type RunEntry } from '../../../state/upgrade-journal.js';
import type { PipelinePlace } from '../pipeline.js';

/** What the journal of a run begins with. */
export interface RunJournalOptions {
  /** The first line, where it is a new one. */
  readonly run: Omit<RunEntry, 'v' | 'at' | 'type'>;
  /** The journal that is resumed. */
  readonly previous: ReadUpgrade | undefined;
  /** What another journal left unfinished, by `recordKey`: the new one notes it before anything else. */
  readonly left?: ReadonlyMap<string, UpgradeRecord> | undefined;
  /** The pipelines that are tried. */
  readonly tried: readonly PipelinePlace[];
  readonly stateFolder: string;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/**
 * Refuses to resume a journal that another run has resumed since it was read. Lines that we append would hide those of
 * the other run.
 */
async function refuseGrown({ file, length }: ReadUpgrade): Promise<void> {
  const now = await readUpgrade(file);
  if (now.length === length) return;
  throw new CliError('CONFLICT', `another run has already resumed the journal ${file}; nothing was changed`, {
    hints: ['run the same command again to make a new plan'],
    target: { file },
  });
}

/**
 * Copies the notes of another journal on pipelines that are tried now. A run that resumes the new journal then knows
 * them.
 */
async function noteLeft({ tried, left }: RunJournalOptions, journal: UpgradeJournal): Promise<void> {
  for (const { namespace, name } of tried) {
    // What is damaged is told of the pipeline itself.
    const sending = await left
      ?.get(recordKey(namespace, name))
      ?.sending()
      .catch(() => undefined);
    if (sending !== undefined) await journal.append(sending);
  }
}

/**
 * Opens the journal of a run: that which is resumed, or a new one with its first lines.
 * @throws CONFLICT when the journal has grown since it was read
 */
export async function openRunJournal(options: RunJournalOptions): Promise<UpgradeJournal> {
  const { previous, now, stateFolder } = options;
  if (previous !== undefined) {
    await refuseGrown(previous);
    return new UpgradeJournal(previous.file, previous.length, previous.lines);
  }
  const journal = new UpgradeJournal(await createUpgradeFile(stateFolder, now), 0);
  try {
    await journal.append(runEntry(now, options.run));
    await noteLeft(options, journal);
    return journal;
  } catch (error) {
    await journal.close().catch(() => undefined);
    throw error;
  }
}
